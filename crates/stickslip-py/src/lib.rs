//! The extension module behind the Python package `stickslip`: parses, calls, converts.
//!
//! The callables of a simulator travel with each call of `Engine.advance`; functions that are force
//! elements are kept, and shown to Python's garbage collector. So it sees every reference.

mod advance;
mod body;
mod contacts;
mod convert;
mod core;
mod engine;
mod error;
mod experiments;
mod file;
mod force;
mod frame;
mod joint;
mod joint_space;
mod live;
mod log;
mod mechanism;
mod place;
mod query;
mod record;
mod render;
mod rollout;
mod scene;
mod settings;
mod snapshot;
mod solid;
mod stability;
mod stages;
mod state_array;
mod sweep;
mod viewer;

#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::{
        engine::Engine,
        engine::{detectors, formulations},
        experiments::{experiments, run_experiment},
        file::{load_problem, load_scene, save_problem, scene_text, scenes},
        log::Log,
        record::{load_recording, recording_html},
        render::{Scenery, recording_film},
        snapshot::Snapshot,
        solid::Solid,
        stability::stability,
        sweep::{
            sweep_check, sweep_csv, sweep_finished, sweep_keep, sweep_points, sweep_row, sweep_run,
        },
        viewer::Viewer,
    };
}
