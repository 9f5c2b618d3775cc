//! One step of the formulation: from contacts to clauses, active alternatives, retreats and impacts.

use std::{collections::BTreeMap, sync::Arc};

use complementarity::{Problem, Solution};
use stickslip_geometry::{Pose, Quat};

use super::{
    Contents,
    active::Active,
    clause::Clause,
    pair::{Pair, PartId, STRICT},
    plane,
    program::Program,
    solid::{Solid, Topology},
    space,
};
use crate::{
    collide::{Contact, Role, Side},
    formulate::{ConstraintKind, ContactSystem, impact::Passes, standard},
    frame::Frame,
    model::Dimension,
};

/// Solves after which the active alternatives are taken as they are.
pub(super) const MAX_ROUNDS: usize = 8;

/// Constraints of the largest problem that is written as a whole where active alternatives cycle.
const MAX_WHOLE: usize = 100;

/// A step in progress.
#[derive(Debug)]
pub(super) struct StepPlan {
    pub program: Program,
    pub(super) contents: Contents,
    /// The pair of parts of each clause.
    owner: Vec<usize>,
    /// How far each pair has retreated: 0, without X, without alternatives.
    level: Vec<u8>,
    pub fallbacks: usize,
    rounds: usize,
    /// How often the gaps were taken from the end of the step.
    pub(super) refined: usize,
    /// Whether that ran out.
    pub(super) unsettled: bool,
    /// Lengths below this are round-off \[m\].
    pub(super) tolerance: f64,
    /// Of every part with corners.
    pub topologies: BTreeMap<PartId, Arc<Topology>>,
    /// Pairs of parts that the detector found near each other, ascending.
    pub near: Vec<[PartId; 2]>,
    /// The problem at the active alternatives, as long as it is tried.
    pub active: Option<Active>,
    /// Whether it has been.
    tried_active: bool,
    pub problem: Option<Problem>,
}

impl StepPlan {
    pub fn begin(frame: &Frame, contents: Contents, several: bool) -> Self {
        let (mut contacts, mut clauses, mut owner) = (Vec::new(), Vec::new(), Vec::new());
        let mut pairs = 0;
        let mut tolerance = f64::INFINITY;
        let mut others = Vec::new();
        let mut near: BTreeMap<[PartId; 2], Vec<Contact>> = BTreeMap::new();
        for c in frame.contacts {
            near.entry([&c.a, &c.b].map(|s: &Side| (s.body, s.part))).or_default().push(*c);
        }
        let (mut topologies, mut solids) = (BTreeMap::new(), BTreeMap::new());
        for &part in near.keys().flatten() {
            solids.entry(part).or_insert_with(|| {
                let (topology, placed) = solid(frame, part)?;
                topologies.insert(part, topology);
                Some(placed)
            });
        }
        let near_pairs = near.keys().copied().collect();
        for (parts, found) in near {
            let [Some(Some(a)), Some(Some(b))] = parts.map(|p| solids.get(&p)) else {
                others.extend(found);
                continue;
            };
            let reach = parts.iter().map(|p| frame.query.reach[p.0.index()]).sum();
            let mut pair = Pair::new(frame, [a, b], parts, reach, found.into_iter());
            write(&mut pair, frame.model.dimension(), contents);
            tolerance = tolerance.min(pair.tolerance);
            let first = contacts.len();
            contacts.extend(pair.contacts);
            for mut clause in pair.clauses {
                clause.literals.iter_mut().for_each(|k| *k += first);
                owner.push(pairs);
                clauses.push(clause);
            }
            pairs += 1;
        }
        for i in standard::select(frame.model, &others) {
            clauses.push(Clause::new(ConstraintKind::Unilateral, vec![contacts.len()]));
            contacts.push([others[i]; 2]);
            owner.push(usize::MAX);
        }
        let program = Program::new(frame, contacts, clauses, several);
        let mut work = Self {
            program,
            contents,
            owner,
            level: vec![0; pairs],
            fallbacks: 0,
            rounds: 0,
            refined: 0,
            unsettled: false,
            tolerance: if tolerance.is_finite() { tolerance } else { 0.0 },
            topologies,
            near: near_pairs,
            active: None,
            tried_active: false,
            problem: None,
        };
        work.choose_active(frame);
        work
    }

    /// The contact whose gap closes last along the present motion; gaps that do not close within
    /// the step are ordered by what is left of them. Among equals one that is an active alternative already: two
    /// boxes flush with each other are held by the face between them, not by their sides.
    fn choose_active(&mut self, frame: &Frame) {
        let nu = crate::state::gather(frame.model, frame.state);
        let ranks: Vec<Rank> =
            (0..self.program.contacts.len()).map(|k| self.rank(k, frame.h, &nu)).collect();
        let (equal, h) = (self.tolerance, frame.h);
        let mut taken = vec![false; ranks.len()];
        let mut order: Vec<usize> = (0..self.program.clauses.len()).collect();
        order.sort_by_key(|&k| self.program.clauses[k].literals.len());
        for k in order {
            let clause = &mut self.program.clauses[k];
            let better = |best: usize, k: usize| {
                if ranks[k].order(&ranks[best]).is_gt() { k } else { best }
            };
            let best = clause.literals.iter().copied().fold(clause.literals[0], better);
            let same = |k: usize| {
                let (x, y) = (&ranks[k], &ranks[best]);
                x.open == y.open && y.time - x.time <= STRICT * h && y.left - x.left <= equal
            };
            let shared = clause.literals.iter().copied().find(|&k| taken[k] && same(k));
            clause.active = shared.unwrap_or(best);
            clause.seen = vec![clause.active];
            taken[clause.active] = true;
        }
    }

    fn rank(&self, k: usize, h: f64, nu: &[f64]) -> Rank {
        let (c, rate) = (&self.program.contacts[k], self.program.rate(k, nu));
        let open = c.gap >= -self.tolerance;
        let closes = if rate < 0.0 { (c.gap + self.tolerance) / -rate } else { h };
        Rank {
            open,
            time: if open { closes.min(h) } else { -1.0 },
            primary: c.role == Role::Primary,
            left: if open { c.gap + h * rate } else { c.gap },
        }
    }

    /// Gives the push to the contact that touches, where another one has it. Whether any changed.
    pub fn change_active(&mut self, z: &[f64]) -> bool {
        self.rounds += 1;
        if self.rounds > MAX_ROUNDS {
            return false;
        }
        let nu = self.program.velocity(z);
        let pushes = self.program.clause_pushes(z);
        let mut changed = false;
        for (k, &push) in pushes.iter().enumerate() {
            let clause = &self.program.clauses[k];
            if push <= 0.0 || clause.literals.len() < 2 {
                continue;
            }
            let gap = |i: usize| self.program.end_gap(i, &nu);
            let largest = clause.largest(gap);
            let behind = gap(clause.active) < gap(largest) - self.tolerance;
            if behind && !clause.seen.contains(&largest) {
                let clause = &mut self.program.clauses[k];
                clause.active = largest;
                clause.seen.push(largest);
                changed = true;
            }
        }
        changed
    }

    /// Whether there is a simpler problem, or the whole one after that of the active alternatives.
    pub fn can_retreat(&self) -> bool {
        match &self.active {
            Some(_) => self.is_small(),
            None => self.level.iter().any(|&l| l < 2),
        }
    }

    /// Whether the whole problem is within reach of a pivoting method. Where it is not, the step is
    /// halved instead.
    pub fn is_small(&self) -> bool {
        self.program.clauses.len() <= MAX_WHOLE
    }

    /// Goes on with the problem at the active alternatives.
    pub fn begin_active(&mut self, frame: &Frame) {
        self.active = Some(Active::new(frame, &self.program));
        self.tried_active = true;
    }

    /// The same in place of a whole problem with true cones that no solver solved, once. Cone solvers
    /// want symmetry, which the problem at the active alternatives has; its solutions solve the whole problem.
    pub fn try_active(&mut self, frame: &Frame) -> bool {
        let fits = self.program.layout.order.is_some() && !self.tried_active;
        if fits {
            self.fallbacks += 1;
            self.begin_active(frame);
        }
        fits
    }

    /// Goes on with the whole problem.
    pub fn leave_active(&mut self) {
        self.active = None;
        for clause in &mut self.program.clauses {
            clause.other_active.clear();
            clause.seen = vec![clause.active];
        }
    }

    /// Simplifies the pairs with violated rows, or all; false when nothing is left to simplify.
    pub fn retreat(&mut self, frame: &Frame, solution: &Solution) -> bool {
        if !self.can_retreat() {
            return false;
        }
        let z = &solution.z;
        let w = match &self.problem {
            Some(Problem::Lcp(p)) => p.w(z),
            Some(Problem::Mlcp(p)) => p.w(z),
            Some(Problem::Cone(p)) => p.w(z),
            None => return false,
        };
        let (w, z) = (&self.program.in_order(&w), &self.program.in_order(z));
        let mut bad = self.program.violated(w, z, frame.settings.accept_residual);
        if bad.is_empty() {
            // Solved, but not as it should be: contacts push that do not touch.
            let nu = self.program.velocity(z);
            let pushes = self.program.clause_pushes(z);
            let clauses = self.program.clauses.iter().enumerate();
            let astray = clauses.filter(|(k, c)| {
                pushes[*k] > 0.0 && self.program.end_gap(c.active, &nu) < -self.tolerance
            });
            bad = astray.map(|(k, _)| k).collect();
        }
        let mut pairs: Vec<usize> = bad.into_iter().map(|k| self.owner[k]).collect();
        pairs.retain(|&p| p != usize::MAX && self.level[p] < 2);
        if pairs.is_empty() {
            pairs = (0..self.level.len()).filter(|&p| self.level[p] < 2).collect();
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.iter().for_each(|&p| self.level[p] += 1);
        self.fallbacks += 1;
        let (owner, level) = (&self.owner, &self.level);
        let at = |k: usize| level.get(owner[k]).copied().unwrap_or(0);
        let mut keep = Vec::new();
        for (k, clause) in self.program.clauses.iter_mut().enumerate() {
            let level = at(k);
            keep.push(!(clause.kind == ConstraintKind::Cross && level >= 1));
            if level >= 2 {
                clause.literals = vec![clause.active];
                clause.base = clause.active;
            }
        }
        let mut kept = keep.iter();
        self.program.clauses.retain(|_| kept.next().copied().unwrap_or(true));
        let mut kept = keep.iter();
        self.owner.retain(|_| kept.next().copied().unwrap_or(true));
        true
    }

    /// Passes of restitution, if anything that pushes rebounds: every clause is held by the
    /// contact that is widest open at the end of the inelastic motion.
    pub fn impacts(
        &self,
        frame: &Frame,
        nu: &[f64],
        pushes: &[f64],
        name: &'static str,
    ) -> Option<Passes> {
        let nu0 = crate::state::gather(frame.model, frame.state);
        let threshold = frame
            .settings
            .restitution_threshold
            .unwrap_or_else(|| frame.model.gravity().length() * frame.h);
        let rebounds = |(clause, push): (&Clause, &f64)| {
            let c = &self.program.contacts[clause.active];
            *push > 0.0
                && frame.model.material(c.a.body, c.b.body).restitution > 0.0
                && self.program.rate(clause.active, &nu0) < -threshold
        };
        if !self.program.clauses.iter().zip(pushes).any(rebounds) {
            return None;
        }
        let mut held: Vec<usize> = self
            .program
            .clauses
            .iter()
            .zip(pushes)
            .map(|(clause, push)| {
                if *push > 0.0 {
                    clause.active
                } else {
                    clause.largest(|k| self.program.end_gap(k, nu))
                }
            })
            .collect();
        held.sort_unstable();
        held.dedup();
        let contacts = held.into_iter().map(|k| self.program.contacts[k]).collect();
        Some(Passes::new(frame, ContactSystem::new(frame, contacts), name))
    }
}

/// What tells which contact of a constraint pushes.
struct Rank {
    /// Whether there is a gap at the start.
    open: bool,
    /// When it closes, at most at the end of the step \[s\].
    time: f64,
    primary: bool,
    /// What is left of it at the end of the step \[m\].
    left: f64,
}

impl Rank {
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.open
            .cmp(&other.open)
            .then(self.time.total_cmp(&other.time))
            .then(self.primary.cmp(&other.primary))
            .then(self.left.total_cmp(&other.left))
    }
}

/// Which constraints a pair gets.
pub(super) fn write(pair: &mut Pair, dimension: Dimension, contents: Contents) {
    pair.vertices();
    match (dimension, contents) {
        (Dimension::Two, Contents::All) => plane::cross(pair),
        (Dimension::Two, Contents::Vertices) => {}
        (Dimension::Three, Contents::All) => space::cross(pair),
        (Dimension::Three, Contents::Vertices) => space::edges_alone(pair),
    }
}

/// The part, if it has corners: at the start of the step, and turned as its present spin will have
/// turned it by the middle and by the end.
pub(super) fn solid(frame: &Frame, (body, part): PartId) -> Option<(Arc<Topology>, [Solid; 3])> {
    let shape = frame.model.body(body).shape.parts().get(part as usize)?;
    let topology = Topology::new(&shape.convex)?;
    let (pose, spin) = (*frame.state.pose(body), frame.state.twist(body).angular);
    let place = |t: f64| {
        let orientation = Quat::from_scaled_axis(spin * t) * pose.orientation;
        let turned = if t == 0.0 { pose } else { Pose { orientation, ..pose } };
        Solid::new(&topology, &shape.convex, turned.compose(&shape.pose))
    };
    let placed = [0.0, 0.5 * frame.h, frame.h].map(place);
    Some((topology, placed))
}
