//! What a problem is like.

use complementarity::{Matrix, Problem};
use serde::Serialize;

use crate::spectrum::eigenvalues;

/// Sizes, structure and conditioning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Facts {
    /// `lcp`, `mlcp` or `cone`.
    pub class: &'static str,
    /// Unknowns.
    pub size: usize,
    /// Contacts, where the problem says.
    pub contacts: Option<usize>,
    /// Unknowns without bounds: equations.
    pub equations: usize,
    /// `dense`, `sparse` or `factored`.
    pub storage: &'static str,
    /// Entries of A that are not zero.
    pub entries: usize,
    /// Smallest and largest size of an entry that is not zero.
    pub entry_range: Option<(f64, f64)>,
    /// `max |A - Aᵀ| / max |A|`.
    pub asymmetry: f64,
    /// Largest size of an entry of b.
    pub b_max: f64,
    /// Smallest and largest eigenvalue of the symmetric part, up to [`SPECTRUM`] unknowns.
    pub spectrum: Option<(f64, f64)>,
    /// How many of these eigenvalues are not zero (above 1e-12 of the largest), up to there.
    pub rank: Option<usize>,
    /// `positive definite`, `positive semidefinite` or `indefinite`, up to there.
    pub definiteness: Option<&'static str>,
}

/// Largest problem whose eigenvalues are computed.
pub const SPECTRUM: usize = 300;
/// What counts as zero, relative to the largest eigenvalue.
const ZERO: f64 = 1e-12;

impl Facts {
    /// Looks at a problem.
    pub fn of(problem: &Problem) -> Self {
        let a = problem.matrix().to_sparse();
        let sizes = || a.values.iter().map(|x| x.abs()).filter(|x| *x > 0.0);
        let largest = sizes().fold(0.0, f64::max);
        let smallest = sizes().fold(f64::INFINITY, f64::min);
        let mut difference = a.to_triplets();
        difference.extend(a.to_triplets().into_iter().map(|(i, j, x)| (j, i, -x)));
        let difference = complementarity::problem::Csc::from_triplets(a.rows, a.cols, &difference);
        let skew = difference.values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let (lower, upper) = problem.bounds();
        let free = |(l, u): &(&f64, &f64)| **l == f64::NEG_INFINITY && **u == f64::INFINITY;
        let equations = match problem {
            Problem::Cone(p) => p.b.len() - p.contacts.iter().map(|c| c.rows.len()).sum::<usize>(),
            _ => lower.iter().zip(&upper).filter(free).count(),
        };
        let values = (problem.size() <= SPECTRUM && problem.size() > 0)
            .then(|| eigenvalues(&problem.matrix().to_dense()));
        let spectrum = values.as_ref().and_then(|v| Some((*v.first()?, *v.last()?)));
        let size = |(a, b): (f64, f64)| a.abs().max(b.abs());
        Self {
            class: problem.class().as_str(),
            size: problem.size(),
            contacts: problem.n_contacts(),
            equations,
            storage: match problem.matrix() {
                Matrix::Dense(_) => "dense",
                Matrix::Sparse(_) => "sparse",
                Matrix::Factored(_) => "factored",
            },
            entries: sizes().count(),
            entry_range: (largest > 0.0).then_some((smallest, largest)),
            asymmetry: if largest > 0.0 { skew / largest } else { 0.0 },
            b_max: problem.b().iter().fold(0.0, |m, x| m.max(x.abs())),
            spectrum,
            rank: values
                .as_ref()
                .zip(spectrum)
                .map(|(v, s)| v.iter().filter(|x| x.abs() > ZERO * size(s)).count()),
            definiteness: spectrum.map(|s| match s.0 {
                least if least > ZERO * size(s) => "positive definite",
                least if least >= -ZERO * size(s) => "positive semidefinite",
                _ => "indefinite",
            }),
        }
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        let mut out = format!("{} unknowns", self.size);
        if let Some(contacts) = self.contacts {
            out += &format!(", {contacts} contacts");
        }
        if self.equations > 0 {
            out += &format!(", {} equations", self.equations);
        }
        out += &format!("; A {}, {} entries", self.storage, self.entries);
        if let Some((least, most)) = self.entry_range {
            out += &format!(" from {least:.1e} to {most:.1e}");
        }
        out += &match self.asymmetry {
            0.0 => ", symmetric".to_owned(),
            x => format!(", asymmetry {x:.1e}"),
        };
        if let (Some(kind), Some((least, most)), Some(rank)) =
            (self.definiteness, self.spectrum, self.rank)
        {
            out += &format!(", {kind} (eigenvalues {least:.1e} to {most:.1e}, rank {rank})");
        }
        out + &format!("; |b| {:.1e}", self.b_max)
    }
}
