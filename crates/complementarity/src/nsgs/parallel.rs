//! Sweeps part by part, their acceleration, and when to stop.
//!
//! A problem of many contacts is split into parts ([`Partition`]). A sweep goes through the halves of every
//! split at the same time, if there are threads for it, and through the separator after them. What the parts
//! return is put together in a fixed order, so that the bits are those of one thread.

use super::partition::{MANY, Part, Partition};
use super::sweep::Impulses;
use crate::problem::ContactProblem;
use crate::residual;
use crate::solver::{NoWatch, Status, Watch};
use crate::threads::{Threads, join};

/// Sweeps between two evaluations of the residual, at the most.
const EVALUATE_EVERY: usize = 10;
/// Residual \[m/s\] below which the round-off that sweeps leave in the velocities may matter.
const FINE: f64 = 1e-9;

/// A problem that is swept, in memory that is kept from call to call.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweeps {
    partition: Partition,
    root: Node,
    /// Velocities of the present impulses, at their places.
    v: Vec<f64>,
    /// The best impulses so far, in the order of the problem.
    best: Vec<[f64; 3]>,
    best_error: f64,
    threads: Threads,
    /// Whether more than one thread is at work.
    many: bool,
    /// Leaves problems of any size in one part, for comparison.
    whole: bool,
}

/// A part of the problem.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Number of velocities of the first half.
    middle: usize,
    impulses: Impulses,
    halves: Option<Box<[Node; 2]>>,
}

/// What is asked for: the tolerance, the residual that it asks for, and a limit on the sweeps.
#[derive(Clone, Copy)]
struct Goal {
    tolerance: f64,
    asked: f64,
    limit: usize,
}

impl Sweeps {
    /// Sweeps on so many threads from a start until the residual is accepted: how it ended, sweeps, the
    /// residual.
    pub(super) fn run(
        &mut self,
        (problem, start): (&ContactProblem, &[[f64; 3]]),
        (tolerance, limit): (f64, usize),
        threads: usize,
        watch: &mut dyn Watch,
    ) -> (Status, usize, f64) {
        let goal = Goal { tolerance, asked: residual::contacts_asked(problem, tolerance), limit };
        self.many = false;
        if problem.len() > MANY && !watch.wants_iterates() {
            self.threads.choose(threads);
            self.many = !self.threads.is_one();
        }
        let outcome = match self.many {
            true => self.threads.clone().run(|| self.sweep(problem, start, goal, &mut NoWatch)),
            false => self.sweep(problem, start, goal, watch),
        };
        self.scatter(Impulses::best);
        outcome
    }

    /// The best impulses of the last run.
    pub(super) fn best(&self) -> &[[f64; 3]] {
        &self.best
    }

    /// Takes up a problem and a start.
    fn begin(&mut self, problem: &ContactProblem, start: &[[f64; 3]]) {
        if problem.len() > MANY && !self.whole {
            self.partition.split(problem);
        } else {
            self.partition.whole(problem);
        }
        let Self { partition, root, v, many, .. } = self;
        v.clear();
        v.resize(partition.root.places.end, 0.0);
        root.fill(partition, &partition.root, (problem, start), *many);
        self.best_error = f64::INFINITY;
    }

    /// Puts impulses in the order of the problem.
    fn scatter(&mut self, which: fn(&Impulses) -> &[[f64; 3]]) {
        let Self { partition, root, best, .. } = self;
        best.resize(partition.contacts.len(), [0.0; 3]);
        let mut next = partition.contacts.iter();
        root.each(&mut |impulses| {
            let all = which(impulses).iter();
            all.zip(&mut next).for_each(|(p, &c)| best[c as usize] = *p);
        });
    }

    /// The velocities of the present impulses, without what round-off has added to them.
    fn renew(&mut self) {
        let Self { root, v, many, .. } = self;
        v.fill(0.0);
        root.up(v, *many, &|impulses, v| impulses.add_motion(v), &|(), ()| ());
    }

    /// Measures the present impulses, and finds the blocks that sweeps must visit; the residual. The velocities
    /// have the round-off of all sweeps since they were renewed.
    fn evaluate(&mut self, asked: f64) -> f64 {
        if asked < FINE {
            self.renew();
        }
        let Self { root, v, many, .. } = self;
        let (first, least) = (self.best_error.is_infinite(), self.best_error);
        let error = root.read(v, *many, &|impulses, v| impulses.evaluate(v), &f64::max);
        root.each(&mut |impulses| {
            if first {
                impulses.visit_all();
            }
            if error < least {
                impulses.keep();
            }
        });
        self.best_error = least.min(error);
        error
    }

    fn sweep(
        &mut self,
        problem: &ContactProblem,
        start: &[[f64; 3]],
        goal: Goal,
        watch: &mut dyn Watch,
    ) -> (Status, usize, f64) {
        self.begin(problem, start);
        self.renew();
        self.evaluate(goal.asked);
        let (mut theta, mut sweeps) = (1.0_f64, 0);
        // the residual over the change of the impulses, when it was last measured
        let mut ratio = 2.0;
        while !self.accepted(problem, goal) {
            if sweeps >= goal.limit {
                return (Status::IterationLimit, sweeps, self.best_error);
            }
            let (change, turn) = self.sweep_once();
            sweeps += 1;
            if watch.wants_iterates() && self.is_stopped(sweeps, watch) {
                self.evaluate(goal.asked);
                return (Status::Stopped, sweeps, self.best_error);
            }
            if sweeps % EVALUATE_EVERY == 0 || sweeps >= goal.limit || ratio * change <= goal.asked
            {
                let error = self.evaluate(goal.asked);
                ratio = if change > 0.0 { error / change } else { ratio };
            }
            theta = self.accelerate(if turn > 0.0 { 1.0 } else { theta });
        }
        (Status::Solved, sweeps, self.best_error)
    }

    /// The largest change of an impulse, and how far the impulses turned against the way of the sweep before.
    fn sweep_once(&mut self) -> (f64, f64) {
        let Self { root, v, many, .. } = self;
        let both = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1 + b.1);
        root.up(v, *many, &|impulses, v| impulses.sweep(v), &both)
    }

    /// Shows the present impulses.
    fn is_stopped(&mut self, sweeps: usize, watch: &mut dyn Watch) -> bool {
        self.scatter(Impulses::present);
        watch.iterate(sweeps, self.best.as_flattened()).is_break()
    }

    fn accepted(&mut self, problem: &ContactProblem, goal: Goal) -> bool {
        if self.best_error <= goal.asked || self.best_error > FINE {
            return self.best_error <= goal.asked;
        }
        // round-off is asked for only where it may decide
        self.scatter(Impulses::best);
        residual::accepts_contacts(problem, &self.best, self.best_error, goal.tolerance)
    }

    /// Goes on in the direction of the last sweep; the next theta.
    fn accelerate(&mut self, theta: f64) -> f64 {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
        let beta = (theta - 1.0) / next;
        let Self { root, v, many, .. } = self;
        root.up(v, *many, &|impulses, v| impulses.accelerate(beta, v), &|(), ()| ());
        next
    }
}

impl Node {
    /// Takes up a part of a problem.
    fn fill(
        &mut self,
        partition: &Partition,
        part: &Part,
        (problem, start): (&ContactProblem, &[[f64; 3]]),
        many: bool,
    ) {
        let Self { middle, impulses, halves } = self;
        let mut own = || {
            let contacts = &partition.contacts[part.contacts.clone()];
            let first = part.places.start as u32;
            impulses.begin(problem, contacts, |v| partition.place[v as usize] - first, start);
        };
        let Some(parts) = &part.halves else {
            *halves = None;
            return own();
        };
        let ([first, second], nodes) = (&**parts, halves.get_or_insert_default());
        *middle = first.places.len();
        let [a, b] = &mut **nodes;
        let from = (problem, start);
        join(
            many,
            || {
                join(
                    many,
                    || a.fill(partition, first, from, many),
                    || b.fill(partition, second, from, many),
                )
            },
            own,
        );
    }

    /// Parts after their halves.
    fn each(&mut self, what: &mut impl FnMut(&mut Impulses)) {
        if let Some(halves) = &mut self.halves {
            halves.iter_mut().for_each(|half| half.each(what));
        }
        what(&mut self.impulses);
    }

    /// The same for those that change velocities, each with those of its own and of its halves; `add` puts
    /// together what they return.
    fn up<R: Send>(
        &mut self,
        v: &mut [f64],
        many: bool,
        what: &(impl Fn(&mut Impulses, &mut [f64]) -> R + Sync),
        add: &(impl Fn(R, R) -> R + Sync),
    ) -> R {
        let Some(halves) = &mut self.halves else { return what(&mut self.impulses, v) };
        let ([a, b], (va, vb)) = (&mut **halves, v.split_at_mut(self.middle));
        let (x, y) = join(many, || a.up(va, many, what, add), || b.up(vb, many, what, add));
        add(add(x, y), what(&mut self.impulses, v))
    }

    /// In any order, for what changes no velocities.
    fn read<R: Send>(
        &mut self,
        v: &[f64],
        many: bool,
        what: &(impl Fn(&mut Impulses, &[f64]) -> R + Sync),
        add: &(impl Fn(R, R) -> R + Sync),
    ) -> R {
        let impulses = &mut self.impulses;
        let Some(halves) = &mut self.halves else { return what(impulses, v) };
        let ([a, b], (va, vb)) = (&mut **halves, v.split_at(self.middle));
        let halves = || join(many, || a.read(va, many, what, add), || b.read(vb, many, what, add));
        let ((x, y), own) = join(many, halves, || what(impulses, v));
        add(add(x, y), own)
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;
    use crate::problem::Law;

    /// Bodies of unit mass and inertia on a grid, each with some contacts with those beside and below it, whose
    /// velocities are random: a heap that lands.
    fn heap(rng: &mut StdRng, [l, m, n]: [usize; 3]) -> ContactProblem {
        let bodies = l * m * n;
        let mut problem = ContactProblem::new(6 * bodies);
        for body in 0..bodies {
            let (i, j) = (body % l, body / l % m);
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            for (axis, step, exists) in [(0, 1, i > 0), (1, l, j > 0), (2, l * m, true)] {
                let below = exists.then(|| body.checked_sub(step)).flatten();
                if !exists || (below.is_none() && axis < 2) || rng.random_bool(0.2) {
                    continue;
                }
                for _ in 0..rng.random_range(1..4) {
                    push(
                        rng,
                        &mut problem,
                        (below, body),
                        std::array::from_fn(|r| axes[(axis + r) % 3]),
                    );
                }
            }
        }
        let free: Vec<f64> = (0..6 * bodies)
            .map(|v| rng.random_range(-0.3..0.3) - f64::from(u8::from(v % 6 == 2)))
            .collect();
        (0..problem.len()).for_each(|c| *problem.b_mut(c) = problem.times(c, &free));
        problem
    }

    /// A contact along some axes at a random place.
    fn push(
        rng: &mut StdRng,
        problem: &mut ContactProblem,
        (below, body): (Option<usize>, usize),
        axes: [[f64; 3]; 3],
    ) {
        let cross = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|i| {
                a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]
            })
        };
        let mut arm = || -> [f64; 3] { std::array::from_fn(|_| rng.random_range(-0.5..0.5)) };
        let (lower, upper) = (arm(), arm());
        let velocities = |b: usize| 6 * b as u32..6 * b as u32 + 6;
        let columns: Vec<u32> = below.into_iter().chain([body]).flat_map(velocities).collect();
        let mut rows = vec![];
        for axis in axes {
            if below.is_some() {
                rows.extend(axis.map(|x| -x).into_iter().chain(cross(lower, axis).map(|x| -x)));
            }
            rows.extend(axis.into_iter().chain(cross(upper, axis)));
        }
        let law = Law::Polygon { mu: rng.random_range(0.0..0.8), corners: 7 };
        problem.push(law, &columns, &rows, [0.0; 3]).unwrap();
    }

    /// The residual after so many sweeps, in parts or not.
    fn residual_after(problem: &ContactProblem, sweeps: usize, split: bool) -> f64 {
        let mut all = Sweeps { whole: !split, ..Sweeps::default() };
        let (_, _, error) = all.run((problem, &[]), (1e-14, sweeps), 1, &mut NoWatch);
        let found = residual::contacts(problem, all.best());
        assert!((error - found).abs() <= 1e-9 * (1.0 + found), "{error} {found}");
        found
    }

    /// Sweeps in parts get as far as sweeps in the order of the problem.
    #[test]
    fn parts_converge_as_the_whole() {
        for (seed, size) in [[8, 8, 8], [14, 14, 3], [5, 5, 20]].into_iter().enumerate() {
            let problem = heap(&mut StdRng::seed_from_u64(seed as u64), size);
            assert!(problem.len() > MANY, "{}", problem.len());
            let mut ratios = vec![];
            for sweeps in [20, 40, 80, 160] {
                let [whole, parts] = [false, true].map(|s| residual_after(&problem, sweeps, s));
                ratios.push(parts / whole);
            }
            let mean = ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64;
            assert!(mean.exp() < 2.0, "seed {seed}: {ratios:?}");
        }
    }

    /// The same bits on any number of threads, and as many sweeps.
    #[test]
    fn bits_do_not_depend_on_threads() {
        for (seed, size) in [[9, 9, 7], [60, 20, 1]].into_iter().enumerate() {
            let problem = heap(&mut StdRng::seed_from_u64(seed as u64), size);
            let solve = |threads: usize| {
                let mut sweeps = Sweeps::default();
                let outcome = sweeps.run((&problem, &[]), (1e-6, 60), threads, &mut NoWatch);
                (outcome.1, outcome.2.to_bits(), sweeps.best().as_flattened().to_vec())
            };
            let (sweeps, error, one) = solve(1);
            assert!(sweeps > 10);
            for threads in [2, 3, 8, 0] {
                let (more, other, found) = solve(threads);
                assert_eq!((more, other), (sweeps, error), "seed {seed}, {threads} threads");
                let same = one.iter().zip(&found).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "seed {seed}, {threads} threads");
            }
        }
    }
}
