//! Hands what was read to the engine, whose own checks come last.

use stickslip::{
    BodyInit, ForceInit, JointInit, Model, ModelBuilder, ModelError, Settings, Simulator, State,
    complementarity::{registry, solver::SolveError},
    geometry::overlap,
    model::{BodyId, Camera, MotorTarget},
    oracle,
    step::{Cause, SetupError},
};

use stickslip_urdf::Plan;

use crate::{
    diagnostic::{Log, Subject},
    place::Place,
    read::{
        Described, body::ReadBody, import::ReadImport, motor::ReadMotor, pair::ReadPair,
        simulation::ReadSimulation,
    },
    suggest,
};

/// Everything that the file says, each piece checked on its own.
pub(crate) struct Checked {
    pub simulation: ReadSimulation,
    pub description: String,
    pub camera: Option<Camera>,
    pub bodies: Vec<CheckedBody>,
    /// Their bodies come after those of the file, their joints before.
    pub imports: Vec<ReadImport>,
    pub ignored: Vec<(usize, usize)>,
    pub pairs: Vec<ReadPair>,
    pub joints: Vec<Described<JointInit>>,
    pub forces: Vec<Described<ForceInit>>,
    pub motors: Vec<ReadMotor>,
}

/// A body, and where to point when the engine refuses it.
pub(crate) struct CheckedBody {
    init: BodyInit,
    subject: Subject,
    place: Place,
    inertia_place: Place,
}

impl CheckedBody {
    /// `None` if something about it was wrong.
    pub fn new(body: ReadBody<'_>) -> Option<Self> {
        let ReadBody { subject, place, inertia_place, .. } = body;
        Some(Self { init: body.init?, subject, place, inertia_place })
    }
}

/// What the engine takes.
pub(crate) type Parts = (Model, State, Settings, Vec<Plan>);

/// The model and state at time zero; `None` after reporting why not.
pub(crate) fn build(checked: Checked, log: &mut Log<'_>) -> Option<Parts> {
    let Checked {
        simulation,
        description,
        camera,
        bodies,
        imports,
        ignored,
        pairs,
        joints,
        forces,
        motors,
    } = checked;
    let mut builder = ModelBuilder::new(simulation.dimension);
    builder
        .gravity(simulation.gravity)
        .describe(&description)
        .rules(simulation.friction_rule, simulation.restitution_rule);
    let mut places = Vec::new();
    for body in bodies {
        let CheckedBody { init, subject, place, inertia_place } = body;
        let name = init.body.name.clone();
        if let Err(error) = builder.add(init) {
            let (key, at) = match error {
                ModelError::Inertia { .. } => ("inertia", &inertia_place),
                _ => ("", &place),
            };
            let (message, prefix) = (error.to_string(), format!("body {name:?}: "));
            let message = message.strip_prefix(&prefix).unwrap_or(&message);
            log.error(at, &subject, key, message, "");
        }
        places.push((subject, place));
    }
    add_imports(&mut builder, &imports, &mut places, log);
    for (a, b) in ignored {
        builder.ignore(BodyId::new(a), BodyId::new(b));
    }
    for pair in pairs {
        let (a, b) = pair.bodies;
        builder.pair(BodyId::new(a), BodyId::new(b), pair.values);
    }
    add_each(joints, |init| builder.joint(init).map(drop), log);
    add_motors(&mut builder, motors, &imports, log);
    add_each(forces, |init| builder.force(init).map(drop), log);
    if !log.has_errors()
        && let Err(error) = builder.camera(camera)
    {
        let subject = Subject::new("[camera]", "camera");
        log.error(&Place::START, &subject, "", error.to_string(), "");
    }
    if log.has_errors() || !settings_work(&simulation, log) {
        return None;
    }
    let (model, state) = builder.build();
    warn_overlaps(&model, &state, &places, log);
    let plans = imports.into_iter().map(|i| i.plan).collect();
    Some((model, state, simulation.settings, plans))
}

fn add_imports(
    builder: &mut ModelBuilder,
    imports: &[ReadImport],
    places: &mut Vec<(Subject, Place)>,
    log: &mut Log<'_>,
) {
    if log.has_errors() {
        return;
    }
    for import in imports {
        if let Err(error) = import.plan.add_to(builder) {
            log.error(&import.place, &import.subject, "file", error.to_string(), "");
        }
        let place = || (import.subject.clone(), import.place.clone());
        places.extend(import.bodies.iter().map(|_| place()));
    }
}

/// Motors that stand by themselves; those of a robot have its force limits unless they give one.
fn add_motors(
    builder: &mut ModelBuilder,
    motors: Vec<ReadMotor>,
    imports: &[ReadImport],
    log: &mut Log<'_>,
) {
    if log.has_errors() {
        return;
    }
    let names: Vec<&String> = imports.iter().flat_map(|i| &i.joints).collect();
    for ReadMotor { joint, drive: (motor, path), subject, place } in motors {
        let limit = names.get(joint.index()).and_then(|name| {
            imports.iter().find_map(|i| i.plan.velocity_limits.get(*name).copied())
        });
        if let (Some(limit), MotorTarget::Velocity(wanted)) = (limit, motor.target)
            && wanted.abs() > limit
        {
            let message = format!(
                "`target_velocity` is {wanted}, above the limit {limit} that the robot's file \
                 gives: the motor keeps to the limit"
            );
            log.warning(&place, &subject, "target_velocity", message, "");
        }
        if let Err(error) = builder.drive(joint, motor, path) {
            log.error(&place, &subject, "joint", reason(&error), "");
        }
    }
}

/// Joints and forces go in once every body is there; a body that was refused leaves none to join.
fn add_each<T>(
    described: Vec<Described<T>>,
    mut add: impl FnMut(T) -> Result<(), ModelError>,
    log: &mut Log<'_>,
) {
    if log.has_errors() {
        return;
    }
    for Described { init, subject, place } in described {
        if let Err(error) = add(init) {
            log.error(&place, &subject, "", reason(&error), "");
        }
    }
}

/// Why the engine refuses something that the subject names.
fn reason(error: &ModelError) -> String {
    match error {
        ModelError::Joint { reason, .. } | ModelError::Force { reason, .. } => reason.clone(),
        _ => error.to_string(),
    }
}

/// Whether formulation, solver and the rest go together: tried on an empty scene.
fn settings_work(simulation: &ReadSimulation, log: &mut Log<'_>) -> bool {
    let (model, state) = ModelBuilder::new(simulation.dimension).build();
    let mut remedy = String::new();
    let (key, message) = match Simulator::new(model, state, simulation.settings.clone()) {
        Err(error) => {
            remedy = other_solvers(&error);
            (blamed(&error), error.to_string())
        }
        Ok(mut simulator) => match simulator.step() {
            Ok(_) => return true,
            Err(error) => match error.cause {
                Cause::Formulate(cause) => ("formulation", cause.to_string()),
                Cause::Collide(cause) => ("detector", cause.to_string()),
                Cause::Solve(cause) => ("solver", cause.to_string()),
                cause => ("", cause.to_string()),
            },
        },
    };
    let subject = Subject::new("[simulation]", "simulation");
    log.error(simulation.place_of(key), &subject, key, message, remedy);
    false
}

/// The solvers that take the class of problems which the chosen one does not.
fn other_solvers(error: &SetupError) -> String {
    let SetupError::Solver(SolveError::Class { class, .. }) = error else {
        return String::new();
    };
    let able = registry::info().iter().filter(|info| info.classes.contains(class));
    let names: Vec<&str> = able.map(|info| info.name).collect();
    format!("solvers that do: {}", suggest::list(&names))
}

/// The key that a setup error is about.
fn blamed(error: &SetupError) -> &'static str {
    match error {
        SetupError::Settings(error) => error.key,
        SetupError::Model(_) => "",
        SetupError::Collide(_) => "detector",
        SetupError::Formulate(_) => "formulation",
        SetupError::Registry(_) | SetupError::Solver(_) => "solver",
        SetupError::Integrate(_) => "integrator",
        SetupError::Stabilize(_) => "stabilization",
    }
}

/// Overlaps deeper than this are told: less is the rounding of positions that mean to touch.
const TOUCHING: f64 = 1e-9;

fn warn_overlaps(model: &Model, state: &State, places: &[(Subject, Place)], log: &mut Log<'_>) {
    let world = model.dimension();
    let mut pairs = oracle::near_pairs(model, state);
    // Told at the later of the two.
    pairs.sort_unstable_by_key(|&(a, b)| (b, a));
    for (a, b) in pairs {
        let of = |id: BodyId| (&model.body(id).shape, state.pose(id));
        let ((shape_a, pose_a), (shape_b, pose_b)) = (of(a), of(b));
        let depth = overlap::shape_overlap(world, shape_a, pose_a, shape_b, pose_b).depth;
        if depth > TOUCHING {
            let (subject, place) = &places[b.index()];
            let other = &model.body(a).name;
            let message = format!("overlaps body {other:?} by {depth:.3e} m at the start");
            let remedy = "move them apart, or list one in the other's `ignore`";
            log.warning(place, subject, "position", message, remedy);
        }
    }
}
