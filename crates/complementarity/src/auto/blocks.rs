//! Splitting a problem into parts that do not touch each other (islands).

use std::iter::once;

use crate::problem::{Cone, ConeRows, ContactRows, Csc, Factored, Lcp, Matrix, Mlcp, Problem};
use crate::sets::Sets;

/// The index sets of the independent parts, in the order of their first unknown. A factored
/// matrix is not multiplied out: rows meet in the velocities they share.
pub(crate) fn split(problem: &Problem) -> Vec<Vec<usize>> {
    let n = problem.size();
    let matrix = problem.matrix();
    let extra = match matrix {
        Matrix::Factored(a) => a.right.rows,
        _ => 0,
    };
    let mut sets = Sets::new(n + extra);
    if let Problem::Cone(p) = problem {
        for contact in &p.contacts {
            sets.join_all(contact.rows.clone());
        }
    }
    match matrix {
        Matrix::Dense(a) => {
            for j in 0..n {
                let met = a.col(j).iter().enumerate().filter(|e| *e.1 != 0.0);
                sets.join_all(once(j).chain(met.map(|(i, _)| i)));
            }
        }
        Matrix::Sparse(a) => join_entries(a, &mut sets),
        Matrix::Factored(a) => {
            join_entries(&a.d_block, &mut sets);
            for v in 0..a.left.cols {
                sets.join_all(once(n + v).chain(a.left.col(v).map(|(i, _)| i)));
            }
            for j in 0..n {
                sets.join_all(once(j).chain(a.right.col(j).map(|(v, _)| n + v)));
            }
        }
    }
    sets.groups(n)
}

fn join_entries(a: &Csc, sets: &mut Sets) {
    for j in 0..a.cols {
        sets.join_all(once(j).chain(a.col(j).filter(|e| e.1 != 0.0).map(|(i, _)| i)));
    }
}

/// Cuts parts out of one problem.
pub(crate) struct Cutter<'a> {
    problem: &'a Problem,
    place: Vec<usize>,
    velocity_place: Vec<usize>,
    contact_of: Vec<usize>,
    /// Parts up to this size are handed on as dense matrices.
    small: usize,
}

impl<'a> Cutter<'a> {
    pub(crate) fn new(problem: &'a Problem, small: usize) -> Self {
        let n = problem.size();
        let velocities = match problem.matrix() {
            Matrix::Factored(a) => a.right.rows,
            _ => 0,
        };
        let mut contact_of = vec![usize::MAX; n];
        for (c, contact) in problem.contacts().iter().enumerate() {
            if contact.normal < n {
                contact_of[contact.normal] = c;
            }
        }
        if let Problem::Cone(p) = problem {
            p.contacts.iter().enumerate().for_each(|(c, k)| contact_of[k.rows.start] = c);
        }
        let (place, velocity_place) = (vec![usize::MAX; n], vec![usize::MAX; velocities]);
        Self { problem, place, velocity_place, contact_of, small }
    }

    /// The part with the unknowns in `set` (sorted); what other unknowns add is left out.
    pub(crate) fn cut(&mut self, set: &[usize]) -> Problem {
        for (k, &i) in set.iter().enumerate() {
            self.place[i] = k;
        }
        let matrix = self.matrix(set);
        let contacts = self.contacts(set);
        let pick = |x: &[f64]| set.iter().map(|&i| x[i]).collect::<Vec<f64>>();
        let part = match self.problem {
            Problem::Lcp(p) => Problem::Lcp(Lcp { matrix, b: pick(&p.b), contacts }),
            Problem::Mlcp(p) => {
                let (b, lower, upper) = (pick(&p.b), pick(&p.lower), pick(&p.upper));
                Problem::Mlcp(Mlcp { matrix, b, lower, upper, contacts })
            }
            Problem::Cone(p) => {
                let (b, lower, upper) = (pick(&p.b), pick(&p.lower), pick(&p.upper));
                let contacts = self.cones(set, &p.contacts);
                Problem::Cone(Cone { matrix, b, contacts, lower, upper })
            }
        };
        for &i in set {
            self.place[i] = usize::MAX;
        }
        part
    }

    fn matrix(&mut self, set: &[usize]) -> Matrix {
        let whole = self.problem.matrix();
        let k = set.len();
        match whole {
            Matrix::Factored(a) if k > self.small => self.factored(a, set),
            Matrix::Sparse(a) if k > self.small => Matrix::Sparse(self.columns(a, set)),
            _ => {
                let mut values = vec![0.0; k * k];
                for (c, &j) in set.iter().enumerate() {
                    whole.for_column(j, |i, x| {
                        let r = self.place[i];
                        if r != usize::MAX {
                            values[c * k + r] += x;
                        }
                    });
                }
                Matrix::Dense(crate::problem::Dense { rows: k, cols: k, values })
            }
        }
    }

    /// Only velocities that the unknowns push matter to what the part does to itself.
    fn factored(&mut self, a: &Factored, set: &[usize]) -> Matrix {
        let mut velocities = vec![];
        for (v, _) in set.iter().flat_map(|&i| a.right.col(i)) {
            if self.velocity_place[v] == usize::MAX {
                self.velocity_place[v] = 0;
                velocities.push(v);
            }
        }
        velocities.sort_unstable();
        velocities.iter().enumerate().for_each(|(k, &v)| self.velocity_place[v] = k);
        let places = &self.velocity_place;
        let parts = Factored {
            left: picked(&a.left, &velocities, set.len(), &self.place),
            right: picked(&a.right, set, velocities.len(), places),
            d_block: self.columns(&a.d_block, set),
        };
        velocities.iter().for_each(|&v| self.velocity_place[v] = usize::MAX);
        Matrix::Factored(Box::new(parts))
    }

    /// Rows and columns in `set`.
    fn columns(&self, a: &Csc, set: &[usize]) -> Csc {
        picked(a, set, set.len(), &self.place)
    }

    /// The rows of a contact are never parted, and `set` is sorted: they stay together.
    fn cones(&self, set: &[usize], all: &[ConeRows]) -> Vec<ConeRows> {
        let inside = set.iter().filter(|&&i| self.contact_of[i] != usize::MAX);
        inside
            .map(|&i| {
                let c = &all[self.contact_of[i]];
                let first = self.place[i];
                ConeRows { rows: first..first + c.rows.len(), ..c.clone() }
            })
            .collect()
    }

    fn contacts(&self, set: &[usize]) -> Vec<ContactRows> {
        let all = self.problem.contacts();
        if all.is_empty() {
            return vec![];
        }
        let mut out = vec![];
        for &i in set.iter().filter(|&&i| self.contact_of[i] != usize::MAX) {
            let c = &all[self.contact_of[i]];
            let at = |i: usize| self.place.get(i).copied().filter(|p| *p != usize::MAX);
            let first = if c.friction.is_empty() { Some(0) } else { at(c.friction.start) };
            let slip = c.slip.map(at);
            // the rows of a contact belong to one part unless mu is zero and they do not meet
            if let (Some(normal), Some(first), Some(Some(_)) | None) = (at(c.normal), first, slip) {
                let friction = first..first + c.friction.len();
                let whole = c.friction.clone().zip(friction.clone()).all(|(i, p)| at(i) == Some(p));
                if whole {
                    out.push(ContactRows { normal, friction, slip: slip.flatten(), mu: c.mu });
                }
            }
        }
        out
    }
}

/// These columns, with row `i` at `place[i]` of `rows`; rows without a place are left out.
fn picked(a: &Csc, columns: &[usize], rows: usize, place: &[usize]) -> Csc {
    let room = columns.iter().map(|&j| a.start[j + 1] - a.start[j]).sum();
    let (mut index, mut values) = (Vec::with_capacity(room), Vec::with_capacity(room));
    let mut start = Vec::with_capacity(columns.len() + 1);
    start.push(0);
    for &j in columns {
        for (i, x) in a.col(j) {
            if place[i] != usize::MAX && x != 0.0 {
                index.push(place[i]);
                values.push(x);
            }
        }
        start.push(index.len());
    }
    Csc { rows, cols: columns.len(), start, index, values }
}
