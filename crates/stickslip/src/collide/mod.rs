//! Stage 1: which features of which bodies may touch during the step.
//!
//! A contact is *potential*: open gaps are reported too, since they must be known before they
//! close. The same list serves every formulation.

mod broad;
mod candidates;
pub(crate) mod depth;
mod exact;
pub(crate) mod gjk;
pub mod margin;
mod narrow;
mod near;
pub(crate) mod pairs;
mod parry;
pub(crate) mod placed;
mod settings;

pub use candidates::{Candidates, PartId};
pub use exact::Exact;
pub use margin::Margin;
pub use parry::Parry;
pub use settings::ExactSettings;

use stickslip_geometry::Vec3;

use crate::{
    model::{BodyId, Model},
    registry::{self, Entry},
    settings::{Epsilon, Settings},
    state::State,
};

/// A feature of a convex part (or of a surface).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A corner.
    Vertex(u32),
    /// An edge (3D).
    Edge(u32),
    /// A face; in 2D a side.
    Face(u32),
    /// A point of a curved surface; the number tells apart several on one body.
    Smooth(u32),
}

/// One body's side of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// The body.
    pub body: BodyId,
    /// Which part of its shape.
    pub part: u32,
    /// Which feature of that part.
    pub feature: Feature,
    /// The contact point on this body, world frame \[m\].
    pub point: Vec3,
}

/// Whether a force may arise at a contact (thesis 3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Applicable and feasible: a force may arise here.
    Primary,
    /// Describes the geometry nearby, but cannot itself push.
    Secondary,
}

/// A potential contact between two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Side of the body with the smaller id.
    pub a: Side,
    /// Side of the other body.
    pub b: Side,
    /// Unit normal from A to B, world frame.
    pub normal: Vec3,
    /// Signed gap ψ along the normal \[m\]: positive apart, negative overlapping.
    pub gap: f64,
    /// Applicability (thesis 3.3-3.5): how well the features face each other; 1 is best,
    /// negative means that they do not.
    pub applicability: f64,
    /// Whether a force may arise here.
    pub role: Role,
}

impl Contact {
    /// The parts of the bodies that it is between.
    pub fn parts(&self) -> [PartId; 2] {
        [&self.a, &self.b].map(|side| (side.body, side.part))
    }
}

/// Every feature pair closer than the margin, open gaps included.
pub trait CollisionDetector: Send {
    /// The name in the registry.
    fn name(&self) -> &'static str;
    /// Whether it finds all pairs within reach, with the gaps of the exact shapes. Then it is not asked
    /// where nothing can have come near, and a formulation may take gaps elsewhere from those shapes.
    /// Default false: a detector of one's own may leave things out, and is asked in every step.
    fn is_exact(&self) -> bool {
        false
    }
    /// Potential contacts, in an order that depends on the model and state alone.
    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<Vec<Contact>, CollideError>;
    /// What a formulation needs that finds the features of convex parts itself: which pairs of them
    /// may touch, and the contacts of all other shapes. What is not in `found` passes through each
    /// other. Unless a detector knows better, these are the pairs that [`Self::detect`] finds
    /// contacts for.
    fn candidates(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
        found: &mut Candidates,
    ) -> Result<(), CollideError> {
        found.clear();
        self.detect(model, state, query)?.into_iter().for_each(|c| found.add(model, c));
        found.sort();
        Ok(())
    }
}

/// How far and how finely to search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// How far a point of each body may travel during the step \[m\]; a pair is searched up to
    /// the sum of its two.
    pub reach: Vec<f64>,
    /// Number of threads; results do not depend on it.
    pub threads: usize,
}

/// Detection failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CollideError {
    /// A pose with NaN or infinity.
    #[error("body {body:?} has the position {position}, which is not finite")]
    NotFinite {
        /// Name of the body.
        body: String,
        /// Its position.
        position: Vec3,
    },
    /// No method for this pair of shapes.
    #[error("{detector} cannot find contacts between {a:?} and {b:?}: {reason}")]
    Unsupported {
        /// The detector.
        detector: &'static str,
        /// Name of one body.
        a: String,
        /// Name of the other.
        b: String,
        /// Why.
        reason: String,
    },
    /// No detector of that name.
    #[error("no detector is named {name:?}; there are: {known}")]
    UnknownName {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A setting outside its range.
    #[error("detector {detector}: {reason}")]
    Settings {
        /// The detector.
        detector: &'static str,
        /// Which field, its value and its range.
        reason: String,
    },
    /// A query that does not fit the model.
    #[error(
        "the query has {given} reaches for {needed} bodies; the reach of body {index} is {value}, but must be 0 or more"
    )]
    Query {
        /// Number of reaches.
        given: usize,
        /// Number of bodies.
        needed: usize,
        /// The first body without a sound reach.
        index: usize,
        /// Its reach; NaN if it has none.
        value: f64,
    },
    /// A detector written by the user failed.
    #[error("{0}")]
    Custom(String),
}

/// Every detector: the only list of names.
pub const DETECTORS: &[Entry<dyn CollisionDetector>] = &[
    Entry {
        name: "exact",
        about: "every feature pair within reach, from the exact shapes",
        make: || Box::new(Exact::default()),
    },
    Entry {
        name: "parry",
        about: "contact manifolds of the library parry",
        make: || Box::new(Parry::default()),
    },
];

/// The detector of that name, with its default settings.
pub fn make(name: &str) -> Result<Box<dyn CollisionDetector>, CollideError> {
    let entry = registry::find(DETECTORS, name);
    let unknown = |known| CollideError::UnknownName { name: name.into(), known };
    entry.map(|entry| (entry.make)()).map_err(unknown)
}

/// One sound reach per body, or an error that says which is not.
fn check_query(model: &Model, query: &Query) -> Result<(), CollideError> {
    let (given, needed) = (query.reach.len(), model.bodies().len());
    let bad = query.reach.iter().position(|r| !(*r >= 0.0 && r.is_finite()));
    let index = bad.or((given < needed).then_some(given));
    match index {
        None => Ok(()),
        Some(index) => {
            let value = query.reach.get(index).copied().unwrap_or(f64::NAN);
            Err(CollideError::Query { given, needed, index, value })
        }
    }
}

/// How far and how finely to search in this step.
pub fn query(model: &Model, state: &State, settings: &Settings) -> Query {
    query_over(model, state, settings, settings.step)
}

/// [`query`] for a part of a step, `h` long \[s\].
pub fn query_over(model: &Model, state: &State, settings: &Settings, h: f64) -> Query {
    let mut query = Query::default();
    query.renew(&mut Margin::default(), (model, state), settings, h);
    query
}

impl Query {
    /// How far and how finely to search in a step, or part of one, of `h` seconds. Asked again and
    /// again with the same `margin`, it allocates nothing.
    pub fn renew(
        &mut self,
        margin: &mut Margin,
        (model, state): (&Model, &State),
        settings: &Settings,
        h: f64,
    ) {
        let epsilon = match settings.epsilon {
            Epsilon::Auto => None,
            Epsilon::Fixed(epsilon) => Some(epsilon),
        };
        margin.reach_into(model, state, (h, epsilon), &mut self.reach);
        self.threads = settings.threads;
    }
}
