//! The simplest shape around points.

use std::sync::Arc;

use stickslip::geometry::{
    Convex, GeometryError, MassProperties, Mat3, Pose, Quat, Shape, Solid, Vec3, math::eigen,
    shape::Part,
};

/// Middle of the points, and their axes from the thinnest to the longest as columns.
pub(crate) fn principal(points: &[Vec3]) -> (Vec3, Mat3) {
    let middle = points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let mut spread = Mat3::ZERO;
    for p in points.iter().map(|p| *p - middle) {
        spread += Mat3::from_cols(p * p.x, p * p.y, p * p.z);
    }
    let (_, axes) = eigen(&spread);
    let right = Mat3::from_cols(axes.x_axis, axes.y_axis, axes.x_axis.cross(axes.y_axis));
    (middle, right)
}

/// The box, cylinder, capsule or ball of least volume around points, along their principal axes.
pub(crate) fn primitive(points: &[Vec3]) -> Result<Solid, GeometryError> {
    let (_, axes) = principal(points);
    let turn = Quat::from_mat3(&axes).normalize();
    let local: Vec<Vec3> = points.iter().map(|&p| turn.conjugate() * p).collect();
    let low = local.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = local.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let (middle, extent) = (0.5 * (low + high), high - low);
    // No side of nothing.
    let size = extent.max(Vec3::splat(1e-3 * extent.max_element()));
    let around = |p: &Vec3| (*p - middle).with_z(0.0).length();
    let radius = local.iter().map(around).fold(0.0, f64::max).max(0.5 * size.x);
    let ball = local.iter().map(|p| (*p - middle).length()).fold(0.0, f64::max);
    // The segment of a capsule: long enough for its caps to cover the ends.
    let reach = |p: &Vec3| {
        let rim = (radius * radius - around(p).powi(2)).max(0.0).sqrt();
        (p.z - middle.z).abs() - rim
    };
    let capsule = local.iter().map(reach).fold(0.0, f64::max);
    let mut candidates = vec![
        Solid::cuboid(size)?,
        Solid::cylinder(radius, size.z, 0)?,
        Solid::sphere(ball.max(0.5 * size.x))?,
    ];
    if capsule > 0.0 {
        candidates.push(Solid::capsule(radius, 2.0 * capsule)?);
    }
    let best = candidates.into_iter().min_by(|a, b| a.volume.total_cmp(&b.volume));
    let solid = best.ok_or(GeometryError::TooFew { what: "points", given: 0, needed: 1 })?;
    Ok(turned(&solid, turn, turn * middle))
}

/// A solid around its origin, turned and put elsewhere.
fn turned(solid: &Solid, turn: Quat, center: Vec3) -> Solid {
    let still = MassProperties { center: Vec3::ZERO, ..solid.mass() };
    let mass = still.placed(&Pose::new(Vec3::ZERO, turn));
    let parts = solid.shape.parts().iter().map(|p| Part {
        pose: Pose::new(Vec3::ZERO, turn).compose(&p.pose),
        convex: match &p.convex {
            Convex::Polytope(polytope) => Convex::Polytope(Arc::clone(polytope)),
            other => other.clone(),
        },
    });
    Solid {
        shape: Shape::Parts(parts.collect()),
        volume: mass.volume,
        inertia: mass.inertia,
        center,
    }
}
