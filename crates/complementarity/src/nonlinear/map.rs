//! The function F of a nonlinear problem.

use crate::problem::{Csc, Dense, Matrix};

/// The function F.
///
/// Where F is not defined it writes NaN or infinity: the methods step back from there.
pub trait Map {
    /// Number of unknowns.
    fn size(&self) -> usize;
    /// Writes F(z) into `f`.
    fn value(&self, z: &[f64], f: &mut [f64]);
    /// The Jacobian of F at z; by differences unless given ([`differences`]).
    fn jacobian(&self, z: &[f64]) -> Matrix {
        differences(self, z)
    }
}

/// The Jacobian by central differences with steps `h = eps^(1/3) max(1, |z_j|)`, on one side where
/// F is not finite on the other: 2 n values of F.
pub fn differences<M: Map + ?Sized>(map: &M, z: &[f64]) -> Matrix {
    let n = map.size();
    let mut a = Dense::zeros(n, n);
    let (mut x, mut here) = (z.to_vec(), vec![]);
    let (mut above, mut below) = (vec![0.0; n], vec![0.0; n]);
    for j in 0..n {
        let h = f64::EPSILON.cbrt() * z[j].abs().max(1.0);
        let (high, low) = (z[j] + h, z[j] - h);
        x[j] = high;
        map.value(&x, &mut above);
        x[j] = low;
        map.value(&x, &mut below);
        x[j] = z[j];
        let fine = |f: &[f64]| f.iter().all(|x| x.is_finite());
        let (mut first, mut last) = (low, high);
        if !fine(&above) || !fine(&below) {
            if here.is_empty() {
                here.resize(n, 0.0);
                map.value(z, &mut here);
            }
            if fine(&above) {
                below.copy_from_slice(&here);
                first = z[j];
            } else {
                above.copy_from_slice(&here);
                last = z[j];
            }
        }
        for i in 0..n {
            a.values[j * n + i] = (above[i] - below[i]) / (last - first);
        }
    }
    Matrix::Dense(a)
}

/// A Jacobian that is not finite: the runs end where they are. For maps whose Jacobian failed, at no cost that grows with
/// the number of unknowns.
pub fn undefined(n: usize) -> Matrix {
    Matrix::Sparse(Csc::from_triplets(n, n, &[(0, 0, f64::NAN)]))
}

type Jacobian = dyn Fn(&[f64]) -> Matrix;

/// F as a closure, with its Jacobian as another where there is one.
///
/// ```
/// use complementarity::nonlinear::{Function, Ncp, NonlinearSettings};
/// use complementarity::{Status, solver::NoWatch};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // exp(z) - 2 = 0, unless a bound is in the way
/// let f = Function::new(1, |z: &[f64], f: &mut [f64]| f[0] = z[0].exp() - 2.0);
/// let ncp = Ncp { map: &f, lower: vec![0.0], upper: vec![0.5] };
/// let found = ncp.solve(&[0.0], &NonlinearSettings::default(), &mut NoWatch)?;
/// assert_eq!((found.status, found.z), (Status::Solved, vec![0.5]));
/// # Ok(())
/// # }
/// ```
pub struct Function<F> {
    n: usize,
    f: F,
    jacobian: Option<Box<Jacobian>>,
}

impl<F: Fn(&[f64], &mut [f64])> Function<F> {
    /// F of `n` unknowns: `f(z, out)` writes n numbers.
    pub fn new(n: usize, f: F) -> Self {
        Self { n, f, jacobian: None }
    }

    /// The same with its Jacobian.
    #[must_use]
    pub fn with_jacobian(mut self, jacobian: impl Fn(&[f64]) -> Matrix + 'static) -> Self {
        self.jacobian = Some(Box::new(jacobian));
        self
    }
}

impl<F: Fn(&[f64], &mut [f64])> Map for Function<F> {
    fn size(&self) -> usize {
        self.n
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        (self.f)(z, f);
    }

    fn jacobian(&self, z: &[f64]) -> Matrix {
        match &self.jacobian {
            Some(jacobian) => jacobian(z),
            None => differences(self, z),
        }
    }
}

/// `F(z) + rho (z - anchor)`: better behaved than F, and the same at a solution that is its own
/// anchor.
pub(super) struct Proximal<'a> {
    pub(super) map: &'a dyn Map,
    pub(super) rho: f64,
    pub(super) anchor: Vec<f64>,
}

impl Map for Proximal<'_> {
    fn size(&self) -> usize {
        self.map.size()
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        self.map.value(z, f);
        for (f, (z, a)) in f.iter_mut().zip(z.iter().zip(&self.anchor)) {
            *f += self.rho * (z - a);
        }
    }

    fn jacobian(&self, z: &[f64]) -> Matrix {
        self.map.jacobian(z).shifted(self.rho)
    }
}
