//! `[simulation]` and `[solver]`.

use super::{FROM_ENGINE, Field, Kind, Range, Section, field};

pub(crate) const SIMULATION: Section = Section {
    title: "[simulation]",
    doc: "How to simulate. The short form `--set step=0.002` reaches these keys.",
    fields: FIELDS,
};

pub(crate) const SOLVER: Section = Section {
    title: "[solver]",
    doc: "Settings of the solver that `simulation.solver` names. Each solver has its own keys, \
          listed below; a key that the chosen solver does not know is an error.",
    fields: &[],
};

const FIELDS: &[Field] = &[
    field(
        "dimension",
        Kind::Dimension,
        "",
        "3",
        "2 or 3; in 2D vectors have 2 numbers, and angles, spins, torques and inertias are single numbers",
    ),
    field("step", Kind::Number(Range::Positive), "s", "0.01", "time step h"),
    field("duration", Kind::Number(Range::NotNegative), "s", "1.0", "how long to simulate"),
    field(
        "gravity",
        Kind::Vector(Range::Any),
        "m/s^2",
        "[0, 0, -9.81], or [0, -9.81] in 2D",
        "acceleration of free fall",
    ),
    field(
        "formulation",
        Kind::Choice(names::formulations),
        "",
        FROM_ENGINE,
        "how contacts become a complementarity problem",
    ),
    field("solver", Kind::Choice(names::solvers), "", FROM_ENGINE, "how the problem is solved"),
    field(
        "detector",
        Kind::Choice(names::detectors),
        "",
        FROM_ENGINE,
        "how potential contacts are found",
    ),
    field(
        "friction",
        Kind::Choice(names::frictions),
        "",
        "\"linear\"",
        "friction cone: \"linear\" with `friction_directions` edges, \"quadratic\" the true one, \"none\"",
    ),
    field(
        "friction_directions",
        Kind::Whole(3, 1000),
        "",
        "7",
        "edges of the linear cone in 3D; in 2D there are always two",
    ),
    field(
        "epsilon",
        Kind::NumberOr(Range::Positive, "auto"),
        "m",
        "\"auto\"",
        "contact distance; \"auto\" is what a point can travel in a step",
    ),
    field(
        "friction_rule",
        Kind::Choice(names::friction_rules),
        "",
        "\"geometric-mean\"",
        "how the friction coefficients of two bodies combine",
    ),
    field(
        "restitution_rule",
        Kind::Choice(names::restitution_rules),
        "",
        "\"max\"",
        "how the restitution coefficients of two bodies combine",
    ),
    field(
        "impact",
        Kind::Choice(names::impacts),
        "",
        "\"newton\"",
        "law of impact: restitution of speeds (\"newton\") or of impulses (\"poisson\")",
    ),
    field(
        "restitution_threshold",
        Kind::NumberOr(Range::NotNegative, "auto"),
        "m/s",
        "\"auto\"",
        "approach speed below which nothing rebounds; \"auto\" is |g| h",
    ),
    field(
        "problem_form",
        Kind::Choice(names::problem_forms),
        "",
        "\"condensed\"",
        "velocities eliminated (\"condensed\") or kept as unknowns (\"full\")",
    ),
    field(
        "stabilization",
        Kind::Choice(names::stabilizers),
        "",
        "\"shake\"",
        "how joints that drifted are brought back together",
    ),
    field(
        "integrator",
        Kind::Choice(names::integrators),
        "",
        "\"auto\"",
        "how bodies move along their velocities",
    ),
    field(
        "implicit",
        Kind::Flag,
        "",
        "false",
        "`separation` and `peg`: gaps at the end of the step, to round-off, which removes the error of linearised rotations",
    ),
    field("gyroscopic", Kind::Flag, "", "true", "whether the gyroscopic torque acts"),
    field(
        "on_unsolved",
        Kind::Choice(names::on_unsolved),
        "",
        "\"report\"",
        "after a solve that missed its tolerance: count it and go on (\"report\"), or \"stop\"",
    ),
    field(
        "rotation_tolerance",
        Kind::Number(Range::Positive),
        "",
        "1e-6",
        "`separation` and `peg`: overlap left to linearised rotations, as a fraction of the smaller body's size",
    ),
    field(
        "accept_residual",
        Kind::Number(Range::Positive),
        "",
        "1e-6",
        "residual above which a solve counts as failed",
    ),
    field(
        "accuracy",
        Kind::Choice(names::accuracy),
        "",
        "\"balanced\"",
        "work that a step may take where many bodies touch: \"exact\", \"balanced\" (positions exact, friction within a budget) or \"fast\"",
    ),
    field(
        "sleep",
        Kind::Flag,
        "",
        "true",
        "`separation`: bodies at rest stay as they are, without a solve, until something happens to them",
    ),
    field(
        "separation_rounds",
        Kind::Whole(1, 1000),
        "",
        "12",
        "`separation`: solves with other axes, and linearizations at the end of the step, after which the motion is taken as it is",
    ),
    field(
        "separation_pile",
        Kind::Whole(0, 1_000_000),
        "",
        "20",
        "`separation`: near pairs above which the work of a step is bounded",
    ),
    field(
        "separation_motion",
        Kind::Number(Range::NotNegative),
        "",
        "1.05",
        "`separation`: how many times `g h` a contact of such a scene is fast that is in motion",
    ),
    field(
        "separation_quiet",
        Kind::Number(Range::NotNegative),
        "s",
        "0.2",
        "`separation`: how long bodies must be still to rest",
    ),
    field(
        "separation_levers",
        Kind::Number(Range::NotNegative),
        "",
        "50",
        "`separation`: how many times the residual of their contacts bodies at rest may move",
    ),
    field(
        "points",
        Kind::Choice(names::penalty_points),
        "",
        "\"bottom\"",
        "`penalty` only: forces at all points on the \"bottom\" of the shared volume, or at the \"deepest\" alone",
    ),
    field(
        "penalty_stiffness",
        Kind::Number(Range::Positive),
        "1/s^2",
        "100",
        "`penalty` only: proportional gain per mass of the two bodies",
    ),
    field(
        "penalty_damping",
        Kind::Number(Range::NotNegative),
        "1/s",
        "50",
        "`penalty` only: derivative gain per mass of the two bodies",
    ),
    field(
        "penalty_integral",
        Kind::Number(Range::NotNegative),
        "1/s^2",
        "2",
        "`penalty` only: gain of the sum of past depths, per mass of the two bodies and step",
    ),
    field(
        "penalty_forgetting",
        Kind::Number(Range::NotNegative),
        "",
        "0.85",
        "`penalty` only: factor, below 1, by which past depths are forgotten in each step",
    ),
    field(
        "penalty_friction",
        Kind::Choice(names::static_frictions),
        "",
        "\"spring\"",
        "`penalty` only: what holds bodies that do not slip: a \"spring\", a \"linear-system\", or \"none\"",
    ),
    field(
        "penalty_impact_speed",
        Kind::Number(Range::NotNegative),
        "m/s",
        "1e-6",
        "`penalty` only: approach speed above which a new contact is an impact",
    ),
    field(
        "penalty_static_mass",
        Kind::Number(Range::NotNegative),
        "",
        "4",
        "`penalty` only: mass of a static body in the gains, in units of the other body's",
    ),
    field(
        "threads",
        Kind::Whole(0, 4096),
        "",
        "0",
        "threads; 0 means all cores; results do not depend on it",
    ),
];

/// The words that choose between alternatives, from the registries of the engine.
pub(crate) mod names {
    use stickslip::{
        collide, complementarity::registry as solvers, formulate, integrate, registry, stabilize,
    };

    pub fn formulations() -> Vec<&'static str> {
        registry::names(formulate::FORMULATIONS).collect()
    }

    pub fn solvers() -> Vec<&'static str> {
        solvers::names()
    }

    pub fn detectors() -> Vec<&'static str> {
        registry::names(collide::DETECTORS).collect()
    }

    pub fn frictions() -> Vec<&'static str> {
        vec!["linear", "quadratic", "none"]
    }

    pub fn friction_rules() -> Vec<&'static str> {
        vec!["geometric-mean", "product", "min", "max", "mean"]
    }

    pub fn restitution_rules() -> Vec<&'static str> {
        vec!["max", "min", "mean", "product"]
    }

    pub fn impacts() -> Vec<&'static str> {
        vec!["newton", "poisson"]
    }

    pub fn problem_forms() -> Vec<&'static str> {
        vec!["condensed", "full"]
    }

    pub fn on_unsolved() -> Vec<&'static str> {
        vec!["report", "stop"]
    }

    pub fn accuracy() -> Vec<&'static str> {
        vec!["exact", "balanced", "fast"]
    }

    pub fn penalty_points() -> Vec<&'static str> {
        vec!["bottom", "deepest"]
    }

    pub fn static_frictions() -> Vec<&'static str> {
        vec!["spring", "linear-system", "none"]
    }

    pub fn stabilizers() -> Vec<&'static str> {
        registry::names(stabilize::STABILIZATIONS).collect()
    }

    pub fn integrators() -> Vec<&'static str> {
        registry::names(integrate::INTEGRATORS).collect()
    }
}
