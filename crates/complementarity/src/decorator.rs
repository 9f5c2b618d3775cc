//! Listens to the solves of another solver, or changes them.
//!
//! ```
//! use complementarity::{Options, registry, decorator::Decorator};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut sizes = Vec::new();
//! let mut solver = registry::make("auto", &Options::new())?;
//! Decorator::put(&mut solver, move |inner, problem, z0, watch| {
//!     sizes.push(problem.size());
//!     inner.solve(problem, z0, watch)
//! });
//! # Ok(())
//! # }
//! ```

use crate::{
    problem::{ContactProblem, Problem, ProblemClass},
    solver::{Ask, ContactSolution, Solution, SolveError, Solver, Watch, solve_reduced},
};

/// Goes by the name of the solver inside and takes what that takes; `around` is called for every
/// problem, with the solver inside to solve it by. Contacts are reduced to a problem for it, unless
/// [`with_contacts`](Decorator::with_contacts) says what is called for them as they are.
pub struct Decorator<F> {
    inner: Box<dyn Solver>,
    around: F,
    contacts: Option<Box<AroundContacts>>,
}

/// Called for contacts, with the solver inside to solve them by.
pub type AroundContacts = dyn FnMut(
        &mut dyn Solver,
        &ContactProblem,
        &[[f64; 3]],
        &Ask,
        &mut dyn Watch,
    ) -> Result<ContactSolution, SolveError>
    + Send;

impl<F> Decorator<F>
where
    F: FnMut(&mut dyn Solver, &Problem, &[f64], &mut dyn Watch) -> Result<Solution, SolveError>
        + Send,
{
    /// A decorator around a solver.
    pub fn new(inner: Box<dyn Solver>, around: F) -> Self {
        Self { inner, around, contacts: None }
    }

    /// The same decorator, listening to [`Solver::solve_contacts`] as well.
    pub fn with_contacts(mut self, around: Box<AroundContacts>) -> Self {
        self.contacts = Some(around);
        self
    }

    /// Puts a decorator around the solver that is in a place.
    pub fn put(place: &mut Box<dyn Solver>, around: F)
    where
        F: 'static,
    {
        let inner = std::mem::replace(place, Box::new(Placeholder));
        *place = Box::new(Self { inner, around, contacts: None });
    }

    /// The same with something to be called for contacts.
    pub fn put_with_contacts(place: &mut Box<dyn Solver>, around: F, contacts: Box<AroundContacts>)
    where
        F: 'static,
    {
        let inner = std::mem::replace(place, Box::new(Placeholder));
        *place = Box::new(Self::new(inner, around).with_contacts(contacts));
    }
}

impl<F> Solver for Decorator<F>
where
    F: FnMut(&mut dyn Solver, &Problem, &[f64], &mut dyn Watch) -> Result<Solution, SolveError>
        + Send,
{
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        self.inner.accepts()
    }

    fn solve(
        &mut self,
        problem: &Problem,
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        (self.around)(self.inner.as_mut(), problem, z0, watch)
    }

    fn solve_contacts(
        &mut self,
        problem: &ContactProblem,
        start: &[[f64; 3]],
        ask: &Ask,
        watch: &mut dyn Watch,
    ) -> Result<ContactSolution, SolveError> {
        match &mut self.contacts {
            Some(around) => around(self.inner.as_mut(), problem, start, ask, watch),
            None => solve_reduced(self, problem, start, ask, watch),
        }
    }

    fn reuse(&mut self, solution: ContactSolution) {
        self.inner.reuse(solution);
    }
}

/// Keeps a place while its solver is being wrapped.
struct Placeholder;

impl Solver for Placeholder {
    fn name(&self) -> &'static str {
        "none"
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        &[]
    }

    fn solve(
        &mut self,
        problem: &Problem,
        _: &[f64],
        _: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        Err(SolveError::Class { solver: self.name(), class: problem.class() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lcp, Matrix, Options, problem::Dense, registry, solver::NoWatch};

    /// Contacts reach the solver inside: as they are where the decorator asks for them, else as a problem
    /// that the decorator sees.
    #[test]
    fn contacts_pass_through() -> Result<(), Box<dyn std::error::Error>> {
        let mut problem = ContactProblem::new(1);
        problem.push(crate::Law::FRICTIONLESS, &[0], &[2.0], [-1.0, 0.0, 0.0])?;
        let (sender, heard) = std::sync::mpsc::channel();
        for listens in [false, true] {
            let mut solver = registry::make("lemke", &Options::new())?;
            let (sender, general) = (sender.clone(), sender.clone());
            let reduced =
                move |inner: &mut dyn Solver, p: &Problem, z0: &[f64], watch: &mut dyn Watch| {
                    let told = general.send(10 + p.size());
                    told.map_err(|e| SolveError::Custom(e.to_string()))?;
                    inner.solve(p, z0, watch)
                };
            match listens {
                false => Decorator::put(&mut solver, reduced),
                true => Decorator::put_with_contacts(
                    &mut solver,
                    reduced,
                    Box::new(move |inner, problem, start, ask, watch| {
                        let told = sender.send(problem.len());
                        told.map_err(|e| SolveError::Custom(e.to_string()))?;
                        inner.solve_contacts(problem, start, ask, watch)
                    }),
                ),
            }
            let found = solver.solve_contacts(&problem, &[], &Ask::default(), &mut NoWatch)?;
            assert_eq!((found.impulses, found.solver), (vec![[0.25, 0.0, 0.0]], "lemke"));
        }
        assert_eq!(heard.try_iter().collect::<Vec<_>>(), [11, 1]);
        Ok(())
    }

    /// What comes out is what the solver inside gives; the decorator saw each problem and its solution.
    #[test]
    fn hears_and_passes_on() -> Result<(), Box<dyn std::error::Error>> {
        let a = Dense::from_rows(&[&[2.0, 1.0], &[1.0, 2.0]]);
        let problem = Problem::Lcp(Lcp::new(Matrix::Dense(a), vec![-5.0, -6.0])?);
        let mut plain = registry::make("lemke", &Options::new())?;
        let expected = plain.solve(&problem, &[], &mut NoWatch)?;
        let (sender, heard) = std::sync::mpsc::channel();
        let mut solver = registry::make("lemke", &Options::new())?;
        Decorator::put(&mut solver, move |inner, problem, z0, watch| {
            let solution = inner.solve(problem, z0, watch)?;
            let told = sender.send((problem.size(), solution.z.clone()));
            told.map_err(|e| SolveError::Custom(e.to_string()))?;
            Ok(solution)
        });
        assert_eq!((solver.name(), solver.accepts()), (plain.name(), plain.accepts()));
        for _ in 0..2 {
            assert_eq!(solver.solve(&problem, &[], &mut NoWatch)?, expected);
            assert_eq!(heard.try_recv()?, (2, expected.z.clone()));
        }
        Ok(())
    }
}
