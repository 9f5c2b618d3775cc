//! Runs one scene with Rapier: JSON on standard input, states and CPU times as little-endian f64 on
//! standard output. `runner.py` says what the numbers are.

use std::io::{Error, Read, Write};

use rapier3d_f64::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Scene {
    variant: String,
    step: f64,
    steps: usize,
    seconds: f64,
    gravity: [f64; 3],
    bodies: Vec<Item>,
    joints: Vec<Hinge>,
}

#[derive(Deserialize)]
struct Item {
    position: [f64; 3],
    quaternion: [f64; 4],
    velocity: [f64; 3],
    spin: [f64; 3],
    mass: f64,
    inertia: [f64; 3],
    friction: f64,
    half: Option<[f64; 3]>,
    points: Option<Vec<[f64; 3]>>,
    triangles: Option<Vec<[u32; 3]>>,
}

#[derive(Deserialize)]
struct Hinge {
    parent: i64,
    child: usize,
    anchor: [f64; 3],
    axis: [f64; 3],
}

fn vector(v: [f64; 3]) -> Vector {
    Vector::new(v[0], v[1], v[2])
}

fn pose(item: &Item) -> Pose {
    let [w, x, y, z] = item.quaternion;
    Pose::from_parts(vector(item.position), Rotation::from_xyzw(x, y, z, w).normalize())
}

fn parameters(scene: &Scene) -> IntegrationParameters {
    let mut out = IntegrationParameters::default();
    (out.dt, out.min_ccd_dt) = (scene.step, scene.step / 100.0);
    if scene.variant == "accurate" {
        out.num_solver_iterations = if scene.bodies.len() > 15 { 20 } else { 50 };
        out.num_internal_pgs_iterations = 4;
        out.num_internal_stabilization_iterations = 2;
        let stiff = 0.02 * out.num_solver_iterations as f64 / scene.step;
        out.contact_softness = SpringCoefficients::new(stiff, 5.0);
        out.static_contact_softness = SpringCoefficients::new(stiff, 5.0);
        out.normalized_allowed_linear_error = 1e-4;
    }
    out
}

fn collider(item: &Item, accurate: bool) -> Result<ColliderBuilder, String> {
    let points = || item.points.iter().flatten().map(|&p| vector(p)).collect::<Vec<_>>();
    let shape = match (&item.half, &item.triangles) {
        (Some(h), _) => ColliderBuilder::cuboid(h[0], h[1], h[2]),
        (None, Some(t)) => {
            let flags =
                if accurate { TriMeshFlags::FIX_INTERNAL_EDGES } else { TriMeshFlags::empty() };
            ColliderBuilder::trimesh_with_flags(points(), t.clone(), flags)
                .map_err(|e| format!("mesh: {e:?}"))?
        }
        (None, None) => ColliderBuilder::convex_hull(&points()).ok_or("no hull")?,
    };
    Ok(shape.density(0.0).friction(item.friction).restitution(0.0))
}

fn joints(scene: &Scene, world: &mut PhysicsWorld, bodies: &[RigidBodyHandle]) {
    let ground = world.insert_body(RigidBodyBuilder::fixed());
    let mut hung = vec![false; bodies.len()];
    for joint in &scene.joints {
        let local = |k: usize| pose(&scene.bodies[k]).inverse() * vector(joint.anchor);
        let (parent, first) = match usize::try_from(joint.parent) {
            Ok(k) => (bodies[k], local(k)),
            Err(_) => (ground, vector(joint.anchor)),
        };
        // Every axis is y, and every body starts turned about y alone.
        let hinge = RevoluteJointBuilder::new(vector(joint.axis))
            .local_anchor1(first)
            .local_anchor2(local(joint.child))
            .build();
        let closes = std::mem::replace(&mut hung[joint.child], true);
        if scene.variant == "accurate" && !closes {
            world.insert_multibody_joint(parent, bodies[joint.child], hinge);
        } else {
            world.insert_impulse_joint(parent, bodies[joint.child], hinge);
        }
    }
    for body in bodies {
        let Some(link) = world.multibody_joints.rigid_body_link(*body).copied() else { continue };
        if let Some(made) = world.multibody_joints.get_multibody_mut(link.multibody) {
            made.damping_mut().fill(0.0);
        }
    }
}

fn build(scene: &Scene) -> Result<(PhysicsWorld, Vec<RigidBodyHandle>), String> {
    let mut world = PhysicsWorld::new();
    world.gravity = vector(scene.gravity);
    world.integration_parameters = parameters(scene);
    let mut moving = Vec::new();
    for item in &scene.bodies {
        let fixed = item.mass == 0.0;
        let body = if fixed {
            RigidBodyBuilder::fixed().pose(pose(item))
        } else {
            let mass = MassProperties::new(Vector::ZERO, item.mass, vector(item.inertia));
            RigidBodyBuilder::dynamic()
                .pose(pose(item))
                .linvel(vector(item.velocity))
                .angvel(vector(item.spin))
                .can_sleep(false)
                .additional_mass_properties(mass)
        };
        let handle = world.insert_body(body);
        if scene.joints.is_empty() {
            world.insert_collider(collider(item, scene.variant == "accurate")?, Some(handle));
        }
        if !fixed {
            moving.push(handle);
        }
    }
    if !scene.joints.is_empty() {
        joints(scene, &mut world, &moving);
    }
    Ok((world, moving))
}

fn main() -> Result<(), Error> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let scene: Scene = serde_json::from_str(&text)?;
    let (mut world, moving) = build(&scene).map_err(Error::other)?;
    let look = |world: &PhysicsWorld, out: &mut Vec<f64>| {
        for &handle in &moving {
            let body = &world.bodies[handle];
            let (x, q, v, w) = (body.translation(), body.rotation(), body.linvel(), body.angvel());
            out.extend([x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z]);
        }
    };
    let mut out = vec![0.0];
    look(&world, &mut out);
    let mut total = 0.0;
    for _ in 0..scene.steps {
        let begin = cpu_time::ProcessTime::now();
        world.step();
        let seconds = begin.elapsed().as_secs_f64();
        out.push(seconds);
        look(&world, &mut out);
        total += seconds;
        if total > scene.seconds {
            break;
        }
    }
    let bytes: Vec<u8> = out.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::io::stdout().write_all(&bytes)
}
