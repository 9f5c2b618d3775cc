//! Splitting a problem into parts that do not touch each other (islands).

use crate::linalg::sets::Sets;
use crate::problem::{Cone, ConeRows, ContactRows, Csc, Factored, Lcp, Matrix, Mlcp, Problem};

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
            contact.rows.clone().for_each(|i| sets.join(contact.rows.start, i));
        }
    }
    match matrix {
        Matrix::Dense(a) => {
            for j in 0..n {
                for (i, _) in a.col(j).iter().enumerate().filter(|e| *e.1 != 0.0) {
                    sets.join(i, j);
                }
            }
        }
        Matrix::Sparse(a) => join_entries(a, &mut sets),
        Matrix::Factored(a) => {
            join_entries(&a.rest, &mut sets);
            for v in 0..a.left.cols {
                a.left.col(v).for_each(|(i, _)| sets.join(i, n + v));
            }
            for j in 0..n {
                a.right.col(j).for_each(|(v, _)| sets.join(j, n + v));
            }
        }
    }
    sets.groups(n)
}

fn join_entries(a: &Csc, sets: &mut Sets) {
    for j in 0..a.cols {
        a.col(j).filter(|e| e.1 != 0.0).for_each(|(i, _)| sets.join(i, j));
    }
}

/// Cuts parts out of one problem.
pub(crate) struct Cutter<'a> {
    problem: &'a Problem,
    /// Rows of J, where the matrix is factored.
    left_rows: Option<Csc>,
    place: Vec<usize>,
    velocity_place: Vec<usize>,
    contact_of: Vec<usize>,
    /// Parts up to this size are handed on as dense matrices.
    small: usize,
}

impl<'a> Cutter<'a> {
    pub(crate) fn new(problem: &'a Problem, small: usize) -> Self {
        let n = problem.size();
        let (left_rows, velocities) = match problem.matrix() {
            Matrix::Factored(a) => (Some(a.left.transpose()), a.right.rows),
            _ => (None, 0),
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
        Self { problem, left_rows, place, velocity_place, contact_of, small }
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
        match (whole, &self.left_rows) {
            (Matrix::Factored(a), Some(left_rows)) if k > self.small => {
                let velocities = &mut self.velocity_place;
                let mut count = 0;
                let mut number = |v: usize| {
                    if velocities[v] == usize::MAX {
                        velocities[v] = count;
                        count += 1;
                    }
                    velocities[v]
                };
                let (mut left, mut right, mut rest) = (vec![], vec![], vec![]);
                for (c, &i) in set.iter().enumerate() {
                    left.extend(left_rows.col(i).map(|(v, x)| (c, number(v), x)));
                    right.extend(a.right.col(i).map(|(v, x)| (number(v), c, x)));
                    let inside = a.rest.col(i).filter(|e| self.place[e.0] != usize::MAX);
                    rest.extend(inside.map(|(r, x)| (self.place[r], c, x)));
                }
                Matrix::Factored(Box::new(Factored {
                    left: Csc::from_triplets(k, count, &left),
                    right: Csc::from_triplets(count, k, &right),
                    rest: Csc::from_triplets(k, k, &rest),
                }))
            }
            (Matrix::Sparse(a), _) if k > self.small => {
                let mut entries = vec![];
                for (c, &j) in set.iter().enumerate() {
                    entries.extend(
                        a.col(j)
                            .filter(|e| e.1 != 0.0 && self.place[e.0] != usize::MAX)
                            .map(|(i, x)| (self.place[i], c, x)),
                    );
                }
                Matrix::Sparse(Csc::from_triplets(k, k, &entries))
            }
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
