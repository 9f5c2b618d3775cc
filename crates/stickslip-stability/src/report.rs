//! What an analysis found; serialises to the JSON of `stickslip stability --json`.

use serde::Serialize;

/// Velocity of a block in a collapse mechanism, scaled so that the fastest centre or rim has 1 m/s.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlockMotion {
    /// The block.
    pub body: String,
    /// Velocity of its centre of mass \[m/s\].
    pub velocity: [f64; 3],
    /// Angular velocity \[rad/s\].
    pub angular_velocity: [f64; 3],
}

/// The force at one corner of a contact polygon.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CornerForce {
    /// Where \[m\].
    pub point: [f64; 3],
    /// On B \[N\].
    pub force: [f64; 3],
}

/// The force between two bodies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairForce {
    /// Body A.
    pub a: String,
    /// Body B.
    pub b: String,
    /// Centre of pressure \[m\]: the mean of the corners, weighted by their normal forces.
    pub point: [f64; 3],
    /// Resultant on B \[N\].
    pub force: [f64; 3],
    /// The corners.
    pub corners: Vec<CornerForce>,
}

/// What no contact forces can supply: the resultant that is left over at a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missing {
    /// The block.
    pub body: String,
    /// Force \[N\].
    pub force: [f64; 3],
    /// Torque about the centre of mass \[N m\].
    pub torque: [f64; 3],
}

/// How far gravity can turn about an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TiltAnswer {
    /// The axis, a unit vector; gravity turns about it by the right-hand rule.
    pub axis: [f64; 3],
    /// The greatest angle \[rad\]; none if the structure stands at up to a right angle.
    pub angle: Option<f64>,
    /// How the blocks move there.
    pub mechanism: Vec<BlockMotion>,
}

/// How much of a load the structure bears.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadAnswer {
    /// The greatest factor on the load; none if every load is borne.
    pub factor: Option<f64>,
    /// How the blocks move there.
    pub mechanism: Vec<BlockMotion>,
}

/// How hard a block can be pushed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PushAnswer {
    /// The block.
    pub body: String,
    /// Unit vector of the push.
    pub direction: [f64; 3],
    /// The greatest force \[N\]; none if every push is borne.
    pub force: Option<f64>,
    /// How the blocks move there.
    pub mechanism: Vec<BlockMotion>,
}

/// How much friction the structure needs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrictionAnswer {
    /// The least factor on the coefficients of the scene; none if no friction is enough, or if the
    /// scene has no friction at all.
    pub factor: Option<f64>,
    /// The least coefficient, where all contacts have the same; none if no friction is enough.
    pub coefficient: Option<f64>,
}

/// A block that the simulator moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// The block.
    pub body: String,
    /// How far its centre went \[m\].
    pub distance: f64,
    /// By how much it turned \[rad\].
    pub turned: f64,
}

/// What the simulator does with the scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dynamic {
    /// Time simulated \[s\].
    pub time: f64,
    /// Time step \[s\].
    pub step: f64,
    /// The blocks that moved by more than `limit`, the farthest first.
    pub moved: Vec<Moved>,
    /// A block rests if no point of it moved by more than this part of its radius.
    pub limit: f64,
    /// The farthest that any point of any block moved \[m\].
    pub farthest: f64,
    /// Why the run ended early, if it did.
    pub ended: Option<String>,
}

/// Whether a structure can rest, and what brings it down.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stability {
    /// Whether forces within friction balance it.
    pub stands: bool,
    /// What is left unbalanced at best, `|D r| / |D w|`: 0 in equilibrium, 1 in free fall.
    pub imbalance: f64,
    /// Number of blocks.
    pub blocks: usize,
    /// Number of corners of contact polygons.
    pub corners: usize,
    /// Pairs that touch at corners or parallel edges alone, which no force was given to.
    pub ambiguous: usize,
    /// One set of forces in equilibrium, or the best there is: of many, where the structure is
    /// statically indeterminate.
    pub forces: Vec<PairForce>,
    /// Where it cannot rest: what is missing.
    pub missing: Vec<Missing>,
    /// Where it cannot rest: how the blocks start to move, with the associated flow rule.
    pub mechanism: Vec<BlockMotion>,
    /// Answers to tilts, both senses of every axis.
    pub tilt: Vec<TiltAnswer>,
    /// Answer to the load.
    pub load: Option<LoadAnswer>,
    /// Answers to the pushes.
    pub push: Vec<PushAnswer>,
    /// Answer to how much friction is needed.
    pub friction: Option<FrictionAnswer>,
    /// What the simulator does.
    pub dynamic: Option<Dynamic>,
}

impl Stability {
    /// Whether the simulator says the same; none if it was not asked.
    pub fn agrees(&self) -> Option<bool> {
        let dynamic = self.dynamic.as_ref()?;
        Some(self.stands == (dynamic.moved.is_empty() && dynamic.ended.is_none()))
    }
}
