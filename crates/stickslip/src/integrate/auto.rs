//! The default: joint coordinates where nothing pushes, semi-implicit elsewhere.
//!
//! Every tree of joints that nothing touches, and whose limits do not hold it, follows its equation of
//! motion in joint coordinates (`joint_space.rs`), motors, damping and friction that slides
//! included. All else moves along the velocities of the step's problem, as with `semi-implicit`: what
//! touches, loops, bodies without joints; and all of it with another stabilization than `shake`, whose
//! drift is then to be seen. Where force elements act between trees, in loops or on bodies without joints,
//! a step in which nothing pushes is one of Gauss collocation of the whole scene (`gauss.rs`).

use super::{
    Gauss, Integrator, SemiImplicit,
    collocation::Table,
    joint_space::{TreeStep, TreeWork},
};
use stickslip_geometry::tolerance::TOUCH;

use crate::{
    dynamics::{
        JointRows,
        reduced::{Coordinates, JointSpace, Tree},
    },
    formulate::StepMotion,
    model::{BodyId, Dimension, ForceElement, ForceKind, Freedom, Joint, JointKind, Model},
    settings::Settings,
    stabilize::{JointTarget, carried, target},
    state::State,
};

/// Collocation in joint coordinates, three stages.
#[derive(Clone, Debug)]
pub struct Auto {
    table: Table,
    trees: Vec<Tree>,
    /// Whether every body that forces move and every joint is part of a tree.
    complete: bool,
    /// What the trees were made for.
    made_for: Vec<Pattern>,
    /// Whether every force element acts within one of the trees.
    within: bool,
    /// For the others.
    whole: Gauss,
    work: TreeWork,
}

/// What of a joint decides on the trees.
type Pattern = (JointKind, [Option<BodyId>; 2], [Freedom; 6], f64);

fn pattern(joint: &Joint) -> Pattern {
    (joint.kind, joint.bodies, joint.freedoms, joint.armature)
}

impl Default for Auto {
    fn default() -> Self {
        Self {
            table: Table::gauss(3),
            trees: Vec::new(),
            complete: false,
            made_for: Vec::new(),
            within: true,
            whole: Gauss::new(3),
            work: TreeWork::default(),
        }
    }
}

impl Auto {
    /// Makes the trees anew where the joints are others; whether there are any to be followed.
    fn prepare(&mut self, model: &Model, settings: &Settings) -> bool {
        let nothing = model.joints().is_empty() && model.force_elements().is_empty();
        if nothing || target(&settings.stabilization) != JointTarget::Closed {
            return false;
        }
        let same = self.made_for.len() == model.joints().len()
            && model.joints().iter().zip(&self.made_for).all(|(j, known)| pattern(j) == *known);
        if !same {
            self.made_for = model.joints().iter().map(pattern).collect();
            self.trees = Tree::all(model, false).0;
        }
        let held: usize = self.trees.iter().map(|t| t.links.len()).sum();
        self.complete = held * model.dimension().dof() == model.n_dof();
        self.within = model.force_elements().iter().all(|f| self.holds(model, f));
        true
    }

    /// Whether one tree holds all that a force element acts on and depends on.
    fn holds(&self, model: &Model, element: &ForceElement) -> bool {
        let bodies = || element.bodies.into_iter().flatten().filter(|&b| model.dof(b).is_some());
        match element.kind {
            ForceKind::GravityCompensation { .. } => true,
            ForceKind::Function(_) => self.complete && self.trees.len() == 1,
            _ => self.trees.iter().any(|tree| bodies().all(|b| tree.find(b).is_some())),
        }
    }
}

/// A smooth step of a tree, which ends where `work` says; false where there is none.
fn take(
    (table, tree): (&Table, &Tree),
    model: &Model,
    state: &State,
    settings: &Settings,
    work: &mut TreeWork,
) -> bool {
    let space = JointSpace { model, tree, state, gyroscopic: settings.gyroscopic, held: &[] };
    let step = TreeStep { space, h: settings.step };
    step.turns_little(state) && step.take(table, work).is_some()
}

/// Whether a coordinate at the end of the step is beyond its limits by more than round-off.
fn passes_limits(model: &Model, tree: &Tree, x: &Coordinates, end: &State) -> bool {
    tree.links.iter().any(|link| {
        let Some(id) = link.joint else { return false };
        let joint = model.joint(id);
        if link.ball {
            return JointRows::any_passed(model, end, std::iter::once(id));
        }
        link.axes.iter().enumerate().any(|(j, &i)| {
            let value = x.q[link.first + j] + if j == 0 { joint.start } else { 0.0 };
            match joint.freedoms[i] {
                Freedom::Limited([lower, upper]) => value < lower - TOUCH || value > upper + TOUCH,
                _ => false,
            }
        })
    })
}

/// Whether a contact pushes a body of the tree.
fn is_pushed(tree: &Tree, motion: &StepMotion) -> bool {
    let touches = |c: &crate::collide::Contact| {
        tree.find(c.a.body).is_some() || tree.find(c.b.body).is_some()
    };
    motion.forces.iter().any(|f| {
        (f.normal != 0.0 || f.friction.length_squared() != 0.0)
            && motion.contacts.get(f.contact).is_none_or(touches)
    })
}

impl Integrator for Auto {
    fn integrate(
        &mut self,
        model: &Model,
        state: &mut State,
        motion: &StepMotion,
        settings: &Settings,
    ) {
        // Bodies that leave an overlap get velocities of their own after the step.
        let given = motion.after.is_some() || motion.displacement.is_some();
        if given || !self.prepare(model, settings) {
            return SemiImplicit.integrate(model, state, motion, settings);
        }
        if !self.within {
            self.whole.forget();
            return self.whole.integrate(model, state, motion, settings);
        }
        let start = state.clone();
        SemiImplicit.integrate(model, state, motion, settings);
        let mut smooth = 0;
        let Self { table, trees, work, .. } = self;
        for tree in trees.iter() {
            if is_pushed(tree, motion) || !take((table, tree), model, &start, settings, work) {
                continue;
            }
            let kept = state.clone();
            work.end().write(model, tree, &work.dynamics.placed, state);
            let ours = |c: &&crate::collide::Contact| {
                tree.find(c.a.body).is_some() || tree.find(c.b.body).is_some()
            };
            let mut contacts = motion.contacts.iter().filter(ours);
            let passes = contacts.any(|c| carried(c, &start.q, state).gap < 0.0);
            if passes || passes_limits(model, tree, work.end(), state) {
                *state = kept;
                continue;
            }
            // In the plane there is but one kind of spin.
            if model.dimension() == Dimension::Three {
                tree.links.iter().for_each(|l| state.instant_spin[l.body.index()] = true);
            }
            smooth += 1;
        }
        if self.complete && smooth == self.trees.len() {
            state.last_h = 0.0;
        }
    }

    fn free_motion(
        &mut self,
        model: &Model,
        start: &State,
        end: &mut State,
        settings: &Settings,
    ) -> bool {
        if !self.prepare(model, settings) || !self.complete || !self.within {
            return false;
        }
        let Self { table, trees, work, .. } = self;
        for tree in trees.iter() {
            if !take((table, tree), model, start, settings, work) {
                return false;
            }
            work.end().write(model, tree, &work.dynamics.placed, end);
            if passes_limits(model, tree, work.end(), end) {
                return false;
            }
        }
        for id in model.ids().filter(|&id| model.body(id).motion == crate::Motion::Kinematic) {
            let twist = *end.twist(id);
            end.advance(model.dimension(), id, &twist, settings.step);
        }
        end.instant_spin.fill(false);
        end.step += 1;
        end.time += settings.step;
        end.last_h = 0.0;
        true
    }
}
