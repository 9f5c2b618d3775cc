//! What can be asked, and what is wrong with a question.

use stickslip::{Model, collide::CollideError, geometry::Vec3};

use crate::program::{Cone, ProgramError};

/// A force on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Name of the body.
    pub body: String,
    /// The force, world frame \[N\]; of a push its direction alone counts.
    pub force: Vec3,
    /// Where it acts, world frame \[m\]; at the centre of mass by default.
    pub at: Option<Vec3>,
}

/// What to ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Axes about which gravity is turned, both ways.
    pub tilt: Vec<Vec3>,
    /// Loads that act together; the factor that brings the structure down is sought.
    pub loads: Vec<Load>,
    /// Pushes, each by itself; the greatest force is sought.
    pub pushes: Vec<Load>,
    /// Whether the least friction is sought.
    pub friction: bool,
    /// Cones or pyramids.
    pub cone: Cone,
    /// Bodies no farther apart than this touch \[m\]; by default a millionth of the radius of the
    /// smallest block.
    pub gap: Option<f64>,
    /// For how long the simulator runs \[s\]; not at all by default.
    pub simulate: Option<f64>,
}

/// An analysis that cannot be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StabilityError {
    /// A body of that name is not in the scene.
    #[error("no body is named {name:?}; there are: {known}")]
    UnknownBody {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A load on a body that nothing moves.
    #[error("{name:?} is static: a load on it brings nothing down; choose a body that moves")]
    Fixed {
        /// Name of the body.
        name: String,
    },
    /// A vector that must have a direction.
    #[error("{what} is {given}: it must be finite and not zero")]
    Vector {
        /// What it is for.
        what: String,
        /// The vector.
        given: Vec3,
    },
    /// A number outside its range.
    #[error("{what} is {given}: it must be {range}")]
    Range {
        /// Which.
        what: &'static str,
        /// Its value.
        given: f64,
        /// What it may be.
        range: &'static str,
    },
    /// Joints are not blocks.
    #[error(
        "the scene has {count} joints, the first is {first:?}: stability is known for bodies that only touch"
    )]
    Joints {
        /// How many.
        count: usize,
        /// Name of the first.
        first: String,
    },
    /// Contacts could not be found.
    #[error(transparent)]
    Collide(#[from] CollideError),
    /// A program could not be solved.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The simulator could not be set up.
    #[error("the simulator cannot be set up: {0}")]
    Setup(String),
}

/// Bodies no farther apart than this touch \[m\].
pub fn gap(model: &Model, options: &Options) -> f64 {
    let blocks = model.ids().filter(|&id| model.dof(id).is_some());
    let least = blocks.map(|id| model.body(id).radius).fold(f64::INFINITY, f64::min);
    options.gap.unwrap_or(if least.is_finite() { 1e-6 * least } else { 0.0 })
}

/// Whether the question can be answered at all.
pub fn check(model: &Model, options: &Options) -> Result<(), StabilityError> {
    if let [first, ..] = model.joints() {
        let (count, first) = (model.joints().len(), first.name.clone());
        return Err(StabilityError::Joints { count, first });
    }
    let direction = |what: String, v: Vec3| match v.is_finite() && v != Vec3::ZERO {
        true => Ok(()),
        false => Err(StabilityError::Vector { what, given: v }),
    };
    for &axis in &options.tilt {
        direction("the axis of a tilt".into(), axis)?;
    }
    for load in options.loads.iter().chain(&options.pushes) {
        direction(format!("the force on {:?}", load.body), load.force)?;
        if let Some(at) = load.at.filter(|at| !at.is_finite()) {
            let what = format!("the place of the force on {:?}", load.body);
            return Err(StabilityError::Vector { what, given: at });
        }
    }
    let above = |what, x: Option<f64>, low: f64, range| match x {
        Some(given) if !(given >= low && given.is_finite()) => {
            Err(StabilityError::Range { what, given, range })
        }
        _ => Ok(()),
    };
    above("the gap", options.gap, 0.0, "0 or more")?;
    above("the time to simulate", options.simulate, f64::MIN_POSITIVE, "above 0")?;
    match options.cone {
        Cone::Pyramid(n) if n < 3 => Err(StabilityError::Range {
            what: "the number of edges of a pyramid",
            given: n as f64,
            range: "3 or more",
        }),
        _ => Ok(()),
    }
}
