//! When `proximal-newton` steps, when it begins a round, which law it follows and when it stops.

use super::FACTORIZATIONS;
use super::iterate::{Errors, Iterate, TRIES};
use crate::residual::ROUND_OFF;
use crate::solver::{Status, Watch};

/// How much above the goal a start is taken as it is.
const START: f64 = 10.0;
/// Part of the error of the impulses that velocities which follow the non-associated law are found to.
const LOOSE: f64 = 0.1;
/// Factorizations in which the non-associated law must halve the error of the velocities; and rounds that
/// gain nothing for which a steady drift is followed before the proximal parameter is decreased.
const PATIENCE: usize = 4;
/// What a round must leave of the error of the impulses for the proximal parameter to be kept: with given
/// slips, and by the non-associated law, whose rounds mostly need no factorisation.
const KEPT: [f64; 2] = [0.3, 0.5];

/// When to step, when to begin a round and when to stop.
pub(super) struct Globalization {
    /// Error that is asked for, and the one that is aimed at.
    acceptable: f64,
    goal: f64,
    limit: usize,
    /// Newton steps so far.
    pub(super) steps: usize,
    rounds: usize,
    /// The impulses with the smallest error so far.
    pub(super) best: Vec<[f64; 3]>,
    best_error: f64,
    /// Smallest error when it was last evaluated, and the effort until then: factorisations, and
    /// twenty rounds as one.
    checked: (f64, usize),
    /// Effort that may go by before the error must have fallen by much; a little it must always.
    pub(super) patience: usize,
    /// Errors after the last step and after the last round of impulses, and the factor then.
    last_inner: f64,
    last_proximal: f64,
    last_factor: usize,
    /// Rounds of a steady drift since the proximal parameter was decreased or something was gained.
    followed: usize,
    slide: Slide,
}

/// The attempts to follow the non-associated law.
#[derive(Default)]
struct Slide {
    /// Rounds of slips before the next attempt, and before the one after that.
    wait: usize,
    next_wait: usize,
    /// Error of the velocities when it was last evaluated, and the factorisations until then.
    checked: (f64, usize),
    increased: usize,
    /// Where the attempt began.
    start: Vec<[f64; 3]>,
}

impl Globalization {
    pub(super) fn new(acceptable: f64, goal: f64, limit: usize) -> Self {
        Self {
            acceptable,
            goal,
            limit: if limit == 0 { 2 * FACTORIZATIONS } else { limit },
            steps: 0,
            rounds: 0,
            best: vec![],
            best_error: f64::INFINITY,
            checked: (f64::INFINITY, 0),
            patience: 0,
            last_inner: f64::INFINITY,
            last_proximal: f64::INFINITY,
            last_factor: 0,
            followed: 0,
            slide: Slide { next_wait: 4, ..Slide::default() },
        }
    }

    pub(super) fn run(&mut self, iterate: &mut Iterate<'_>, watch: &mut dyn Watch) -> Status {
        self.best = iterate.impulses();
        loop {
            // the non-associated law needs no slips
            let correction = if iterate.non_associated { vec![] } else { iterate.corrections() };
            let errors = iterate.errors(&correction);
            if let Some(status) = self.judge(iterate, &errors) {
                return status;
            }
            // where one more solve with the same matrix gains nothing, that is round-off
            let floor = iterate.factorizations == self.last_factor
                && errors.inner > 0.5 * self.last_inner
                && errors.inner < 1e5 * ROUND_OFF * iterate.largest_speed();
            let settled = errors.inner <= 0.1 * self.goal || floor;
            if floor && errors.proximal.max(errors.slip) <= errors.inner {
                return Status::Solved;
            }
            if self.switches_law(iterate, &errors, settled) {
                self.last_inner = f64::INFINITY;
                continue;
            }
            let (slips, impulses) = due(iterate, &errors, settled);
            if slips || impulses {
                self.rounds += 1;
                if self.rounds > FACTORIZATIONS {
                    return Status::Stalled;
                }
                self.round(iterate, slips.then_some(correction), impulses, &errors);
                continue;
            }
            (self.last_inner, self.last_factor) = (errors.inner, iterate.factorizations);
            if self.steps == self.limit {
                return Status::IterationLimit;
            }
            self.steps += 1;
            if !iterate.step() {
                return Status::Numerical;
            }
            if watch.wants_iterates() {
                let impulses = iterate.impulses();
                if watch.iterate(self.steps, impulses.as_flattened()).is_break() {
                    self.best = impulses;
                    return Status::Stopped;
                }
            }
        }
    }

    /// Whether to stop at these errors.
    fn judge(&mut self, iterate: &Iterate<'_>, errors: &Errors) -> Option<Status> {
        let error = errors.worst();
        if !error.is_finite() {
            return Some(Status::Numerical);
        }
        if error < self.best_error {
            (self.best_error, self.best) = (error, iterate.impulses());
        }
        // a start that is as good as round-off makes it is not worked on
        let fresh = iterate.factorizations == 0 && self.rounds == 0;
        let goal = if fresh { START * self.goal } else { self.goal };
        if error <= goal.max(0.1 * ROUND_OFF * iterate.largest_speed()) {
            return Some(Status::Solved);
        }
        // solved, but more digits may cost little
        let effort = iterate.factorizations + self.rounds / 20;
        if self.best_error <= self.acceptable {
            let (last, since) = (self.checked.0, effort - self.checked.1);
            if self.best_error <= 0.2 * last || last.is_infinite() {
                self.checked = (self.best_error, effort);
            } else if since > self.patience || (since > 1 && self.best_error > 0.9 * last) {
                return Some(Status::Solved);
            }
        }
        None
    }

    /// Begins to follow the non-associated law, eases that or gives it up; whether it did.
    fn switches_law(&mut self, iterate: &mut Iterate<'_>, errors: &Errors, settled: bool) -> bool {
        let slide = &mut self.slide;
        if !iterate.non_associated {
            let begins =
                due(iterate, errors, settled).0 && slide.wait == 0 && errors.slip > self.acceptable;
            if begins {
                (slide.checked, slide.increased) = ((f64::INFINITY, iterate.factorizations), 0);
                slide.start = iterate.impulses();
                iterate.follow(true);
            }
            return begins;
        }
        if due(iterate, errors, settled).1 || iterate.factorizations <= slide.checked.1 + PATIENCE {
            return false;
        }
        if errors.inner < 0.5 * slide.checked.0 {
            slide.checked = (errors.inner, iterate.factorizations);
            return false;
        }
        slide.checked = (f64::INFINITY, iterate.factorizations);
        slide.increased += 1;
        if slide.increased < TRIES && iterate.increase_parameter() {
            self.last_proximal = f64::INFINITY;
        } else {
            iterate.follow(false);
            iterate.restart(std::mem::take(&mut slide.start));
            (slide.wait, slide.next_wait) = (slide.next_wait, 2 * slide.next_wait);
        }
        true
    }

    fn round(
        &mut self,
        iterate: &mut Iterate<'_>,
        correction: Option<Vec<f64>>,
        impulses: bool,
        errors: &Errors,
    ) {
        let mut y = None;
        if impulses {
            let kept = KEPT[usize::from(iterate.non_associated)];
            let gains =
                errors.proximal <= kept * self.last_proximal || errors.proximal <= errors.slip;
            // impulses that drift steadily are followed for a while
            self.followed = if gains || !iterate.non_associated || !iterate.drifts() {
                0
            } else {
                self.followed + 1
            };
            if !gains && (self.followed == 0 || self.followed > PATIENCE) {
                self.followed = 0;
                iterate.decrease_parameter();
            }
            self.last_proximal = errors.proximal;
            y = Some(iterate.next_impulses());
        }
        if correction.is_some() {
            self.slide.wait = self.slide.wait.saturating_sub(1);
        }
        self.slide.checked = (f64::INFINITY, iterate.factorizations);
        let correction = correction.map(|found| iterate.next_slips(found));
        iterate.round(y, correction);
        self.last_inner = f64::INFINITY;
        iterate.moved = f64::INFINITY;
    }
}

/// Whether new slips are due, and new impulses.
fn due(iterate: &Iterate<'_>, errors: &Errors, settled: bool) -> (bool, bool) {
    match iterate.non_associated {
        true => (false, settled || errors.inner <= LOOSE * errors.proximal),
        false => (
            settled || iterate.moved <= errors.slip,
            settled || iterate.moved <= 0.5 * errors.proximal,
        ),
    }
}
