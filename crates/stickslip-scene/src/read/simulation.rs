//! `[simulation]` and `[solver]`.

use stickslip::{
    Dimension, Settings,
    complementarity::{options, registry},
    formulate::{PenaltyPoints, PenaltySettings, SeparationSettings, StaticFriction},
    geometry::Vec3,
    model::{FrictionRule, RestitutionRule},
    settings::{Accuracy, Epsilon, Friction, Impact, OnUnsolved, ProblemForm},
};

use super::{
    pose::vector,
    reader::{Reader, Unchecked},
};
use crate::{
    diagnostic::{Log, Subject},
    node::{Node, Table, Value},
    place::Place,
    schema::{Kind, SIMULATION, World},
    suggest,
};

/// What `[simulation]` and `[solver]` say.
#[derive(Clone, Debug)]
pub(crate) struct ReadSimulation {
    pub world: World,
    pub dimension: Dimension,
    pub gravity: Vec3,
    pub friction_rule: FrictionRule,
    pub restitution_rule: RestitutionRule,
    pub settings: Settings,
    /// Where each key stands.
    places: Vec<(String, Place)>,
    /// Where the table stands.
    place: Place,
}

impl ReadSimulation {
    /// Where a key stands, or the table if it is not given.
    pub fn place_of(&self, key: &str) -> &Place {
        self.places.iter().find(|p| p.0 == key).map_or(&self.place, |p| &p.1)
    }
}

/// Reads both tables; either may be absent.
pub(crate) fn read(top: &Table, log: &mut Log<'_>) -> ReadSimulation {
    let empty = Table::default();
    let found = top.get("simulation");
    let table = found.and_then(Node::table).unwrap_or(&empty);
    let place = found.map_or(Place::START, |n| n.place.clone());
    // Everything else depends on the dimension; a wrong one is reported by the check below.
    let dimension =
        table.get("dimension").filter(|n| Kind::Dimension.check(n, World::Space).is_ok());
    let (world, dimension) = match dimension.and_then(Node::number) {
        Some(2.0) => (World::Plane, Dimension::Two),
        _ => (World::Space, Dimension::Three),
    };
    let subject = Subject::new("[simulation]", "simulation");
    let reader = Unchecked { table, subject, place, world }.check(&SIMULATION, &[], log);
    let mut settings = settings(&reader);
    settings.solver_options = solver(top, &reader, &settings, log);
    ReadSimulation {
        world,
        dimension,
        gravity: vector(&reader, "gravity").unwrap_or(dimension.default_gravity()),
        friction_rule: chosen(&reader, "friction_rule", FRICTION_RULES),
        restitution_rule: chosen(&reader, "restitution_rule", RESTITUTION_RULES),
        settings,
        places: table.entries.iter().map(|e| (e.key.clone(), e.node.place.clone())).collect(),
        place: reader.place,
    }
}

/// Words and what they stand for; the schema offers the same words.
type Words<T> = &'static [(&'static str, T)];

const FRICTION_RULES: Words<FrictionRule> = &[
    ("geometric-mean", FrictionRule::GeometricMean),
    ("product", FrictionRule::Product),
    ("min", FrictionRule::Min),
    ("max", FrictionRule::Max),
    ("mean", FrictionRule::Mean),
];
const RESTITUTION_RULES: Words<RestitutionRule> = &[
    ("max", RestitutionRule::Max),
    ("min", RestitutionRule::Min),
    ("mean", RestitutionRule::Mean),
    ("product", RestitutionRule::Product),
];
const FRICTIONS: Words<Friction> =
    &[("linear", Friction::Linear), ("quadratic", Friction::Quadratic), ("none", Friction::None)];
const IMPACTS: Words<Impact> = &[("newton", Impact::Newton), ("poisson", Impact::Poisson)];
const FORMS: Words<ProblemForm> =
    &[("condensed", ProblemForm::Condensed), ("full", ProblemForm::Full)];
const POINTS: Words<PenaltyPoints> =
    &[("bottom", PenaltyPoints::Bottom), ("deepest", PenaltyPoints::Deepest)];
const STATIC_FRICTIONS: Words<StaticFriction> = &[
    ("spring", StaticFriction::Spring),
    ("linear-system", StaticFriction::LinearSystem),
    ("none", StaticFriction::None),
];
const UNSOLVED: Words<OnUnsolved> = &[("report", OnUnsolved::Report), ("stop", OnUnsolved::Stop)];
const ACCURACY: Words<Accuracy> =
    &[("exact", Accuracy::Exact), ("balanced", Accuracy::Balanced), ("fast", Accuracy::Fast)];

fn chosen<T: Copy + Default>(reader: &Reader<'_>, key: &str, words: Words<T>) -> T {
    let word = reader.text(key);
    words.iter().find(|w| Some(w.0) == word).map_or_else(T::default, |w| w.1)
}

fn settings(reader: &Reader<'_>) -> Settings {
    let default = Settings::default();
    let text = |key: &str, default: String| reader.text(key).map_or(default, String::from);
    Settings {
        step: reader.number("step").unwrap_or(default.step),
        duration: reader.number("duration").unwrap_or(default.duration),
        formulation: text("formulation", default.formulation),
        solver: text("solver", default.solver),
        detector: text("detector", default.detector),
        friction: chosen(reader, "friction", FRICTIONS),
        friction_directions: reader
            .whole("friction_directions")
            .unwrap_or(default.friction_directions),
        epsilon: reader.number("epsilon").map_or(Epsilon::Auto, Epsilon::Fixed),
        impact: chosen(reader, "impact", IMPACTS),
        restitution_threshold: reader.number("restitution_threshold"),
        problem_form: chosen(reader, "problem_form", FORMS),
        implicit: reader.flag("implicit").unwrap_or(default.implicit),
        gyroscopic: reader.flag("gyroscopic").unwrap_or(default.gyroscopic),
        integrator: text("integrator", default.integrator),
        stabilization: text("stabilization", default.stabilization),
        on_unsolved: chosen(reader, "on_unsolved", UNSOLVED),
        accept_residual: reader.number("accept_residual").unwrap_or(default.accept_residual),
        accuracy: chosen(reader, "accuracy", ACCURACY),
        sleep: reader.flag("sleep").unwrap_or(default.sleep),
        rotation_tolerance: reader
            .number("rotation_tolerance")
            .unwrap_or(default.rotation_tolerance),
        separation: separation(reader),
        penalty: penalty(reader),
        threads: reader.whole("threads").unwrap_or(default.threads),
        ..default
    }
}

fn separation(reader: &Reader<'_>) -> SeparationSettings {
    let default = SeparationSettings::default();
    let number = |key: &str, default: f64| reader.number(key).unwrap_or(default);
    SeparationSettings {
        rounds: reader.whole("separation_rounds").unwrap_or(default.rounds),
        pile: reader.whole("separation_pile").unwrap_or(default.pile),
        motion: number("separation_motion", default.motion),
        quiet: number("separation_quiet", default.quiet),
        levers: number("separation_levers", default.levers),
    }
}

fn penalty(reader: &Reader<'_>) -> PenaltySettings {
    let default = PenaltySettings::default();
    let number = |key: &str, default: f64| reader.number(key).unwrap_or(default);
    PenaltySettings {
        points: chosen(reader, "points", POINTS),
        stiffness: number("penalty_stiffness", default.stiffness),
        damping: number("penalty_damping", default.damping),
        integral: number("penalty_integral", default.integral),
        forgetting: number("penalty_forgetting", default.forgetting),
        static_friction: chosen(reader, "penalty_friction", STATIC_FRICTIONS),
        impact_speed: number("penalty_impact_speed", default.impact_speed),
        static_mass: number("penalty_static_mass", default.static_mass),
    }
}

/// The settings of `[solver]`, as the chosen solver accepts them.
fn solver(
    top: &Table,
    simulation: &Reader<'_>,
    settings: &Settings,
    log: &mut Log<'_>,
) -> options::Options {
    let (mut options, subject) = (options::Options::new(), Subject::new("[solver]", "solver"));
    let entries = top.get("solver").and_then(Node::table).map_or(&[][..], |t| &t.entries);
    for entry in entries {
        if let Some(new) = options::respelled(&entry.key) {
            let (message, remedy) =
                (format!("`{}` is an old spelling", entry.key), format!("write `{new}`"));
            log.warning(&entry.key_place, &subject, new, message, remedy);
        }
        match &entry.node.value {
            Value::Flag(x) => options.set(&entry.key, *x),
            Value::Text(x) => options.set(&entry.key, x.as_str()),
            _ => match entry.node.number() {
                Some(x) => options.set(&entry.key, x),
                None => {
                    let found = entry.node.describe();
                    let message = format!("`{}` is {found}", entry.key);
                    let remedy = "it must be a number, true or false, or a text";
                    log.error(&entry.node.place, &subject, &entry.key, message, remedy);
                }
            },
        }
    }
    // A solver of a wrong name has been reported; its settings cannot be judged.
    let named = !simulation.has("solver") || simulation.text("solver").is_some();
    if let (true, Err(error)) = (named, registry::make(&settings.solver, &options)) {
        refused(&error, entries, &subject, log);
    }
    options
}

fn refused(
    error: &registry::RegistryError,
    entries: &[crate::node::Entry],
    subject: &Subject,
    log: &mut Log<'_>,
) {
    use registry::RegistryError as E;
    let key = match error {
        E::UnknownKey { key, .. } => key.as_str(),
        E::Type { error, .. } => error.key.as_str(),
        E::Range { key, .. } => key,
        E::UnknownSolver { .. } => "",
    };
    let entry = entries.iter().find(|e| e.key == key);
    let place = entry.map_or(&Place::START, |e| match error {
        E::UnknownKey { .. } => &e.key_place,
        _ => &e.node.place,
    });
    let (message, remedy) = match error {
        E::UnknownKey { solver, key, known, .. } => (
            format!("unknown key `{key}`"),
            suggest::remedy(key, known, &format!("keys of the solver `{solver}`")),
        ),
        E::Range { solver, key, value, range } => {
            (format!("`{key}` is {value}"), format!("the solver `{solver}` wants it {range}"))
        }
        _ => (error.to_string(), String::new()),
    };
    log.error(place, subject, key, message, remedy);
}
