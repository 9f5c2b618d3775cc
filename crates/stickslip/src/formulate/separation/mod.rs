//! One separating direction per convex pair.
//!
//! Two convex bodies are apart iff some direction separates them: a face of one, a face of the
//! other, or an edge pair. Each pair gets one such direction, its *separating axis*, and the contact polygon
//! of that direction as ordinary unilateral constraints; the problem is a plain Stewart-Trinkle
//! problem, which always has a solution. The separating axis is the direction that separates at the end of
//! the predicted motion, or else the one that separated last. After a solve, a pair that is
//! pushed although another direction keeps it apart (a false contact) takes that direction, and a
//! pair that ends up overlapping gets its separating axis anew from the new motion; all others stay. Mostly
//! one solve is enough.
//!
//! The first prediction is the velocity that the bodies already have: it obeys the contacts of
//! the last step, so a block that slides over a seam is not seen sinking into its floor and
//! tripping over the next tile.

mod along_motion;
mod directions;
mod hull;
mod manifold;
mod memory;
mod others;
mod pair;
mod places;
mod polygon;
mod project;
mod rest;
mod settings;
mod touching;

use std::{collections::BTreeMap, sync::Arc};

use complementarity::ProblemClass;
use stickslip_geometry::tolerance::{MERGE, TOUCH};

use self::{
    directions::Axis,
    hull::{Drift, Hull},
    memory::{part_from, part_word},
    others::Others,
    pair::{Off, Pair, View},
    places::{End, PartIndex, drift, hulls_at, placed_hulls},
    rest::Rest,
};
use super::{ContactSystem, FormulateError, Formulation, Frame, Solve, StepMotion, impact::Passes};
use crate::{
    collide::{Contact, Exact, PartId},
    dynamics::Mechanism,
    parallel::{self, Threads},
    settings::Settings,
};

pub(super) use places::{apart, end_state};
pub use settings::SeparationSettings;
pub use touching::{Touching, touching};

/// The formulation of one separating axis per pair.
#[derive(Debug, Default)]
pub struct Separation {
    /// The axes of the last step.
    axes: BTreeMap<[PartId; 2], Vec<Axis>>,
    /// Finds the contacts of other shapes at the end of a motion.
    detector: Exact,
    /// Bodies at rest.
    rest: Rest,
    /// Memory of a motion that is no longer needed.
    spare: StepMotion,
    /// Who works on many pairs.
    threads: Threads,
}

const NAME: &str = "separation";
/// Other path: overlap accepted with `implicit`, as a fraction of [`Pair::tolerance`].
const REFINED: f64 = 0.1;

impl Formulation for Separation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        super::class_of(settings)
    }

    fn starts_from_features(&self) -> bool {
        false
    }

    fn carries_torques(&self) -> bool {
        true
    }

    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        let near = frame.pairs.len();
        if !frame.settings.sleep {
            return self.move_bodies(frame, near, solve);
        }
        let awake = self.rest.awake(frame, solve);
        if self.rest.covers(frame.model) {
            return Ok(self.rest.hold(frame, std::mem::take(&mut self.spare)));
        }
        let part =
            awake.as_ref().map(|a| Frame { pairs: &a.pairs, contacts: &a.contacts, ..*frame });
        let frame = part.as_ref().unwrap_or(frame);
        let mut motion = self.move_bodies(frame, near, solve)?;
        self.rest.settle(frame, &mut motion, solve.errors());
        Ok(motion)
    }

    fn reuse(&mut self, motion: StepMotion) {
        self.spare = motion;
    }

    fn memory(&self) -> Vec<u64> {
        let all = self.axes.iter().flat_map(|(pair, axes)| axes.iter().map(move |x| (pair, x)));
        let words = all.flat_map(|(&[a, b], axis)| {
            let [kind, i, j] = axis.numbers();
            [part_word(a), part_word(b), kind, i, j]
        });
        words.chain(self.rest.words()).collect()
    }

    fn recall(&mut self, memory: &[u64]) -> bool {
        let end = memory.iter().position(|&word| word == rest::BEGINS).unwrap_or(memory.len());
        let (memory, rest) = memory.split_at(end);
        let Some(rest) = Rest::from_words(rest) else { return false };
        self.rest = rest;
        let (groups, rest) = memory.as_chunks::<5>();
        self.axes.clear();
        for &[a, b, kind, i, j] in groups {
            let Some(axis) = Axis::from_numbers([kind, i, j]) else { return false };
            self.axes.entry([a, b].map(part_from)).or_default().push(axis);
        }
        rest.is_empty()
    }
}

impl Separation {
    /// The motion of the bodies in these pairs and contacts; all others fall freely. So many pairs are `near`, those
    /// of bodies at rest too.
    fn move_bodies(
        &mut self,
        frame: &Frame,
        near: usize,
        solve: &mut dyn Solve,
    ) -> Result<StepMotion, FormulateError> {
        let mut pairs = Pairs::new(frame, near, self);
        let mut passes = pairs.rows(frame);
        if passes.system.is_empty() {
            self.detector = pairs.others.into_detector();
            return Ok(StepMotion { nu: passes.system.free().to_vec(), ..StepMotion::default() });
        }
        let mut impulses = passes.inelastic(solve)?;
        if !pairs.bounded {
            (passes, impulses) = pairs.settle(frame, (passes, impulses), solve)?;
            pairs.unsettled |= passes.gains(frame, &pairs.mechanism.mass, &impulses);
        }
        let inelastic = passes.system.velocity(passes.system.free(), &impulses);
        let mut motion = passes.rebound(impulses, solve)?;
        // What rebounds goes another way than the rows were made for.
        let rebounds = motion.nu != inelastic && frame.settings.rotation_tolerance.is_finite();
        if pairs.bounded || rebounds {
            let velocities = motion.nu.clone();
            pairs.project(frame, &mut motion, solve)?;
            // That is a matter of places: a body that rebounds gets no speed from it.
            if !pairs.bounded && motion.nu != velocities {
                motion.after.get_or_insert(velocities);
            }
        }
        // Pairs at rest keep theirs.
        self.axes.retain(|parts, _| self.rest.holds(parts.map(|(body, _)| body)));
        self.axes.extend(pairs.pairs.iter().map(|pair| (pair.parts, pair.axes())));
        self.detector = pairs.others.into_detector();
        Ok(StepMotion { unsettled: pairs.unsettled, ..motion })
    }
}

/// The near pairs of one step.
#[derive(Debug)]
struct Pairs {
    /// Masses and joints of the step.
    mechanism: Arc<Mechanism>,
    hulls: Vec<Hull>,
    index: PartIndex,
    pairs: Vec<Pair>,
    /// Contacts of shapes without corners, and with half-spaces and surfaces.
    others: Others,
    /// Which pair each row belongs to; those of other shapes are numbered after the pairs.
    owner: Vec<usize>,
    /// Whether there are so many pairs that the work on them is bounded.
    bounded: bool,
    /// Linearisations at the end of the step so far.
    refined: usize,
    /// What they were off last, and the least of it.
    off: f64,
    least_off: f64,
    /// Whether they ran out.
    unsettled: bool,
    threads: Threads,
}

impl Pairs {
    fn new(frame: &Frame, near: usize, last: &mut Separation) -> Self {
        if frame.pairs.len() >= parallel::MANY {
            last.threads.choose(frame.settings.threads);
        }
        let threads = last.threads.clone();
        let (hulls, index) = placed_hulls(frame, &threads);
        let bounded = project::is_bounded(frame.settings, near);
        let pair = |&parts: &[PartId; 2]| {
            if !parts.iter().all(|p| index.contains_key(p)) {
                return None;
            }
            let drifts = parts.map(|(body, _)| drift(frame, body, None));
            let view = View { hulls: parts.map(|p| &hulls[index[&p]]), drifts, h: frame.h };
            let reach = parts.iter().map(|p| frame.query.reach[p.0.index()]).sum();
            let axes = last.axes.get(&parts).map_or(&[][..], Vec::as_slice);
            Some(Pair::new(parts, &view, (reach, bounded), axes))
        };
        let pairs = parallel::map(&threads, frame.pairs, pair).into_iter().flatten().collect();
        let others = Others::new(frame, std::mem::take(&mut last.detector));
        Self {
            mechanism: frame.mechanism(),
            hulls,
            index,
            pairs,
            others,
            owner: Vec::new(),
            bounded,
            refined: 0,
            off: f64::INFINITY,
            least_off: f64::INFINITY,
            unsettled: false,
            threads,
        }
    }

    /// The rows of the present axes.
    fn rows(&mut self, frame: &Frame) -> Passes {
        let (contacts, owner) = self.present_rows();
        let pairs = &self.pairs;
        let system = ContactSystem::of(&self.mechanism, frame, contacts).on(&self.threads);
        let passes = Passes::new(frame, system, NAME);
        let passes = passes.apart(frame, |i| pairs.get(owner[i]).is_some_and(Pair::is_apart));
        self.owner = owner;
        if self.bounded { passes.rough(project::motion(frame)) } else { passes }
    }

    /// The contacts of all axes and of shapes without corners, and which pair each belongs to.
    fn present_rows(&self) -> (Vec<Contact>, Vec<usize>) {
        let Self { pairs, others, hulls, index, threads, .. } = self;
        let of_pair = |pair: &Pair, out: &mut Vec<Contact>| {
            pair.contacts(pair.parts.map(|p| &hulls[index[&p]]), out);
        };
        let (mut contacts, mut owner) = parallel::collect(threads, pairs, of_pair);
        contacts.extend(&others.rows);
        owner.extend((0..others.rows.len()).map(|j| pairs.len() + j));
        (contacts, owner)
    }

    /// Velocities at the end of the step, and the total normal impulse of every pair and of every
    /// other contact.
    fn outcome(&self, passes: &Passes, impulses: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let nu = passes.system.velocity(passes.system.free(), impulses);
        let mut push = vec![0.0; self.pairs.len() + self.others.rows.len()];
        self.owner.iter().zip(impulses).for_each(|(&k, p)| push[k] += p);
        (nu, push)
    }

    /// Chooses the axes until none is wrong, then linearises at the end of the step until the bodies
    /// are where they should be.
    fn settle(
        &mut self,
        frame: &Frame,
        (mut passes, mut impulses): (Passes, Vec<f64>),
        solve: &mut dyn Solve,
    ) -> Result<(Passes, Vec<f64>), FormulateError> {
        for _ in 1..frame.settings.separation.rounds {
            let (nu, push) = self.outcome(&passes, &impulses);
            if !self.judge(frame, &nu, &push) {
                break;
            }
            passes = self.rows(frame);
            impulses = passes.inelastic(solve)?;
        }
        if frame.settings.implicit || frame.settings.rotation_tolerance.is_finite() {
            let mut best = None;
            loop {
                let (nu, push) = self.outcome(&passes, &impulses);
                let Some(next) = self.refine(frame, &nu, &push) else { break };
                let Some(found) = self.solve_again(&next, solve)? else { break };
                let last = (std::mem::replace(&mut passes, next), impulses);
                impulses = found;
                if self.off <= self.least_off {
                    best = Some(last);
                }
            }
            // Rounds that ran out may have ended anywhere.
            if let Some(best) = best.filter(|_| self.is_lost()) {
                return Ok(best);
            }
        }
        Ok((passes, impulses))
    }

    /// The impulses of a linearisation at the end of the step. It may ask for the impossible, where
    /// the motion was far off: then the rounds end, and a shorter step may do better.
    fn solve_again(
        &mut self,
        passes: &Passes,
        solve: &mut dyn Solve,
    ) -> Result<Option<Vec<f64>>, FormulateError> {
        let found = passes.attempt(solve)?;
        if found.is_none() {
            (self.refined, self.unsettled) = (usize::MAX, true);
        }
        Ok(found)
    }

    /// Whether the linearizations ran out, the last of them worse than one before by more than does not
    /// matter. Without this a mechanism that hits the floor gained 1e5 J in a step (soak seed 48).
    fn is_lost(&self) -> bool {
        self.unsettled && self.off > self.least_off + MERGE / TOUCH
    }

    /// The rows for the gaps at the end of the motion that was found; `None` when the bodies
    /// already are where they should be, or the rounds have run out.
    ///
    /// Forces act as the contacts are at the start of the step: the velocities of the scheme
    /// belong to the middle of the steps, and the force between two of them to the start of one.
    /// The rates of the gaps are taken there too, which keeps the problem symmetric; the gaps
    /// themselves are the true ones, so that repeating it converges to them.
    fn refine(&mut self, frame: &Frame, nu: &[f64], push: &[f64]) -> Option<Passes> {
        let end = self.at_the_end(frame, nu, push)?;
        self.off = end.off;
        if end.off <= self.accepted(frame) {
            self.unsettled = end.cycles;
            return None;
        }
        // Few bodies can afford all linearisations, and shorter steps after that, for a cycling
        // pair.
        self.least_off = self.least_off.min(end.off);
        if self.refined >= frame.settings.separation.rounds {
            self.unsettled = true;
            return None;
        }
        self.refined += 1;
        let mechanism = Arc::clone(&self.mechanism);
        let system = |contacts| ContactSystem::of(&mechanism, frame, contacts);
        Some(self.end_rows(frame, nu, end, system))
    }

    /// Overlap that is left to linearised rotations, in tolerances of a pair.
    fn accepted(&self, frame: &Frame) -> f64 {
        match frame.settings.implicit {
            true => REFINED,
            false => frame.settings.rotation_tolerance / TOUCH,
        }
    }

    /// Where the motion takes the pairs, with the rows for another one; `None` when all end well.
    fn at_the_end(&mut self, frame: &Frame, nu: &[f64], push: &[f64]) -> Option<End> {
        let accepted = self.accepted(frame);
        let straight = !self.others.is_evaluated() && self.others.is_straight(frame, nu, accepted);
        let hull = |part| &self.hulls[self.index[&part]];
        let is_straight = |p: &Pair| p.is_straight(frame, nu, p.parts.map(hull), accepted);
        if self.refined == 0 && straight && self.pairs.iter().all(is_straight) {
            return None;
        }
        let end = end_state(frame, nu);
        let others = match straight {
            true => self.others.unchanged(),
            false => self.others.at_the_end(frame, &end, &push[self.pairs.len()..], 0.0),
        };
        let hulls = hulls_at(frame, &end, (&self.index, &self.hulls), &self.threads);
        let still = |pair: &Pair| View {
            hulls: pair.parts.map(|p| &*hulls[self.index[&p]]),
            drifts: pair.parts.map(|(body, _)| Drift::at_rest(end.pose(body).position)),
            h: frame.h,
        };
        let ends_well = |(pair, &push): (&Pair, &f64)| {
            pair.ends_well(&still(pair), push, accepted * pair.tolerance())
        };
        if others.off <= accepted && self.pairs.iter().zip(push).all(ends_well) {
            return None;
        }
        let off = others.off;
        let mut out = End { others, off, ..End::default() };
        let (contacts, gaps, owner) = &mut out.rows;
        for (k, pair) in self.pairs.iter_mut().enumerate() {
            let start = pair.parts.map(|p| &self.hulls[self.index[&p]]);
            let view = still(pair);
            // A part of a step need not undo all of an overlap.
            let allowed = pair.overlap_kept(frame);
            let Off { overlap, pushed } = pair.relinearize(&view, start, push[k]);
            let [overlap, pushed] = [overlap, pushed].map(|x| (x - allowed) / pair.tolerance());
            out.off = out.off.max(if pair.is_cycling() { overlap } else { overlap.max(pushed) });
            out.cycles |= pair.is_cycling() && pushed > accepted;
            pair.contacts_from(view.hulls, start, contacts, gaps);
            owner.resize(contacts.len(), k);
        }
        Some(out)
    }

    /// Writes rows for the gaps that these contacts have at the end of the motion `nu`.
    fn end_rows(
        &mut self,
        frame: &Frame,
        nu: &[f64],
        end: End,
        system: impl FnOnce(Vec<Contact>) -> ContactSystem,
    ) -> Passes {
        let (mut contacts, gaps, mut owner) = end.rows;
        let n = contacts.len();
        contacts.extend(&end.others.rows);
        owner.extend((0..end.others.rows.len()).map(|j| self.pairs.len() + j));
        let is_apart = |i: usize| self.pairs.get(owner[i]).is_some_and(Pair::is_apart);
        let passes = Passes::new(frame, system(contacts), NAME).apart(frame, is_apart);
        let system = &passes.system;
        // psi_end + h G (nu' - nu) >= 0, but for what a part of a step leaves of an overlap.
        let target = (0..system.len())
            .map(|i| {
                let gap = match i < n {
                    true => Some(gaps[i] + self.pairs[owner[i]].overlap_kept(frame)),
                    false => end.others.gaps[i - n],
                };
                let linear = |gap: f64| gap / frame.h - system.jacobian.times(i, nu);
                gap.map_or(passes.target()[i], linear)
            })
            .collect();
        (self.owner, self.others.rows) = (owner, end.others.rows);
        passes.with_target(target)
    }

    /// Has every pair evaluate the motion; whether any changed.
    fn judge(&mut self, frame: &Frame, nu: &[f64], push: &[f64]) -> bool {
        let Self { pairs, hulls, index, .. } = self;
        let mut changed = false;
        for (pair, &push) in pairs.iter_mut().zip(push) {
            let view = View {
                hulls: pair.parts.map(|p| &hulls[index[&p]]),
                drifts: pair.parts.map(|(body, _)| drift(frame, body, Some(nu))),
                h: frame.h,
            };
            changed |= pair.judge(&view, push);
        }
        changed
    }
}
