//! Scene files: TOML in, a model out, and for every mistake the line, the key and the remedy.
//!
//! ```
//! let scene = stickslip_scene::Scene::parse("cube.toml", r#"
//!     [[body]]
//!     shape = { type = "box", size = [1, 1, 1] }
//! "#)?;
//! assert_eq!(scene.model.bodies()[0].name, "body-1");
//!
//! let error = stickslip_scene::Scene::parse("cube.toml", "[simulation]\nstpe = 0.1\n");
//! let message = error.err().map(|e| e.to_string()).unwrap_or_default();
//! assert!(message.contains("cube.toml:2:1: [simulation]: unknown key `stpe`; did you mean `step`?"));
//! # Ok::<(), stickslip_scene::SceneError>(())
//! ```

pub mod reference;
pub mod sweep;

mod assemble;
mod builtin;
mod diagnostic;
mod names;
mod node;
mod overrides;
mod place;
mod read;
mod scene;
mod schema;
mod suggest;

pub use builtin::{BUILTIN, Builtin, find};
pub use diagnostic::{Diagnostic, Severity};
pub use overrides::{NoValue, Override};
pub use scene::{Scene, SceneError, SceneText};
pub use stickslip_urdf::{Plan, PlannedSensor, Zone};
pub use suggest::closest;
