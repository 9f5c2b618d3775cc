//! One tree at one instant: what robot programs ask for.

use super::{
    Articulated, CoordinateForce, Coordinates, Placed, Sweep, Tree, dynamics, inverse, loads, mass,
    spatial::Screw,
};
use crate::{
    dynamics::small::Cholesky,
    model::{ForceElement, ForceRow, Model, Motion},
    state::State,
};

/// A tree of a state, in joint coordinates.
#[derive(Clone, Debug)]
pub struct JointSpace<'a> {
    /// The scene.
    pub model: &'a Model,
    /// The tree.
    pub tree: &'a Tree,
    /// Motors, applied forces and what moves by itself are taken from here.
    pub state: &'a State,
    /// Whether gyroscopic torques act.
    pub gyroscopic: bool,
    /// Coordinates that limits or friction keep where they are, whatever force that takes.
    pub held: &'a [usize],
}

/// What the accelerations of an iteration are solved with: stiff forces over a stage of an implicit
/// method stand as inertia `h (d + h k)` of their coordinates.
pub struct Implicit<'a> {
    /// Length of the stage \[s\].
    pub h: f64,
    /// The accelerations of the last round, for which that inertia is taken off again.
    pub last: &'a [f64],
}

/// Memory of one tree at one instant, to be used again and again.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// The links in the world.
    pub placed: Placed,
    /// Their articulated inertias.
    pub held: Articulated,
    /// Forces along the coordinates.
    pub forces: Vec<CoordinateForce>,
    loads: Vec<Screw>,
    pub(super) sweep: Sweep,
    tau: Vec<f64>,
    added: Vec<f64>,
    column: Vec<f64>,
    columns: Vec<f64>,
}

/// Velocities that differ by less than this part are along the joints.
const FITS: f64 = 1e-11;

/// Most gears in a tree.
const MAX_GEARS: usize = 6;

impl JointSpace<'_> {
    /// Positions and rates of the state into `x`, the links at their places. Where its velocities would
    /// part the joints (they may be means over a step, or given by a user) the rates are those of the
    /// same momentum.
    pub fn coordinates(&self, x: &mut Coordinates, work: &mut Workspace) -> Option<()> {
        let Self { model, tree, state, .. } = *self;
        x.read(model, tree, state);
        work.placed.renew(model, tree, x, (state, 0.0));
        if self.fits(&work.placed) || !self.stands() {
            return Some(());
        }
        let Workspace { placed, held, loads, sweep, tau, .. } = work;
        if !held.renew(tree, placed, &[]) {
            return None;
        }
        dynamics::momenta(model, tree, placed, state, loads);
        tau.clear();
        tau.resize(tree.n, 0.0);
        for (tau, (rotor, w)) in tau.iter_mut().zip(tree.rotors.iter().zip(&x.w)) {
            *tau = rotor * w;
        }
        held.solve_into(tree, placed, (tau, loads, false), sweep, &mut x.w);
        self.gear(work, &mut x.w)?;
        work.placed.renew(model, tree, x, (state, 0.0));
        Some(())
    }

    /// Whether the links move as the bodies of the state do.
    fn fits(&self, placed: &Placed) -> bool {
        self.tree.links.iter().zip(&placed.links).all(|(link, at)| {
            let (nu, v) = (self.state.twist(link.body), at.twist);
            let linear = v.linear + v.angular.cross(at.pose.position - placed.origin);
            let size = 1.0 + nu.linear.length() + nu.angular.length();
            (nu.linear - linear).length() <= FITS * size
                && (nu.angular - v.angular).length() <= FITS * size
        })
    }

    /// Whether what it hangs on does not move.
    fn stands(&self) -> bool {
        let moves = |l: &super::Link| match l.parent {
            super::Parent::Ground(Some(b)) => *self.state.twist(b) != Default::default(),
            _ => false,
        };
        !self.tree.links.iter().any(moves)
    }

    /// The state `t` seconds later with the tree at the coordinates `x`.
    pub(super) fn state_at(&self, (x, placed): (&Coordinates, &Placed), t: f64) -> State {
        let Self { model, tree, state, .. } = *self;
        let mut now = state.clone();
        now.time += t;
        for id in model.ids().filter(|&id| model.body(id).motion == Motion::Kinematic) {
            let twist = *now.twist(id);
            now.advance(model.dimension(), id, &twist, t);
        }
        x.write(model, tree, placed, &mut now);
        now
    }

    /// What acts on the links at the coordinates `x`, `t` seconds after the state, those force elements
    /// included that `takes` names.
    fn loads(
        &self,
        (x, placed): (&Coordinates, &Placed),
        t: f64,
        takes: impl Fn(&ForceElement) -> bool,
        out: &mut Vec<Screw>,
    ) {
        let Self { model, tree, state, gyroscopic, .. } = *self;
        if model.force_elements().is_empty() {
            return loads(model, tree, placed, (state, gyroscopic), out);
        }
        let now = self.state_at((x, placed), t);
        loads(model, tree, placed, (&model.pushed_by(&now, takes), gyroscopic), out);
    }

    /// Inertia that a unit of the row feels: one over the change of its rate by a unit impulse.
    pub fn felt_by(&self, x: &Coordinates, row: &ForceRow) -> Option<f64> {
        let Self { model, tree, state, .. } = *self;
        let placed = Placed::new(model, tree, x, (state, 0.0));
        let mut push = vec![Screw::default(); tree.links.len()];
        for (body, unit) in (0..2).filter_map(|side| row.wrench(state, side)) {
            let Some(k) = tree.find(body) else { continue };
            let arm = placed.links[k].pose.position - placed.origin;
            push[k] = push[k] - Screw::new(unit.torque + arm.cross(unit.force), unit.force);
        }
        let held = Articulated::new(tree, &placed, &[])?;
        let rates = held.solve(tree, &placed, (&vec![0.0; tree.n], &push), false);
        let mut v = vec![Screw::default(); tree.links.len()];
        for (k, link) in placed.links.iter().enumerate() {
            if let super::Parent::Link(parent) = tree.links[k].parent {
                v[k] = v[parent];
            }
            let axes = placed.axes[link.first..link.end].iter();
            axes.for_each(|axis| v[k] += axis.twist * rates[axis.at]);
        }
        let speed: f64 = -push.iter().zip(&v).map(|(f, v)| f.dot(v)).sum::<f64>();
        Some(if speed > 0.0 { 1.0 / speed } else { f64::INFINITY })
    }

    /// Accelerations of the coordinates, `t` seconds after the state; nothing touches.
    pub fn acceleration(&self, (x, sliding): (&Coordinates, &[f64]), t: f64) -> Option<Vec<f64>> {
        let (mut work, mut out) = (Workspace::default(), Vec::new());
        work.placed.renew(self.model, self.tree, x, (self.state, t));
        self.accelerate((x, sliding), t, None, &mut work, &mut out)?;
        Some(out)
    }

    /// The same into `out`, for links that are at their places already.
    pub fn accelerate(
        &self,
        (x, sliding): (&Coordinates, &[f64]),
        t: f64,
        implicit: Option<Implicit>,
        work: &mut Workspace,
        out: &mut Vec<f64>,
    ) -> Option<()> {
        let Self { model, tree, state, .. } = *self;
        let Workspace { placed, held, forces, loads, sweep, tau, added, .. } = &mut *work;
        let now = (state, state.time + t);
        CoordinateForce::all(model, tree, (x, sliding), now, forces)?;
        for &k in self.held {
            forces[k] = CoordinateForce { driven: true, ..CoordinateForce::default() };
        }
        tau.clear();
        tau.extend(forces.iter().map(|f| f.force));
        added.clear();
        if let Some(Implicit { h, last }) = &implicit {
            added.extend(forces.iter().map(|f| h * (f.damping + h * f.stiffness)));
            tau.iter_mut().zip(added.iter().zip(*last)).for_each(|(t, (m, a))| *t += m * a);
        }
        if forces.iter().any(|f| f.driven) {
            // What no force accelerates: the rate stays.
            added.resize(tree.n, 0.0);
            for (k, _) in forces.iter().enumerate().filter(|(_, f)| f.driven) {
                (added[k], tau[k]) = (f64::INFINITY, 0.0);
            }
        }
        if !held.renew(tree, placed, added) {
            return None;
        }
        self.loads((x, placed), t, |f| tree.spring_at(model, f).is_none(), loads);
        held.solve_into(tree, placed, (tau, loads, true), sweep, out);
        if let Some(stage) = implicit.filter(|_| !model.force_elements().is_empty()) {
            self.yield_to((x, t), &stage, work, out)?;
        }
        self.gear(work, out)?;
        out.iter().all(|a| a.is_finite()).then_some(())
    }

    /// What keeps the held coordinates where they are, `t` seconds after the state: the force that it
    /// takes beyond those of motors and springs. The links are at their places.
    pub fn keeping(&self, x: &Coordinates, t: f64, work: &mut Workspace) -> Option<Vec<f64>> {
        let Self { model, tree, state, .. } = *self;
        let mut qdd = Vec::new();
        self.accelerate((x, &x.w), t, None, work, &mut qdd)?;
        let Workspace { placed, forces, loads, .. } = &mut *work;
        let needed = inverse(tree, placed, loads, &qdd);
        let now = (state, state.time + t);
        CoordinateForce::all(model, tree, (x, &x.w), now, forces)?;
        Some(self.held.iter().map(|&k| needed[k] - forces[k].force).collect())
    }

    /// Accelerations of the coordinates under forces `tau` on them, motors and friction left aside.
    pub fn driven(&self, x: &Coordinates, tau: &[f64]) -> Option<Vec<f64>> {
        let Self { model, tree, state, .. } = *self;
        let mut work = Workspace::default();
        work.placed.renew(model, tree, x, (state, 0.0));
        let Workspace { placed, held, loads, .. } = &mut work;
        if !held.renew(tree, placed, &[]) {
            return None;
        }
        self.loads((x, placed), 0.0, |_| true, loads);
        let mut qdd = held.solve(tree, placed, (tau, loads), true);
        self.gear(&mut work, &mut qdd)?;
        Some(qdd)
    }

    /// Changes rates or accelerations so that the gears keep; the links are held already.
    fn gear(&self, work: &mut Workspace, x: &mut [f64]) -> Option<()> {
        let (gears, n) = (&self.tree.gears, self.tree.n);
        if gears.is_empty() {
            return Some(());
        }
        if gears.len() > MAX_GEARS {
            return None;
        }
        let Workspace { placed, held, sweep, tau, column, columns, .. } = work;
        let along =
            |g: &super::Gear, x: &[f64]| x[g.coordinates[0]] + g.ratio * x[g.coordinates[1]];
        columns.clear();
        for g in gears {
            tau.clear();
            tau.resize(n, 0.0);
            tau[g.coordinates[0]] += 1.0;
            tau[g.coordinates[1]] += g.ratio;
            held.solve_into(self.tree, placed, (tau, &[], false), sweep, column);
            columns.extend_from_slice(column);
        }
        let (mut a, mut b) = ([[0.0; 6]; 6], [0.0; 6]);
        for (i, g) in gears.iter().enumerate() {
            b[i] = -along(g, x);
            columns.chunks_exact(n).enumerate().for_each(|(j, c)| a[i][j] = along(g, c));
        }
        Cholesky::new(gears.len(), &a).solve(&mut b);
        for (c, p) in columns.chunks_exact(n).zip(b) {
            x.iter_mut().zip(c).for_each(|(x, c)| *x += c * p);
        }
        Some(())
    }

    /// The mass matrix, by rows; gears are left aside.
    pub fn mass_matrix(&self, x: &Coordinates) -> Vec<f64> {
        mass(self.tree, &Placed::new(self.model, self.tree, x, (self.state, 0.0)))
    }

    /// Forces on the coordinates that give them these accelerations, gravity and applied forces
    /// acting, motors off: `M q'' + C`.
    pub fn inverse_dynamics(&self, x: &Coordinates, qdd: &[f64]) -> Vec<f64> {
        let placed = Placed::new(self.model, self.tree, x, (self.state, 0.0));
        let mut loads = Vec::new();
        self.loads((x, &placed), 0.0, |_| true, &mut loads);
        inverse(self.tree, &placed, &loads, qdd)
    }
}
