//! A problem of contacts as units of one to three rows over velocities of unit mass.

use super::root;
use crate::linalg::sets::mostly_different;
use crate::problem::{Cone, ContactRows, Csc, Factored, Law, Problem};

/// Rows that are projected together.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) law: Law,
    /// The velocities it touches, growing.
    pub(crate) columns: Vec<usize>,
    /// Its rows of J over those, one after the other: normal, tangents.
    pub(crate) j: Vec<f64>,
    pub(crate) b: [f64; 3],
    /// `tr(J Jᵀ)` over the number of rows: the inverse of the mass that the unit feels.
    pub(crate) scale: f64,
    place: Place,
}

/// Where the unknowns of a unit stand in the problem.
#[derive(Clone, Debug)]
enum Place {
    Row(usize),
    Cone(std::ops::Range<usize>),
    Pyramid(ContactRows),
}

/// All units.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub(crate) units: Vec<Unit>,
    pub(crate) velocities: usize,
    size: usize,
}

/// Rows of a pyramid must lie on a regular polygon this closely.
const REGULAR: f64 = 1e-9;

impl System {
    /// `None` where the problem is not of this form: `J Jᵀ` with the laws of contacts and bounded
    /// rows only.
    pub(crate) fn read(problem: &Problem) -> Option<Self> {
        let factors = root::of(problem)?;
        let a = factors.as_ref();
        let (lower, upper) = problem.bounds();
        let compliance = compliances(problem, &a.rest)?;
        let (velocities, size) = (a.right.rows, problem.size());
        let largest = problem.b().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let (b, units, owned) = (problem.b(), vec![], vec![false; size]);
        let mut reader = Reader { a, b, largest, units, owned };
        match problem {
            Problem::Cone(cone) => reader.cones(cone)?,
            _ => {
                for contact in problem.contacts() {
                    let rows = || std::iter::once(contact.normal).chain(contact.friction.clone());
                    let mut all = rows().chain(contact.slip);
                    if all.any(|i| lower[i] != 0.0 || upper[i] != f64::INFINITY) {
                        return None;
                    }
                    reader.pyramid(contact)?;
                }
            }
        }
        for i in 0..size {
            if !reader.owned[i] {
                let law =
                    Law::Interval { lower: lower[i], upper: upper[i], compliance: compliance[i] };
                reader.push(law, vec![a.right.col(i).collect()], &[i], Place::Row(i));
            }
        }
        Some(Self { units: reader.units, velocities, size })
    }

    /// Whether most contacts are the only one between their bodies, as with balls.
    pub(crate) fn is_loose(&self) -> bool {
        mostly_different(self.units.iter().map(|u| u.columns.as_slice()))
    }

    /// Whether some friction cone is round: two tangential rows and no corners.
    pub(crate) fn has_discs(&self) -> bool {
        self.units.iter().any(|u| matches!(u.law, Law::Disc { .. }) && u.dim() == 3)
    }

    /// Impulses of the units from the unknowns of the problem.
    pub(crate) fn impulses(&self, z: &[f64]) -> Vec<[f64; 3]> {
        let of = |unit: &Unit| {
            let mut p = [0.0; 3];
            match &unit.place {
                Place::Row(i) => p[0] = z[*i],
                Place::Cone(rows) => p.iter_mut().zip(&z[rows.clone()]).for_each(|(p, z)| *p = *z),
                Place::Pyramid(contact) => {
                    p[0] = z[contact.normal];
                    let beta = &z[contact.friction.clone()];
                    let sector = std::f64::consts::TAU / beta.len().max(1) as f64;
                    for (k, b) in beta.iter().enumerate() {
                        let (sin, cos) = (k as f64 * sector).sin_cos();
                        p[1] += b * cos;
                        p[2] += b * sin;
                    }
                    if unit.dim() < 3 {
                        p[2] = 0.0;
                    }
                }
            }
            p
        };
        self.units.iter().map(of).collect()
    }

    /// Unknowns of the problem from impulses and the velocities `u = J v + b` they lead to.
    pub(crate) fn unknowns(&self, p: &[[f64; 3]], u: &[[f64; 3]]) -> Vec<f64> {
        let mut z = vec![0.0; self.size];
        for ((unit, p), u) in self.units.iter().zip(p).zip(u) {
            match &unit.place {
                Place::Row(i) => z[*i] = p[0],
                Place::Cone(rows) => {
                    z[rows.clone()].copy_from_slice(&p[..rows.len()]);
                }
                Place::Pyramid(contact) => {
                    z[contact.normal] = p[0];
                    spread(p, &mut z[contact.friction.clone()]);
                    if let Some(slip) = contact.slip {
                        z[slip] = unit.law.slip(*u).max(0.0);
                    }
                }
            }
        }
        z
    }

    /// `J v + b` of every unit.
    pub(crate) fn speeds(&self, v: &[f64]) -> Vec<[f64; 3]> {
        self.units
            .iter()
            .map(|unit| {
                let mut u = unit.times(v);
                u.iter_mut().zip(unit.b).for_each(|(u, b)| *u += b);
                u
            })
            .collect()
    }

    /// `Jᵀ p`.
    pub(crate) fn motion(&self, p: &[[f64; 3]]) -> Vec<f64> {
        let mut v = vec![0.0; self.velocities];
        for (unit, p) in self.units.iter().zip(p) {
            let m = unit.columns.len();
            for (row, p) in unit.j.chunks_exact(m.max(1)).zip(p).filter(|e| *e.1 != 0.0) {
                row.iter().zip(&unit.columns).for_each(|(j, &c)| v[c] += j * p);
            }
        }
        v
    }
}

impl Unit {
    /// Number of its rows.
    pub(crate) fn dim(&self) -> usize {
        self.j.len() / self.columns.len().max(1)
    }

    /// `J x`.
    pub(crate) fn times(&self, x: &[f64]) -> [f64; 3] {
        let mut out = [0.0; 3];
        for (row, o) in self.j.chunks_exact(self.columns.len().max(1)).zip(&mut out) {
            *o = row.iter().zip(&self.columns).map(|(j, &c)| j * x[c]).sum();
        }
        out
    }
}

impl Unit {
    /// Replaces some of the impulses `p` by `next` and adds to the velocities what that changes.
    pub(super) fn push(
        &self,
        next: &[f64; 3],
        p: &mut [f64; 3],
        rows: std::ops::Range<usize>,
        v: &mut [f64],
    ) {
        let m = self.columns.len();
        for i in rows {
            let change = next[i] - p[i];
            p[i] = next[i];
            let row = &self.j[i * m..(i + 1) * m];
            row.iter().zip(&self.columns).for_each(|(j, &c)| v[c] += j * change);
        }
    }
}

/// Parts of a tangential impulse along the corners of the polygon on both sides of it.
fn spread(p: &[f64; 3], beta: &mut [f64]) {
    let n = beta.len();
    if n == 2 {
        (beta[0], beta[1]) = (p[1].max(0.0), (-p[1]).max(0.0));
    } else if n > 2 {
        let sector = std::f64::consts::TAU / n as f64;
        let length = p[1].hypot(p[2]);
        let turn = p[2].atan2(p[1]).rem_euclid(std::f64::consts::TAU) / sector;
        let k = turn.floor();
        let angle = (turn - k) * sector;
        let k = (k as usize) % n;
        beta[k] = length * (sector - angle).sin() / sector.sin();
        beta[(k + 1) % n] = length * angle.sin() / sector.sin();
    }
}

/// The diagonal of D outside the contacts; `None` where D holds anything else but their cones.
fn compliances(problem: &Problem, rest: &Csc) -> Option<Vec<f64>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Role {
        None,
        Normal(usize),
        Friction(usize),
        Slip(usize),
    }
    let mut role = vec![Role::None; problem.size()];
    let mut expected = 0;
    for (c, contact) in problem.contacts().iter().enumerate() {
        role[contact.normal] = Role::Normal(c);
        contact.friction.clone().for_each(|i| role[i] = Role::Friction(c));
        if let Some(slip) = contact.slip {
            role[slip] = Role::Slip(c);
            expected += 2 * contact.friction.len() + usize::from(contact.mu != 0.0);
        }
    }
    if let Problem::Cone(cone) = problem {
        for (c, contact) in cone.contacts.iter().enumerate() {
            contact.rows.clone().for_each(|i| role[i] = Role::Normal(c));
        }
    }
    let mut out = vec![0.0; problem.size()];
    let mut seen = 0;
    for (i, j, x) in rest.to_triplets() {
        let fits = match (role[i], role[j]) {
            (Role::None, Role::None) if i == j && x >= 0.0 => {
                out[i] = x;
                continue;
            }
            (Role::Slip(a), Role::Normal(b)) => a == b && x == problem.contacts()[a].mu,
            (Role::Friction(a), Role::Slip(b)) => a == b && x == 1.0,
            (Role::Slip(a), Role::Friction(b)) => a == b && x == -1.0,
            _ => x == 0.0,
        };
        if !fits {
            return None;
        }
        seen += usize::from(x != 0.0);
    }
    (seen == expected).then_some(out)
}

type Column = Vec<(usize, f64)>;

struct Reader<'a> {
    a: &'a Factored,
    b: &'a [f64],
    /// Largest entry of b.
    largest: f64,
    units: Vec<Unit>,
    owned: Vec<bool>,
}

impl Reader<'_> {
    /// A unit with these rows of J; `rows` are where their b stands.
    fn push(&mut self, law: Law, columns: Vec<Column>, rows: &[usize], place: Place) {
        let mut b = [0.0; 3];
        b.iter_mut().zip(rows).for_each(|(b, &i)| *b = self.b[i]);
        rows.iter().for_each(|&i| self.owned[i] = true);
        self.units.push(unit(law, &columns, b, place));
    }

    fn cones(&mut self, cone: &Cone) -> Option<()> {
        for contact in &cone.contacts {
            let rows: Vec<usize> = contact.rows.clone().collect();
            let law = match rows.len() {
                1 => Law::Interval { lower: 0.0, upper: f64::INFINITY, compliance: 0.0 },
                2 | 3 => Law::Disc { mu: contact.mu },
                _ => return None,
            };
            let columns = rows.iter().map(|&i| self.a.right.col(i).collect()).collect();
            self.push(law, columns, &rows, Place::Cone(contact.rows.clone()));
        }
        Some(())
    }

    fn pyramid(&mut self, contact: &ContactRows) -> Option<()> {
        let normal: Column = self.a.right.col(contact.normal).collect();
        let place = Place::Pyramid(contact.clone());
        let (n, first) = (contact.friction.len(), contact.friction.start);
        if n == 0 {
            let law = Law::Interval { lower: 0.0, upper: f64::INFINITY, compliance: 0.0 };
            self.push(law, vec![normal], &[contact.normal], place);
            return Some(());
        }
        let slip = contact.slip?;
        if n == 1 || self.b[slip] != 0.0 {
            return None;
        }
        let law = match n {
            2 => Law::Disc { mu: contact.mu },
            _ => Law::Polygon { mu: contact.mu, corners: n },
        };
        let sector = std::f64::consts::TAU / n as f64;
        let mut b = [self.b[contact.normal], self.b[first], 0.0];
        let mut columns = vec![normal, self.a.right.col(first).collect()];
        if n > 2 {
            let (sin, cos) = sector.sin_cos();
            let mut second: Column =
                self.a.right.col(first + 1).map(|(v, x)| (v, x / sin)).collect();
            second.extend(columns[1].iter().map(|&(v, x)| (v, -x * cos / sin)));
            columns.push(second);
            b[2] = (self.b[first + 1] - cos * self.b[first]) / sin;
        }
        let unit = unit(law, &columns, b, place);
        let limit = REGULAR * unit.scale.sqrt();
        for k in 1..n {
            let (sin, cos) = (k as f64 * sector).sin_cos();
            let m = unit.columns.len();
            let mut off: Vec<f64> = (0..m)
                .map(|c| cos * unit.j[m + c] + if n > 2 { sin * unit.j[2 * m + c] } else { 0.0 })
                .collect();
            for (v, x) in self.a.right.col(first + k) {
                off[unit.columns.binary_search(&v).ok()?] -= x;
            }
            let b_off = self.b[first + k] - cos * b[1] - sin * b[2];
            let regular = off.iter().all(|x| x.abs() <= limit);
            if !regular || b_off.abs() > 1e-3 * REGULAR * self.largest {
                return None;
            }
        }
        contact.friction.clone().for_each(|i| self.owned[i] = true);
        (self.owned[contact.normal], self.owned[slip]) = (true, true);
        self.units.push(unit);
        Some(())
    }
}

fn unit(law: Law, rows: &[Column], b: [f64; 3], place: Place) -> Unit {
    let mut columns: Vec<usize> = rows.iter().flatten().map(|e| e.0).collect();
    columns.sort_unstable();
    columns.dedup();
    let m = columns.len();
    let mut j = vec![0.0; rows.len() * m];
    for (r, row) in rows.iter().enumerate() {
        for (v, x) in row {
            if let Ok(at) = columns.binary_search(v) {
                j[r * m + at] += x;
            }
        }
    }
    let trace = j.iter().map(|x| x * x).sum::<f64>() / rows.len() as f64;
    Unit { law, columns, j, b, scale: if trace > 0.0 { trace } else { 1.0 }, place }
}
