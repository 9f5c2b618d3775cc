//! The mixed complementarity problem of a file.

use complementarity::nonlinear::{Map, Ncp, NonlinearError, NonlinearSettings, Report};
use complementarity::problem::Csc;
use complementarity::{Matrix, Watch};

use crate::nl::{Asked, Nl};

/// A file that is read, with a constraint for every variable.
pub struct Model {
    nl: Nl,
    /// The constraint of each variable, and what its body must equal.
    row_of: Vec<(usize, f64)>,
    /// The operations below each row, the last first.
    below: Vec<Vec<u32>>,
}

/// A file that is no mixed complementarity problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// Numbers do not match.
    #[error(
        "{equations} equations are left for {variables} variables that no constraint complements; \
         a mixed complementarity problem is square"
    )]
    Square {
        /// Equations without a variable.
        equations: usize,
        /// Variables without a constraint.
        variables: usize,
    },
    /// Two constraints for one variable.
    #[error("constraints {first} and {second} both complement variable {variable}")]
    Twice {
        /// The variable.
        variable: usize,
        /// One constraint.
        first: usize,
        /// The other.
        second: usize,
    },
    /// An inequality that complements nothing.
    #[error(
        "constraint {row} is an inequality that complements nothing: use `complements`, or an equation"
    )]
    Inequality {
        /// Which one.
        row: usize,
    },
}

impl Model {
    /// Pairs constraints with variables.
    pub fn new(nl: Nl) -> Result<Self, ModelError> {
        let n = nl.lower.len();
        let mut row_of: Vec<Option<(usize, f64)>> = vec![None; n];
        let mut equations = vec![];
        for (row, asked) in nl.constraints.iter().enumerate() {
            match *asked {
                Asked::Complements(variable) => match row_of[variable] {
                    None => row_of[variable] = Some((row, 0.0)),
                    Some((first, _)) => {
                        return Err(ModelError::Twice { variable, first, second: row });
                    }
                },
                Asked::Equal(value) => equations.push((row, value)),
                Asked::Between(low, high) if low == high => equations.push((row, low)),
                Asked::Between(..) => return Err(ModelError::Inequality { row }),
                Asked::Nothing => {}
            }
        }
        let left = row_of.iter().filter(|r| r.is_none()).count();
        if left != equations.len() {
            return Err(ModelError::Square { equations: equations.len(), variables: left });
        }
        let mut next = equations.into_iter();
        let row_of: Vec<(usize, f64)> =
            row_of.into_iter().filter_map(|r| r.or_else(|| next.next())).collect();
        let below = row_of.iter().map(|&(row, _)| nl.tape.below(nl.roots[row])).collect();
        Ok(Self { nl, row_of, below })
    }

    /// The file.
    pub fn nl(&self) -> &Nl {
        &self.nl
    }

    /// Solves from the start of the file.
    pub fn solve(
        &self,
        settings: &NonlinearSettings,
        watch: &mut dyn Watch,
    ) -> Result<Report, NonlinearError> {
        let (lower, upper) = (self.nl.lower.clone(), self.nl.upper.clone());
        Ncp { map: self, lower, upper }.solve(&self.nl.start, settings, watch)
    }
}

impl Map for Model {
    fn size(&self) -> usize {
        self.row_of.len()
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        let values = self.nl.tape.values(z);
        for (f, &(row, right)) in f.iter_mut().zip(&self.row_of) {
            let linear: f64 = self.nl.linear[row].iter().map(|&(j, a)| a * z[j]).sum();
            *f = values[self.nl.roots[row] as usize] + linear - right;
        }
    }

    fn jacobian(&self, z: &[f64]) -> Matrix {
        let n = self.size();
        let values = self.nl.tape.values(z);
        let mut slope = vec![0.0; values.len()];
        let mut entries = vec![];
        for (i, &(row, _)) in self.row_of.iter().enumerate() {
            entries.extend(self.nl.linear[row].iter().map(|&(j, a)| (i, j, a)));
            let add = |j: usize, d: f64| entries.push((i, j, d));
            self.nl.tape.derivatives(&self.below[i], &values, &mut slope, add);
        }
        let sparse = Matrix::Sparse(Csc::from_triplets(n, n, &entries));
        // small matrices are faster in full
        if n <= 60 { Matrix::Dense(sparse.to_dense()) } else { sparse }
    }
}
