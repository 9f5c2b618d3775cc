//! Reads the contacts that an LCP, a mixed LCP or a cone problem was made of.

use std::ops::ControlFlow;

use super::root;
use crate::problem::{Cone, ContactProblem, ContactRows, Csc, Factored, Law, Problem};
use crate::reduce::Place;
use crate::solver::Watch;

/// The contacts that a problem was made of, and where their unknowns stand in it.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub(crate) contacts: ContactProblem,
    places: Vec<Place>,
    size: usize,
}

/// Other path: rows of a pyramid must lie on a regular polygon this closely.
const REGULAR: f64 = 1e-9;

impl System {
    /// `None` where the problem is not of this form: `J Jᵀ` with the laws of contacts and bounded
    /// rows only.
    pub(crate) fn read(problem: &Problem) -> Option<Self> {
        let factors = root::of(problem)?;
        let a = factors.as_ref();
        let (lower, upper) = problem.bounds();
        let compliance = compliances(problem, &a.d_block)?;
        let (velocities, size) = (a.right.rows, problem.size());
        let largest = problem.b().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let (b, places, owned) = (problem.b(), vec![], vec![false; size]);
        let contacts = ContactProblem::new(velocities);
        let mut reader = Reader { a, b, largest, contacts, places, owned };
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
                reader.push(law, &[a.right.col(i).collect()], &[i], Place::Row(i))?;
            }
        }
        Some(Self { contacts: reader.contacts, places: reader.places, size })
    }

    /// Impulses of the contacts from the unknowns of the problem.
    pub(crate) fn impulses(&self, z: &[f64]) -> Vec<[f64; 3]> {
        self.places.iter().map(|place| place.read(z)).collect()
    }

    /// Shows impulses to `watch` as unknowns of the problem.
    pub(crate) fn watch<'a>(&'a self, watch: &'a mut dyn Watch) -> Unknowns<'a> {
        Unknowns { system: self, watch }
    }

    /// Unknowns of the problem from impulses, with the slips that they lead to.
    pub(crate) fn unknowns(&self, p: &[[f64; 3]]) -> Vec<f64> {
        let v = self.contacts.motion(p);
        let mut z = vec![0.0; self.size];
        for (c, (place, p)) in self.places.iter().zip(p).enumerate() {
            place.write(p, &mut z);
            if let Place::Pyramid(ContactRows { slip: Some(slip), .. }) = place {
                z[*slip] = self.contacts.law(c).slip(self.contacts.speed(c, &v)).max(0.0);
            }
        }
        z
    }
}

/// Shows impulses as the unknowns of the problem that the contacts were read from.
pub(crate) struct Unknowns<'a> {
    system: &'a System,
    watch: &'a mut dyn Watch,
}

impl Watch for Unknowns<'_> {
    fn iterate(&mut self, k: usize, p: &[f64]) -> ControlFlow<()> {
        let p: Vec<[f64; 3]> = p.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
        self.watch.iterate(k, &self.system.unknowns(&p))
    }

    fn wants_iterates(&self) -> bool {
        self.watch.wants_iterates()
    }

    fn stops(&mut self) -> bool {
        self.watch.stops()
    }
}

/// The diagonal of D outside the contacts; `None` where D holds anything else but their cones.
fn compliances(problem: &Problem, d_block: &Csc) -> Option<Vec<f64>> {
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
    for (i, j, x) in d_block.to_triplets() {
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
    contacts: ContactProblem,
    places: Vec<Place>,
    owned: Vec<bool>,
}

impl Reader<'_> {
    /// A block with these rows of J; `rows` are where their b stands.
    fn push(&mut self, law: Law, columns: &[Column], rows: &[usize], place: Place) -> Option<()> {
        let mut b = [0.0; 3];
        b.iter_mut().zip(rows).for_each(|(b, &i)| *b = self.b[i]);
        rows.iter().for_each(|&i| self.owned[i] = true);
        let (columns, j) = together(columns);
        self.places.push(place);
        self.contacts.push(law, &columns, &j, b).ok()
    }

    fn cones(&mut self, cone: &Cone) -> Option<()> {
        for contact in &cone.contacts {
            let rows: Vec<usize> = contact.rows.clone().collect();
            let law = match rows.len() {
                1 => Law::FRICTIONLESS,
                2 | 3 => Law::Disc { mu: contact.mu },
                _ => return None,
            };
            let columns: Vec<Column> =
                rows.iter().map(|&i| self.a.right.col(i).collect()).collect();
            self.push(law, &columns, &rows, Place::Cone(contact.rows.clone()))?;
        }
        Some(())
    }

    fn pyramid(&mut self, contact: &ContactRows) -> Option<()> {
        let normal: Column = self.a.right.col(contact.normal).collect();
        let place = Place::Pyramid(contact.clone());
        let (n, first) = (contact.friction.len(), contact.friction.start);
        if n == 0 {
            return self.push(Law::FRICTIONLESS, &[normal], &[contact.normal], place);
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
        let (columns, j) = together(&columns);
        let limit = REGULAR * scale(&j, columns.len()).sqrt();
        for k in 1..n {
            let (sin, cos) = (k as f64 * sector).sin_cos();
            let m = columns.len();
            let mut off: Vec<f64> = (0..m)
                .map(|c| cos * j[m + c] + if n > 2 { sin * j[2 * m + c] } else { 0.0 })
                .collect();
            for (v, x) in self.a.right.col(first + k) {
                off[columns.binary_search(&u32::try_from(v).ok()?).ok()?] -= x;
            }
            let b_off = self.b[first + k] - cos * b[1] - sin * b[2];
            let regular = off.iter().all(|x| x.abs() <= limit);
            if !regular || b_off.abs() > 1e-3 * REGULAR * self.largest {
                return None;
            }
        }
        contact.friction.clone().for_each(|i| self.owned[i] = true);
        (self.owned[contact.normal], self.owned[slip]) = (true, true);
        self.places.push(place);
        self.contacts.push(law, &columns, &j, b).ok()
    }
}

/// The velocities that some rows touch, growing, and the rows over those.
fn together(rows: &[Column]) -> (Vec<u32>, Vec<f64>) {
    let mut columns: Vec<u32> = rows.iter().flatten().map(|e| e.0 as u32).collect();
    columns.sort_unstable();
    columns.dedup();
    let m = columns.len();
    let mut j = vec![0.0; rows.len() * m];
    for (r, row) in rows.iter().enumerate() {
        for (v, x) in row {
            if let Ok(at) = columns.binary_search(&(*v as u32)) {
                j[r * m + at] += x;
            }
        }
    }
    (columns, j)
}

/// `tr(J Jᵀ)` over the number of rows: the inverse of the mass that a contact feels.
pub(super) fn scale(rows: &[f64], columns: usize) -> f64 {
    let trace = rows.iter().map(|x| x * x).sum::<f64>() / (rows.len() / columns.max(1)) as f64;
    if trace > 0.0 { trace } else { 1.0 }
}
