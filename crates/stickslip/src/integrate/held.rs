//! Coordinates of a tree that limits and friction hold.
//!
//! ```text
//! at rest at a lower limit    0 <= f + friction    the limit pushes, friction holds both ways
//! at rest between limits      |f| <= friction      f: what keeps the coordinate where it is
//! ```
//!
//! Where `f` leaves its bounds within a step, the step is one of the whole problem.

use super::joint_space::{TreeStep, TreeWork};
use crate::dynamics::reduced::{Coordinates, JointSpace, Link, holding, keeps_velocity};

/// A coordinate at rest that something may hold, and the forces with which that can.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    at: usize,
    bounds: [f64; 2],
    /// Whether a limit alone holds it: it may leave that freely.
    frees: bool,
}

impl TreeStep<'_> {
    /// The coordinates of `work.start` at rest that limits or friction may hold.
    fn candidates(&self, x: &Coordinates, out: &mut Vec<Hold>) {
        let JointSpace { model, tree, state, .. } = self.space;
        out.clear();
        // Of what a gear couples it is not plain which end holds.
        let geared = |k: usize| tree.gears.iter().any(|g| g.coordinates.contains(&k));
        let hold = |link: &Link| {
            let id = link.joint.filter(|_| link.axes.len() == 1)?;
            let (at, joint) = (link.first, model.joint(id));
            if keeps_velocity(state, id) || geared(at) {
                return None;
            }
            let moves = (x.q[at] + joint.start, x.w[at]);
            let bounds = holding(joint, moves, &joint.freedoms[link.axes[0]])?;
            Some(Hold { at, bounds, frees: joint.friction == 0.0 })
        };
        out.extend(tree.links.iter().filter_map(hold));
    }

    /// Which coordinates are held at the start of the step, into `work.holds`; `None` where that is not plain.
    pub(super) fn find_held(&self, work: &mut TreeWork) -> Option<()> {
        let mut holds = std::mem::take(&mut work.holds);
        self.candidates(&work.start, &mut holds);
        work.held.clear();
        if holds.is_empty() {
            work.holds = holds;
            return Some(());
        }
        let JointSpace { model, tree, state, .. } = self.space;
        holds.iter().for_each(|hold| work.start.w[hold.at] = 0.0);
        work.dynamics.placed.renew(model, tree, &work.start, (state, 0.0));
        // Every round lets one or more go, so that it ends.
        loop {
            work.held.clear();
            work.held.extend(holds.iter().map(|hold| hold.at));
            let space = JointSpace { held: &work.held, ..self.space.clone() };
            let forces = space.keeping(&work.start, 0.0, &mut work.dynamics)?;
            let count = holds.len();
            let mut stuck = true;
            let mut force = forces.iter();
            holds.retain(|hold| {
                let within = force.next().is_none_or(|f| hold.allows(*f));
                stuck &= within || hold.frees;
                within
            });
            if !stuck {
                return None;
            }
            if holds.len() == count {
                break;
            }
        }
        work.holds = holds;
        Some(())
    }

    /// Whether all that was held at the start still is at the end.
    pub(super) fn still_held(&self, work: &mut TreeWork) -> Option<bool> {
        if work.holds.is_empty() {
            return Some(true);
        }
        let JointSpace { model, tree, state, .. } = self.space;
        let TreeWork { dynamics, part, holds, .. } = work;
        dynamics.placed.renew(model, tree, &part.end, (state, self.h));
        let forces = self.space.keeping(&part.end, self.h, dynamics)?;
        Some(holds.iter().zip(forces).all(|(hold, f)| hold.allows(f)))
    }
}

impl Hold {
    fn allows(&self, force: f64) -> bool {
        (self.bounds[0]..=self.bounds[1]).contains(&force)
    }
}
