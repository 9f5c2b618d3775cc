//! Where bodies touch, for those who ask about a state and not about a step.

use stickslip_geometry::{Vec3, tolerance::MERGE};

use super::{Pair, Pairs, Separation};
use crate::{
    collide::{Candidates, CollideError, CollisionDetector, Contact, Exact, Query},
    dynamics::{AddedConstraints, SharedMechanism},
    frame::Frame,
    model::Model,
    settings::Settings,
    state::{State, Twist},
};

/// The points at which bodies touch at their present poses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touching {
    /// The corners of the contact polygons, each with its normal from A to B and its gap \[m\].
    pub contacts: Vec<Contact>,
    /// How many pairs of convex parts touch at a corner or along parallel edges alone, where the
    /// normal is not unique: they have no contacts in the list.
    pub ambiguous: usize,
}

/// The corners of the contact polygons between bodies that are no farther apart than `gap` \[m\],
/// whatever their velocities.
pub fn touching(
    model: &Model,
    state: &State,
    settings: &Settings,
    gap: f64,
) -> Result<Touching, CollideError> {
    let mut still = state.clone();
    still.nu.fill(Twist::default());
    let query = Query { reach: vec![gap; model.bodies().len()], threads: settings.threads };
    let mut found = Candidates::default();
    Exact::default().candidates(model, &still, &query, &mut found)?;
    let added = AddedConstraints::default();
    let frame = Frame {
        model,
        state: &still,
        contacts: &found.contacts,
        pairs: &found.pairs,
        added: &added,
        shared: &SharedMechanism::default(),
        exact: true,
        query: &query,
        h: settings.step,
        settings,
    };
    let mut pairs = Pairs::new(&frame, found.pairs.len(), &mut Separation::default());
    let all = pairs.pairs.len();
    pairs.pairs.retain(|pair| !is_ambiguous(pair, gap));
    let (mut contacts, _) = pairs.present_rows();
    contacts.retain(|c| c.gap <= gap);
    Ok(Touching { contacts, ambiguous: all - pairs.pairs.len() })
}

/// Whether the bodies touch, but axes of different directions separate them all the same.
fn is_ambiguous(pair: &Pair, gap: f64) -> bool {
    let chosen = &pair.directions[pair.chosen];
    let other = |n: Vec3| n.dot(chosen.normal) < 1.0 - MERGE;
    chosen.start <= gap && pair.directions.iter().any(|d| d.start >= -gap && other(d.normal))
}
