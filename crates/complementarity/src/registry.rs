//! The only list of solver names.

use crate::active_set::ActiveSet;
use crate::auto::Auto;
use crate::cone::{Admm, NcpPgs, NonsmoothNewton};
use crate::contact::ProximalNewton;
use crate::interior_point::InteriorPoint;
use crate::newton::{FischerNewton, Homotopy, MinmapNewton};
use crate::nsgs::Nsgs;
use crate::options::{Options, TypeError, Value};
use crate::pivoting::{Enumerate, Lemke, Pivotal};
use crate::problem::ProblemClass;
use crate::solver::Solver;
use crate::splitting::{ColoredPgs, FixedPoint, Jacobi, Pgs, Prox, Psor, Staggered};
use crate::suggest::closest;

/// One setting of a solver, for help texts and error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: &'static str,
    /// What it does, its range and its default.
    pub doc: &'static str,
}

/// What there is to know about a solver without making one.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The name.
    pub name: &'static str,
    /// The classes it takes.
    pub classes: &'static [ProblemClass],
    /// One line.
    pub summary: &'static str,
    /// The keys it knows.
    pub settings: &'static [Setting],
    make: fn(&Reader<'_>) -> Result<Box<dyn Solver>, RegistryError>,
}

/// A name or a setting that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RegistryError {
    /// No solver of that name.
    #[error("unknown solver {name:?}{}; known: {}", did_you_mean(.suggestion), .known.join(", "))]
    UnknownSolver {
        /// The name given.
        name: String,
        /// The closest known name, if any is close.
        suggestion: Option<&'static str>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// The solver does not know this setting.
    #[error("{solver} has no setting {key:?}{}; known: {}", did_you_mean(.suggestion), .known.join(", "))]
    UnknownKey {
        /// The solver.
        solver: &'static str,
        /// The key given.
        key: String,
        /// The closest known key, if any is close.
        suggestion: Option<&'static str>,
        /// All keys.
        known: Vec<&'static str>,
    },
    /// A setting of the wrong type.
    #[error("{solver}: {error}")]
    Type {
        /// The solver.
        solver: &'static str,
        /// Key, value and types.
        error: TypeError,
    },
    /// A setting out of its range.
    #[error("{solver}: {key} = {value}, but it must be {range}")]
    Range {
        /// The solver.
        solver: &'static str,
        /// The key.
        key: &'static str,
        /// What was given.
        value: String,
        /// What would be right.
        range: &'static str,
    },
}

fn did_you_mean(suggestion: &Option<&'static str>) -> String {
    suggestion.map_or_else(String::new, |s| format!(" (did you mean {s:?}?)"))
}

/// The stopping tolerance, the same for every method.
pub(crate) const TOLERANCE: Setting = Setting {
    key: "tolerance",
    doc: "natural residual accepted, see residual::target; in (0, 1) (default 1e-8)",
};

/// The acceptable tolerance.
pub(crate) const ACCEPTABLE: Setting = Setting {
    key: "acceptable_tolerance",
    doc: "residual accepted where the tolerance costs too much to reach; 0 means the tolerance",
};

/// The limit on iterations.
pub(crate) const MAX_ITERATIONS: Setting =
    Setting { key: "max_iterations", doc: "limit on the iterations; 0 means the method's own" };

const TABLE: &[Info] = &[
    Info {
        name: "auto",
        classes: Auto::CLASSES,
        summary: "splits into independent parts, picks by size and structure, falls back",
        settings: Auto::SETTINGS,
        make: |r| Ok(Box::new(Auto::from_options(r)?)),
    },
    Info {
        name: "proximal-newton",
        classes: ProximalNewton::CLASSES,
        summary: "Newton on the velocities of bodies in contact, proximal point on the impulses",
        settings: ProximalNewton::SETTINGS,
        make: |r| Ok(Box::new(ProximalNewton::from_options(r)?)),
    },
    Info {
        name: "nsgs",
        classes: Nsgs::CLASSES,
        summary: "accelerated Gauss-Seidel over contacts, each solved by itself; for large piles",
        settings: Nsgs::SETTINGS,
        make: |r| Ok(Box::new(Nsgs::from_options(r)?)),
    },
    Info {
        name: "pivotal",
        classes: Pivotal::CLASSES,
        summary: "path of pivots on a sparse factorised basis, with crash start and restarts",
        settings: Pivotal::SETTINGS,
        make: |r| Ok(Box::new(Pivotal::from_options(r)?)),
    },
    Info {
        name: "lemke",
        classes: Lemke::CLASSES,
        summary: "Lemke's complementary pivoting on a dense tableau with lexicographic ties",
        settings: Lemke::SETTINGS,
        make: |r| Ok(Box::new(Lemke::from_options(r)?)),
    },
    Info {
        name: "pgs",
        classes: Pgs::CLASSES,
        summary: "projected Gauss-Seidel; contacts are solved block by block",
        settings: Pgs::SETTINGS,
        make: |r| Ok(Box::new(Pgs::from_options(r)?)),
    },
    Info {
        name: "psor",
        classes: Psor::CLASSES,
        summary: "projected successive over-relaxation; contacts are solved block by block",
        settings: Psor::SETTINGS,
        make: |r| Ok(Box::new(Psor::from_options(r)?)),
    },
    Info {
        name: "colored-pgs",
        classes: ColoredPgs::CLASSES,
        summary: "Gauss-Seidel in colors of contacts that share no body, on many threads",
        settings: ColoredPgs::SETTINGS,
        make: |r| Ok(Box::new(ColoredPgs::from_options(r)?)),
    },
    Info {
        name: "jacobi",
        classes: Jacobi::CLASSES,
        summary: "projected Jacobi; the order of rows does not matter",
        settings: Jacobi::SETTINGS,
        make: |r| Ok(Box::new(Jacobi::from_options(r)?)),
    },
    Info {
        name: "fixed-point",
        classes: FixedPoint::CLASSES,
        summary: "projection with an adaptive step (extragradient)",
        settings: FixedPoint::SETTINGS,
        make: |r| Ok(Box::new(FixedPoint::from_options(r)?)),
    },
    Info {
        name: "interior-point",
        classes: InteriorPoint::CLASSES,
        summary: "predictor-corrector interior point, in the velocities where A is factored",
        settings: InteriorPoint::SETTINGS,
        make: |r| Ok(Box::new(InteriorPoint::from_options(r)?)),
    },
    Info {
        name: "active-set",
        classes: ActiveSet::CLASSES,
        summary: "active sets with multigrid, for large sparse M-matrices: obstacles, options",
        settings: ActiveSet::SETTINGS,
        make: |r| Ok(Box::new(ActiveSet::from_options(r)?)),
    },
    Info {
        name: "fischer-newton",
        classes: FischerNewton::CLASSES,
        summary: "Newton on the function of Fischer and Burmeister, with a line search",
        settings: FischerNewton::SETTINGS,
        make: |r| Ok(Box::new(FischerNewton::from_options(r)?)),
    },
    Info {
        name: "minmap-newton",
        classes: MinmapNewton::CLASSES,
        summary: "Newton on the min map, with a line search",
        settings: MinmapNewton::SETTINGS,
        make: |r| Ok(Box::new(MinmapNewton::from_options(r)?)),
    },
    Info {
        name: "homotopy",
        classes: Homotopy::CLASSES,
        summary: "a smooth curve to the solution; for full matrices that are not monotone",
        settings: Homotopy::SETTINGS,
        make: |r| Ok(Box::new(Homotopy::from_options(r)?)),
    },
    Info {
        name: "staggered",
        classes: Staggered::CLASSES,
        summary: "normal impulses and friction in turn, two convex problems",
        settings: Staggered::SETTINGS,
        make: |r| Ok(Box::new(Staggered::from_options(r)?)),
    },
    Info {
        name: "ncp-pgs",
        classes: NcpPgs::CLASSES,
        summary: "nonlinear Gauss-Seidel over friction cones with an exact local solve",
        settings: NcpPgs::SETTINGS,
        make: |r| Ok(Box::new(NcpPgs::from_options(r)?)),
    },
    Info {
        name: "nonsmooth-newton",
        classes: NonsmoothNewton::CLASSES,
        summary: "Newton on Alart and Curnier's function, with Gauss-Seidel as a safeguard",
        settings: NonsmoothNewton::SETTINGS,
        make: |r| Ok(Box::new(NonsmoothNewton::from_options(r)?)),
    },
    Info {
        name: "prox",
        classes: Prox::CLASSES,
        summary: "projection onto the friction cones with an adaptive step",
        settings: Prox::SETTINGS,
        make: |r| Ok(Box::new(Prox::from_options(r)?)),
    },
    Info {
        name: "admm",
        classes: Admm::CLASSES,
        summary: "alternating directions of multipliers for friction cones",
        settings: Admm::SETTINGS,
        make: |r| Ok(Box::new(Admm::from_options(r)?)),
    },
    Info {
        name: "enumerate",
        classes: Enumerate::CLASSES,
        summary: "tries every complementary basis of a tiny problem; proves that there is no solution",
        settings: Enumerate::SETTINGS,
        make: |r| Ok(Box::new(Enumerate::from_options(r)?)),
    },
];

/// The names in the order of the documentation.
pub fn names() -> Vec<&'static str> {
    TABLE.iter().map(|info| info.name).collect()
}

/// All solvers.
pub fn info() -> &'static [Info] {
    TABLE
}

/// The solver of that name with those settings.
pub fn make(name: &str, options: &Options) -> Result<Box<dyn Solver>, RegistryError> {
    let Some(info) = TABLE.iter().find(|info| info.name == name) else {
        let known = names();
        let suggestion = closest(name, known.iter().copied());
        return Err(RegistryError::UnknownSolver { name: name.to_owned(), suggestion, known });
    };
    for (key, _) in options.iter() {
        if !info.settings.iter().any(|s| s.key == key) {
            return Err(RegistryError::UnknownKey {
                solver: info.name,
                key: key.to_owned(),
                suggestion: closest(key, info.settings.iter().map(|s| s.key)),
                known: info.settings.iter().map(|s| s.key).collect(),
            });
        }
    }
    (info.make)(&Reader { solver: info.name, options })
}

/// Reads settings on behalf of one solver and says its name in every error.
pub(crate) struct Reader<'a> {
    solver: &'static str,
    options: &'a Options,
}

impl Reader<'_> {
    /// A number within `ok`, or `default`.
    pub(crate) fn number(
        &self,
        key: &'static str,
        default: f64,
        ok: fn(f64) -> bool,
        range: &'static str,
    ) -> Result<f64, RegistryError> {
        match self.options.number(key).map_err(|error| self.wrong(error))? {
            None => Ok(default),
            Some(x) if ok(x) => Ok(x),
            Some(x) => Err(self.range(key, x, range)),
        }
    }

    /// A whole number, or `default`.
    pub(crate) fn count(&self, key: &'static str, default: usize) -> Result<usize, RegistryError> {
        let found = self.options.count(key).map_err(|error| self.wrong(error))?;
        Ok(found.unwrap_or(default))
    }

    /// Yes or no, or `default`.
    pub(crate) fn flag(&self, key: &'static str, default: bool) -> Result<bool, RegistryError> {
        let found = self.options.flag(key).map_err(|error| self.wrong(error))?;
        Ok(found.unwrap_or(default))
    }

    /// One of the words in `choices`, or the first.
    pub(crate) fn choice(
        &self,
        key: &'static str,
        choices: &[&'static str],
        range: &'static str,
    ) -> Result<&'static str, RegistryError> {
        match self.options.text(key).map_err(|error| self.wrong(error))? {
            None => Ok(choices[0]),
            Some(x) => {
                choices.iter().find(|c| **c == x).copied().ok_or_else(|| self.range(key, x, range))
            }
        }
    }

    /// The stopping tolerance on the scaled natural residual.
    pub(crate) fn tolerance(&self, default: f64) -> Result<f64, RegistryError> {
        self.number("tolerance", default, |x| x > 0.0 && x < 1.0, "in (0, 1)")
    }

    /// The acceptable tolerance.
    pub(crate) fn acceptable(&self) -> Result<f64, RegistryError> {
        self.number("acceptable_tolerance", 0.0, |x| (0.0..1.0).contains(&x), "in [0, 1)")
    }

    fn range(
        &self,
        key: &'static str,
        value: impl Into<Value>,
        range: &'static str,
    ) -> RegistryError {
        let value = value.into().to_string();
        RegistryError::Range { solver: self.solver, key, value, range }
    }

    fn wrong(&self, error: TypeError) -> RegistryError {
        RegistryError::Type { solver: self.solver, error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_and_keys_get_a_suggestion() {
        let error = make("lemk", &Options::new()).err().unwrap();
        assert!(error.to_string().contains("did you mean \"lemke\""), "{error}");
        let error = make("pgs", &Options::new().with("tolerence", 1e-6)).err().unwrap();
        assert!(error.to_string().contains("did you mean \"tolerance\""), "{error}");
        assert!(error.to_string().contains("max_iterations"), "{error}");
    }

    #[test]
    fn bad_values_name_the_solver_and_the_range() {
        let error = make("psor", &Options::new().with("relaxation", 2.5)).err().unwrap();
        assert!(error.to_string().contains("psor: relaxation = 2.5"), "{error}");
        let error = make("pgs", &Options::new().with("max_iterations", "many")).err().unwrap();
        assert!(error.to_string().contains("whole number"), "{error}");
    }

    #[test]
    fn every_solver_is_made_by_its_name() {
        for name in names() {
            assert_eq!(make(name, &Options::new()).unwrap().name(), name);
        }
    }
}
