//! Questions about where bodies are: how far apart two of them are, and what a ray meets.

use stickslip_geometry::{Aabb, Bored, Convex, Pose, Quat, Shape, TriMesh, Vec3, overlap};

use crate::{
    model::{BodyId, Model},
    state::State,
};

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The body.
    pub body: BodyId,
    /// From the origin of the ray \[m\].
    pub distance: f64,
    /// World frame \[m\].
    pub point: Vec3,
    /// Unit outward normal of the body there, world frame.
    pub normal: Vec3,
}

/// Steps after which a ray is taken to have arrived: a grazing one converges slowly.
const MAX_STEPS: usize = 200;
/// A ray has arrived when it is this near, as a part of the way to the farthest point in question.
const ARRIVED: f64 = 1e-13;

/// Distance of two bodies \[m\], negative by their depth where they overlap; over all pairs of their
/// convex parts the least. `None` for a surface of triangles.
pub fn distance(model: &Model, state: &State, a: BodyId, b: BodyId) -> Option<f64> {
    let parts = |id: BodyId| match &model.body(id).shape {
        Shape::Parts(parts) => {
            Some(parts.iter().map(move |p| (&p.convex, state.pose(id).compose(&p.pose))))
        }
        Shape::Surface(_) => None,
    };
    let (first, second) = (parts(a)?, parts(b)?);
    let each = first.flat_map(|(p, at)| {
        let of = move |(q, to): (_, Pose)| -overlap::depth(model.dimension(), p, &at, q, &to);
        second.clone().map(of)
    });
    each.min_by(f64::total_cmp)
}

/// What a ray from `origin` along the unit vector `direction` meets first within `reach` \[m\]; bodies
/// for which `skip` holds let it through. Surfaces are met from their front alone.
pub fn raycast(
    (model, state): (&Model, &State),
    (origin, direction): (Vec3, Vec3),
    reach: f64,
    skip: impl Fn(BodyId) -> bool,
) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    for id in model.ids().filter(|&id| !skip(id)) {
        let (shape, pose) = (&model.body(id).shape, state.pose(id));
        let farthest = best.map_or(reach, |hit| hit.distance);
        let ray = Ray { origin, direction, reach: farthest };
        if !ray.passes(&shape.aabb(model.dimension(), pose)) {
            continue;
        }
        let found = match shape {
            Shape::Parts(parts) => parts
                .iter()
                .filter_map(|p| ray.part(model, &p.convex, &pose.compose(&p.pose)))
                .min_by(|x, y| x.0.total_cmp(&y.0)),
            Shape::Surface(mesh) => ray.surface(mesh, pose),
        };
        if let Some((distance, normal)) = found.filter(|f| f.0 < farthest || best.is_none()) {
            let point = origin + direction * distance;
            best = Some(Hit { body: id, distance, point, normal });
        }
    }
    best
}

struct Ray {
    origin: Vec3,
    direction: Vec3,
    reach: f64,
}

impl Ray {
    /// Whether it passes through a box.
    fn passes(&self, b: &Aabb) -> bool {
        let (mut from, mut to) = (0.0_f64, self.reach);
        for k in 0..3 {
            let (o, d) = (self.origin[k], self.direction[k]);
            if d == 0.0 {
                if o < b.min[k] || o > b.max[k] {
                    return false;
                }
                continue;
            }
            let (x, y) = ((b.min[k] - o) / d, (b.max[k] - o) / d);
            (from, to) = (from.max(x.min(y)), to.min(x.max(y)));
        }
        from <= to
    }

    /// Distance and normal where it meets a convex part. From where it is, the plane that separates it
    /// from the part says how far it may go: `t += dist / (n·d)`.
    fn part(&self, model: &Model, convex: &Convex, pose: &Pose) -> Option<(f64, Vec3)> {
        if let Convex::Bored(bored) = convex {
            let found = self.part(model, &bored.hull, pose)?;
            return self.beyond_hole(bored, pose, found);
        }
        let point = Convex::Ball { radius: 0.0 };
        let mut t = 0.0;
        let mut normal = -self.direction;
        for _ in 0..MAX_STEPS {
            let at = Pose::new(self.origin + self.direction * t, Quat::IDENTITY);
            let found = overlap::separation(model.dimension(), &point, &at, convex, pose);
            let scale = t.max((pose.position - self.origin).length()).max(f64::MIN_POSITIVE);
            if -found.depth <= ARRIVED * scale {
                return Some((t, normal));
            }
            let towards = found.direction.dot(self.direction);
            if towards <= 0.0 {
                return None;
            }
            t -= found.depth / towards;
            normal = -found.direction;
            if t > self.reach {
                return None;
            }
        }
        Some((t, normal))
    }

    /// What a ray that meets the hull of a bored part meets: the hull, or the wall of the hole where it
    /// leaves the circle, or nothing.
    fn beyond_hole(&self, bored: &Bored, pose: &Pose, found: (f64, Vec3)) -> Option<(f64, Vec3)> {
        let (o, d) = (pose.inverse_point(self.origin), pose.inverse_vector(self.direction));
        let entered = o + d * found.0;
        if entered.x.hypot(entered.y) >= bored.radius {
            return Some(found);
        }
        let (a, b) = (d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y);
        let c = o.x * o.x + o.y * o.y - bored.radius * bored.radius;
        let t = ((b * b - a * c).max(0.0).sqrt() - b) / a;
        let at = o + d * t;
        let meets = t <= self.reach && at.z.abs() <= bored.half;
        let inward = -Vec3::new(at.x, at.y, 0.0) / bored.radius;
        meets.then(|| (t, pose.vector(inward)))
    }

    /// The same for a surface of triangles (Möller and Trumbore).
    fn surface(&self, mesh: &TriMesh, pose: &Pose) -> Option<(f64, Vec3)> {
        let (o, d) = (pose.inverse_point(self.origin), pose.inverse_vector(self.direction));
        let one = |(k, corners): (usize, &[u32; 3])| {
            let [a, b, c] = corners.map(|i| mesh.vertices[i as usize]);
            let (u, v) = (b - a, c - a);
            let across = d.cross(v);
            let facing = u.dot(across);
            // from behind, or along it
            if facing <= 0.0 {
                return None;
            }
            let s = o - a;
            let (x, turned) = (s.dot(across) / facing, s.cross(u));
            let y = d.dot(turned) / facing;
            let t = v.dot(turned) / facing;
            let inside = x >= 0.0 && y >= 0.0 && x + y <= 1.0;
            (inside && t >= 0.0 && t <= self.reach).then(|| (t, pose.vector(mesh.normals[k])))
        };
        let all = mesh.triangles.iter().enumerate().filter_map(one);
        all.min_by(|x, y| x.0.total_cmp(&y.0))
    }
}

#[cfg(test)]
mod tests {
    use stickslip_geometry::{Dimension, Solid};

    use super::*;
    use crate::{
        model::{BodyInit, ModelBuilder},
        testing::Random,
    };

    fn scene(bodies: Vec<BodyInit>) -> (Model, State) {
        let mut builder = ModelBuilder::new(Dimension::Three);
        for body in bodies {
            builder.add(body).unwrap();
        }
        builder.build()
    }

    /// Against a brute-force oracle: where the points of a fine walk along the ray enter the body,
    /// bisected. Depth of a point says whether it is inside.
    #[test]
    fn rays_meet_what_a_walk_along_them_meets() {
        let mut random = Random::new(5);
        let solids = [
            Solid::sphere(0.4).unwrap(),
            Solid::cuboid(Vec3::new(0.6, 0.4, 0.9)).unwrap(),
            Solid::capsule(0.2, 0.6).unwrap(),
            Solid::cylinder(0.3, 0.7, 0).unwrap(),
            Solid::tube(0.2, 0.4, 0.3).unwrap(),
            Solid::bored_cuboid(Vec3::new(0.6, 0.8, 0.3), 0.25).unwrap(),
        ];
        let mut hits = 0;
        for k in 0..200 {
            let turn = Quat::from_scaled_axis(random.vector(Dimension::Three) * 2.0);
            let (model, state) = scene(vec![BodyInit::new(&solids[k % 6]).turned(turn)]);
            let id = BodyId::new(0);
            let origin = random.vector(Dimension::Three).normalize() * 2.0;
            let aim = random.vector(Dimension::Three) * 0.3;
            let direction = (aim - origin).normalize();
            let part = &model.body(id).shape.parts()[0];
            let pose = state.pose(id).compose(&part.pose);
            let inside = |t: f64| {
                let at = Pose::new(origin + direction * t, Quat::IDENTITY);
                let (point, hull) = (Convex::Ball { radius: 0.0 }, part.convex.hull());
                let across = pose.inverse_point(at.position);
                let in_hole = match &part.convex {
                    Convex::Bored(b) => across.x.hypot(across.y) < b.radius,
                    _ => false,
                };
                !in_hole && overlap::depth(Dimension::Three, &point, &at, hull, &pose) > 0.0
            };
            let walk = (0..4000).map(|i| f64::from(i) * 1e-3).find(|&t| inside(t));
            let found = raycast((&model, &state), (origin, direction), 10.0, |_| false);
            let Some(first) = walk else {
                // a walk may step over a sliver
                assert!(found.is_none_or(|hit| !inside(hit.distance + 2e-3)), "seed 5, {k}");
                continue;
            };
            let (mut low, mut high) = (first - 1e-3, first);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if inside(middle) { high = middle } else { low = middle }
            }
            let hit = found.unwrap();
            assert!((hit.distance - high).abs() < 1e-9, "seed 5, {k}: {} {high}", hit.distance);
            assert!(hit.normal.dot(direction) < 0.0 && (hit.normal.length() - 1.0).abs() < 1e-9);
            hits += 1;
        }
        assert!(hits > 100, "{hits}");
    }

    #[test]
    fn the_nearest_body_is_met_and_some_are_let_through() {
        let ball = |x: f64| BodyInit::new(&Solid::sphere(0.5).unwrap()).at(Vec3::X * x);
        let (model, state) = scene(vec![ball(6.0), ball(3.0), ball(9.0)]);
        let ray = (Vec3::ZERO, Vec3::X);
        let hit = raycast((&model, &state), ray, 100.0, |_| false).unwrap();
        assert_eq!(hit.body, BodyId::new(1));
        assert!((hit.distance - 2.5).abs() < 1e-12 && (hit.normal + Vec3::X).length() < 1e-12);
        let hit = raycast((&model, &state), ray, 100.0, |id| id == BodyId::new(1)).unwrap();
        assert!((hit.distance - 5.5).abs() < 1e-12);
        assert_eq!(raycast((&model, &state), ray, 2.4, |_| false), None);
        assert_eq!(raycast((&model, &state), (Vec3::ZERO, -Vec3::X), 100.0, |_| false), None);
    }

    /// Two balls: the distance of their centres less the radii, also where they overlap; compounds: that
    /// of the nearest parts.
    #[test]
    fn distances_of_bodies() {
        let ball = |x: f64, r: f64| BodyInit::new(&Solid::sphere(r).unwrap()).at(Vec3::X * x);
        let (model, state) = scene(vec![ball(0.0, 0.5), ball(3.0, 1.0), ball(3.5, 1.0)]);
        let [a, b, c] = [0, 1, 2].map(BodyId::new);
        let near = |x: f64, y: f64| (x - y).abs() < 1e-12;
        assert!(near(distance(&model, &state, a, b).unwrap(), 1.5));
        assert!(near(distance(&model, &state, b, a).unwrap(), 1.5));
        assert!(near(distance(&model, &state, b, c).unwrap(), -1.5));
    }
}
