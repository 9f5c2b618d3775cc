//! The experiments of the papers: each is simulated with the papers' parameters, measured, judged
//! by its own numbers, and written as tables (CSV), plots (SVG and PNG) and a page.
//!
//! One file per experiment. An experiment is a function from a [`Context`] to a [`Report`]; the
//! verdicts in the report are computed, never written by hand.

pub mod report;

mod cores;
mod corners;
mod draw;
mod page;
mod scene;
mod suite;
mod write;

mod block_in_plane;
mod box_stack;
mod grasp;
mod masonry;
mod masonry_arch;
mod masonry_known;
mod masonry_limits;
mod masonry_rocking;
mod masonry_tilt;
mod momentum;
mod peg_in_hole;
mod pendulum;
mod perturbed_block;
mod pile;
mod pouring;
mod problem_sizes;
mod ramp_and_hole;
mod robot_speed;
mod rotation;
mod solver_profile;
mod solvers;
mod statistics;
mod triangle_drop;
mod whitney;

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
    time::Instant,
};

pub use cores::Cores;
pub use report::{Claim, Figure, Picture, Report, Table, Verdict};
pub use suite::Suite;
pub use write::{write_index, write_report};

/// What an experiment is told.
pub struct Context<'a> {
    /// Fewer and shorter runs, for a look in minutes.
    pub quick: bool,
    /// Where files that the experiment itself makes may go (recordings).
    pub out: &'a Path,
    /// Called with what is being done.
    pub note: &'a (dyn Fn(&str) + Sync),
    /// What the runs share, and the sign to stop.
    pub cores: &'a Cores,
    /// Whether its runs come one after the other, so that their times can be compared.
    alone: bool,
    /// Time of all work so far \[s\].
    spent: Mutex<f64>,
}

impl<'a> Context<'a> {
    /// A context for one experiment.
    pub fn new(
        quick: bool,
        out: &'a Path,
        cores: &'a Cores,
        note: &'a (dyn Fn(&str) + Sync),
    ) -> Self {
        Self { quick, out, note, cores, alone: false, spent: Mutex::new(0.0) }
    }

    /// One value for a full run, another for a quick one.
    pub fn pick<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// An experiment that could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// It was told to stop.
    #[error("interrupted")]
    Interrupted,
    /// A scene of the experiment is wrong.
    #[error("the scene cannot be built: {0}")]
    Scene(String),
    /// Its pictures or recordings cannot be made.
    #[error(transparent)]
    Record(#[from] stickslip_record::RecordError),
    /// Its files cannot be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

/// One experiment.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Whether its tables compare times: it then runs on one core while little else is going on.
    pub timed: bool,
    run: fn(&Context) -> Result<Report, ExperimentError>,
}

impl Experiment {
    /// Runs it and fills in what every report has.
    pub fn run(&self, context: &Context) -> Result<Report, ExperimentError> {
        let _core = context.cores.hold();
        context.go_on()?;
        let Context { quick, out, note, cores, .. } = *context;
        let context = Context { alone: self.timed, ..Context::new(quick, out, cores, note) };
        let begin = Instant::now();
        let mut report = (self.run)(&context)?;
        context.spend(begin.elapsed().as_secs_f64());
        report.name = self.name.into();
        report.title = self.title.into();
        report.source = self.source.into();
        report.quick = context.quick;
        // Seeds stand on every plot.
        let seeds: Vec<String> = report.seeds.iter().map(u64::to_string).collect();
        for figure in report.figures.iter_mut().filter(|_| !seeds.is_empty()) {
            if !figure.options.title.contains("seed") {
                figure.options.title.push_str(&format!(", seeds {}", seeds.join(", ")));
            }
        }
        report.seconds = context.spent.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(report)
    }
}

macro_rules! experiments {
    ($($name:literal, $title:literal, $source:literal, $timed:literal, $run:path;)*) => {
        /// All experiments, in the order of the report.
        pub const EXPERIMENTS: &[Experiment] = &[$(Experiment {
            name: $name,
            title: $title,
            source: $source,
            timed: $timed,
            run: $run,
        }),*];
    };
}

experiments! {
    "peg-in-hole", "Peg in hole", "RPI-MATLAB-Simulator paper (2013), section 5.1", false, peg_in_hole::run;
    "sphere-solvers", "Convergence of every solver on 125 spheres", "RPI-MATLAB-Simulator paper (2013), figure 9", true, solvers::spheres;
    "many-solvers", "Many solvers, one problem", "RPI-MATLAB-Simulator user guide (2013), script 8", true, solvers::many;
    "solver-profile", "Performance profile on friction problems", "Dolan and Moré (2002), on the FCLIB collection", true, solver_profile::run;
    "pendulum", "Joint error of a pendulum with and without correction", "Williams' thesis (2014), figure 2.6", false, pendulum::run;
    "problem-sizes", "Sizes of the problems, PEG against the standard model", "Williams' thesis (2014), figure 4.16", false, problem_sizes::run;
    "triangle-drop", "Triangle drop", "Williams' thesis (2014), section 5.2.1", false, triangle_drop::run;
    "box-stack", "Stack of staggered boxes", "Williams' thesis (2014), section 5.2.2", false, box_stack::run;
    "polygons", "Box of polygons", "Williams' thesis (2014), section 5.2.3", false, pouring::polygons;
    "polyhedra", "Box of polyhedra", "Williams' thesis (2014), section 5.2.4", false, pouring::polyhedra;
    "grasp", "Grasp in the plane", "Williams' thesis (2014), section 5.2.5", false, grasp::smooth;
    "grasp-friction", "Grasp in the plane with friction", "Williams' thesis (2014), section 5.2.6", false, grasp::rough;
    "rotation", "Rotation error of semi-implicit stepping", "Williams' thesis (2014), section 5.3", false, rotation::run;
    "momentum", "Conservation of momentum", "Williams' thesis (2014), section 5.4", false, momentum::run;
    "cracked-ramp", "Box on a cracked ramp", "dvc3D paper, figures 6 and 7", false, ramp_and_hole::ramp;
    "tight-hole", "Box in a tight hole", "dvc3D paper, figures 8 and 9", false, ramp_and_hole::hole;
    "block-in-plane", "Block sunk into a plane", "Penalty paper (Drumwright 2007), section IV-A", false, block_in_plane::run;
    "perturbed-block", "Block under random forces", "Penalty paper (Drumwright 2007), section IV-B", false, perturbed_block::run;
    "pile", "Pile of objects", "Penalty paper (Drumwright 2007), section IV-C", false, pile::run;
    "robot-speed", "Speed on robots", "Penalty paper (Drumwright 2007), section IV-D", true, robot_speed::run;
    "masonry-arch", "Least thickness and friction of a round arch", "Milankovitch (1907), Heyman (1967), Ochsendorf (2006)", false, masonry_arch::run;
    "masonry-tilt", "Walls and columns on a tilting table", "Limit analysis (Livesley 1978), formulas", false, masonry_tilt::run;
    "masonry-known", "Structures with known answers", "Formulas; Milankovitch (1907), Oppenheim (1992), Paterson and Zwick (2009)", false, masonry_known::run;
    "masonry-rocking", "Rocking block", "Housner (1963)", false, masonry_rocking::run;
    "masonry-limits", "Where static and dynamic answers differ", "Drucker (1954)", false, masonry_limits::run;
    "whitney", "Jamming and wedging of a peg", "Whitney (1982)", false, whitney::run;
    "statistics", "Statistics over a recorded run", "RPI-MATLAB-Simulator user guide (2013), section 8", true, statistics::run;
}

/// The experiment of that name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|e| e.name == name)
}
