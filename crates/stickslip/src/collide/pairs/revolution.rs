//! Smooth cylinders and cones: rims, apex and side against faces, edges and corners.
//!
//! Faces meet the lowest points of the rims, the apex, and, where an end is nearly flat on them,
//! points all around the rim that are fixed in the body. Edges meet the body where its signed
//! distance along them is least; corners meet its nearest point.

use std::f64::consts::TAU;

use stickslip_geometry::{Convex, Vec3};

use super::{
    edge_edge::{self, Segment},
    nearest::{bisect, least_inside, nearest},
    vertex_face,
};
use crate::collide::{Feature, placed::Placed, settings::Rules};

/// Points of a rim, fixed in the body, on which a smooth cylinder or cone stands when flat.
const RIM_POINTS: u32 = 8;

/// Cosine of the tilt up to which a flat end may come to stand within a step: 30 degrees.
pub(super) const FLAT: f64 = 0.866_025_403_784_438_6;

/// Rounds that settle where an edge cuts a rim.
const ROUNDS: usize = 60;

/// Number of the apex among the points of the body; rims are numbered from 1.
const APEX: u32 = 0;

/// Numbers of points on edges and corners of the other start here.
pub(super) const OTHERS: u32 = 1 + 2 * (RIM_POINTS + 1);

/// A smooth cylinder or cone at its place.
#[derive(Clone, Copy)]
pub(crate) struct Revolution<'a> {
    /// As the distance functions take it.
    pub convex: &'a Convex,
    /// Its place.
    pub placed: &'a Placed,
    half: f64,
    radius: f64,
    cone: bool,
}

/// A circle where an end meets the side.
#[derive(Clone, Copy)]
pub(crate) struct Rim {
    /// Middle of the end \[m\].
    pub center: Vec3,
    /// Unit normal of the end, outward.
    pub up: Vec3,
    /// Unit vectors across the axis, fixed in the body.
    across: [Vec3; 2],
    radius: f64,
    /// From the rim along the side: this much inward and this much down the axis, unit length.
    side: [f64; 2],
    /// Number of its first point.
    pub first: u32,
}

/// A point of the body with its number and its applicability for a normal away from the body.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    /// Its number.
    pub feature: Feature,
    /// Its place \[m\].
    pub point: Vec3,
    /// How well the body's surface faces the other there.
    pub applicability: f64,
}

impl Rim {
    /// Unit vector from the axis at that angle \[rad\].
    pub fn outward(&self, angle: f64) -> Vec3 {
        let (sin, cos) = angle.sin_cos();
        self.across[0] * cos + self.across[1] * sin
    }

    /// The point at that angle \[rad\].
    pub fn point(&self, angle: f64) -> Vec3 {
        self.center + self.outward(angle) * self.radius
    }

    /// Unit tangent at that angle.
    pub fn tangent(&self, angle: f64) -> Vec3 {
        self.outward(angle + TAU / 4.0)
    }

    /// Where the line of an edge enters and leaves the circle, seen along the axis.
    fn crossed_by(&self, e: &Segment) -> Vec<Vec3> {
        let flat = |v: Vec3| v - self.up * self.up.dot(v);
        let (d, way) = (flat(e.tail - self.center), flat(e.along));
        let (a, b) = (way.length_squared(), d.dot(way));
        let root = b * b - a * (d.length_squared() - self.radius * self.radius);
        if root <= 0.0 || a == 0.0 {
            return vec![];
        }
        [-1.0, 1.0].map(|sign: f64| e.tail + e.along * ((sign * root.sqrt() - b) / a)).into()
    }

    /// How far a point is beside the end's disc \[m\].
    pub fn beside(&self, p: Vec3) -> f64 {
        let d = p - self.center;
        let out = (d - self.up * self.up.dot(d)).length() - self.radius;
        // Rims of equal ends lie on each other up to round-off.
        if out <= 1e-12 * self.radius { 0.0 } else { out }
    }

    /// Angle of a point about the axis \[rad\].
    pub fn angle_of(&self, p: Vec3) -> f64 {
        let d = p - self.center;
        d.dot(self.across[1]).atan2(d.dot(self.across[0]))
    }

    /// As (3.5): the least extent by which end and side fall away from the other body.
    pub fn applicability(&self, outward: Vec3, normal: Vec3) -> f64 {
        let along_side = -outward * self.side[0] - self.up * self.side[1];
        normal.dot(outward).min(-normal.dot(along_side))
    }

    /// The rim as an edge at that angle: its tangent with the normals of end and side.
    pub fn edge(&self, angle: f64) -> Segment {
        let outward = self.outward(angle);
        let side = outward * self.side[1] - self.up * self.side[0];
        // Left of the tangent, seen from outside, lies the end.
        Segment { tail: self.point(angle), along: self.tangent(angle), normals: [self.up, side] }
    }

    /// Points around the rim, if the end faces along `normal`.
    pub fn around(&self, normal: Vec3) -> impl Iterator<Item = Spot> + use<'_> {
        let count = if self.up.dot(normal) >= FLAT { RIM_POINTS } else { 0 };
        (0..count).map(move |k| {
            let angle = TAU * f64::from(k) / f64::from(RIM_POINTS);
            Spot {
                feature: Feature::Smooth(self.first + 1 + k),
                point: self.point(angle),
                applicability: self.applicability(self.outward(angle), normal),
            }
        })
    }

    /// The point farthest along `normal`; none where the whole rim is.
    pub fn farthest(&self, normal: Vec3) -> Option<Spot> {
        let across = normal - self.up * self.up.dot(normal);
        let outward = (across.length() > 1e-9).then(|| across.normalize())?;
        Some(Spot {
            feature: Feature::Smooth(self.first),
            point: self.center + outward * self.radius,
            applicability: self.applicability(outward, normal),
        })
    }

    /// The `k`th least point, at that angle, for a normal away from the body.
    pub fn spot(&self, angle: f64, normal: Vec3, k: u32) -> Spot {
        Spot {
            feature: Feature::Smooth(2 * OTHERS + 4 * self.first + k),
            point: self.point(angle),
            applicability: self.applicability(self.outward(angle), normal),
        }
    }
}

/// Angles at which a function with that slope around a circle is least among those around.
pub(super) fn least_around(slope: impl Fn(f64) -> f64) -> Vec<f64> {
    let n = 2 * RIM_POINTS;
    // Off the axes of symmetry, on which slopes vanish.
    let angle = |k: u32| (f64::from(k) + 0.37) * TAU / f64::from(n);
    let slopes: Vec<f64> = (0..n).map(|k| slope(angle(k))).collect();
    let falls_then_rises =
        |k: &u32| slopes[*k as usize] < 0.0 && slopes[((k + 1) % n) as usize] >= 0.0;
    let refine = |k: u32| bisect(angle(k), angle(k + 1), &slope);
    (0..n).filter(falls_then_rises).map(refine).collect()
}

/// A contact of the body with an edge or corner of another: normal away from the body.
pub(crate) struct Touch {
    /// Points on the body and on the other \[m\].
    pub points: [Vec3; 2],
    /// Unit normal away from the body.
    pub normal: Vec3,
    /// Gap \[m\].
    pub gap: f64,
    /// See [`crate::collide::Contact::applicability`].
    pub applicability: f64,
}

impl<'a> Revolution<'a> {
    /// The part, if it is a smooth cylinder or cone.
    pub fn new(convex: &'a Convex, placed: &'a Placed) -> Option<Self> {
        let (half, radius, cone) = match convex {
            Convex::Cylinder { half, radius } => (*half, *radius, false),
            Convex::Cone { half, radius } => (*half, *radius, true),
            _ => return None,
        };
        Some(Self { convex, placed, half, radius, cone })
    }

    /// A length of the body \[m\].
    pub fn size(&self) -> f64 {
        self.half + self.radius
    }

    /// Its one or two rims.
    pub fn rims(&self) -> impl Iterator<Item = Rim> + use<'_> {
        let axis = self.placed.pose.vector(Vec3::Z);
        let across = [Vec3::X, Vec3::Y].map(|d| self.placed.pose.vector(d));
        let slant = (2.0 * self.half).hypot(self.radius);
        let side =
            if self.cone { [self.radius / slant, 2.0 * self.half / slant] } else { [0.0, 1.0] };
        let ends = if self.cone { 1 } else { 2 };
        (0..ends).map(move |k| {
            let up = if k == 0 { -axis } else { axis };
            // Counter-clockwise seen from outside, so that the end is left of the tangent.
            let across = if k == 0 { [across[0], -across[1]] } else { across };
            Rim {
                center: self.placed.pose.position + up * self.half,
                up,
                across,
                radius: self.radius,
                side,
                first: 1 + k * (RIM_POINTS + 1),
            }
        })
    }

    /// The straight line of the side at that angle about the part's z, upwards \[m\].
    pub fn side_line(&self, angle: f64) -> [Vec3; 2] {
        let (sin, cos) = angle.sin_cos();
        let low = Vec3::new(self.radius * cos, self.radius * sin, -self.half);
        let high = if self.cone { Vec3::Z * self.half } else { Vec3::new(low.x, low.y, self.half) };
        [low, high].map(|p| self.placed.pose.point(p))
    }

    /// Height of a point above the side prolonged beyond its ends \[m\], the side's unit outward
    /// normal below it, and how far the foot is beyond an end \[m\].
    pub fn above_side(&self, p: Vec3) -> (f64, Vec3, f64) {
        let local = self.placed.pose.inverse_point(p);
        let radial = Vec3::new(local.x, local.y, 0.0);
        let rho = radial.length();
        let outward = if rho > 0.0 && rho.is_normal() { radial / rho } else { Vec3::X };
        let slant = (2.0 * self.half).hypot(self.radius);
        let [along, up] =
            if self.cone { [2.0 * self.half / slant, self.radius / slant] } else { [1.0, 0.0] };
        // From the rim of the lower end, which both have.
        let psi = (rho - self.radius) * along + (local.z + self.half) * up;
        let beyond = (local.z - psi * up).abs() - self.half;
        let beside = if beyond <= 1e-12 * self.size() { 0.0 } else { beyond };
        (psi, self.placed.pose.vector(outward * along + Vec3::Z * up), beside)
    }

    /// Whether a point of the surface lies on the side, off the rims and the apex.
    pub fn on_side(&self, p: Vec3) -> bool {
        let z = self.placed.pose.inverse_point(p).z;
        z.abs() < self.half - 1e-9 * self.size()
    }

    /// Whether a point of the surface lies on a rim.
    pub fn is_on_rim(&self, p: Vec3) -> bool {
        let local = self.placed.pose.inverse_point(p);
        let off = |z: f64, radius: f64| (local.z - z).hypot(local.x.hypot(local.y) - radius);
        let top = if self.cone { f64::INFINITY } else { off(self.half, self.radius) };
        off(-self.half, self.radius).min(top) < 1e-9 * self.size()
    }

    /// Unit tangent across that line.
    pub fn side_tangent(&self, angle: f64) -> Vec3 {
        let (sin, cos) = angle.sin_cos();
        self.placed.pose.vector(Vec3::new(-sin, cos, 0.0))
    }

    /// The apex of a cone, for a normal away from it.
    pub fn apex(&self, normal: Vec3) -> Option<Spot> {
        if !self.cone {
            return None;
        }
        let axis = self.placed.pose.vector(Vec3::Z);
        let (along, across) = (axis.dot(normal), (normal - axis * axis.dot(normal)).length());
        let slant = (2.0 * self.half).hypot(self.radius);
        Some(Spot {
            feature: Feature::Smooth(APEX),
            point: self.placed.pose.position + axis * self.half,
            applicability: (2.0 * self.half * along - self.radius * across) / slant,
        })
    }

    /// The points of the body that may touch a face whose unit normal is `-normal`.
    pub fn spots(&self, normal: Vec3) -> Vec<Spot> {
        let mut spots: Vec<Spot> = self.apex(normal).into_iter().collect();
        for rim in self.rims() {
            spots.extend(rim.farthest(normal));
            spots.extend(rim.around(normal));
        }
        spots
    }

    /// A corner of another body, with the ends of the edges that leave it.
    pub fn corner(&self, v: Vec3, ends: impl Iterator<Item = Vec3>) -> Touch {
        let at = nearest(self.convex, self.placed, v, self.size());
        Touch {
            points: [at.point, v],
            normal: at.normal,
            gap: at.distance,
            applicability: vertex_face::applicability(v, at.normal, ends),
        }
    }

    /// An edge of another body, where an inner point of it is nearest.
    pub fn edge(&self, e: &Segment, reach: f64, rules: &Rules) -> Option<Touch> {
        let at = |p: Vec3| nearest(self.convex, self.placed, p, self.size());
        let (s, found) = least_inside([e.tail, e.tail + e.along], reach, at)?;
        let q = e.tail + e.along * s;
        let along = e.along.normalize_or_zero();
        if found.normal.dot(along).abs() > 1e-7 {
            let height = |r: &Rim| r.up.dot(q - r.center).abs();
            let rim = self.rims().min_by(|x, y| height(x).total_cmp(&height(y)))?;
            return self.edge_on_rim(e, (&rim, q), reach, rules);
        }
        // t_1 and t_2 of equation (3.2), against the normal from the body to the edge.
        let falls = [e.normals[0].cross(along), along.cross(e.normals[1])];
        Some(Touch {
            points: [found.point, q],
            normal: found.normal,
            gap: found.distance,
            applicability: falls[0].dot(found.normal).min(falls[1].dot(found.normal)),
        })
    }

    /// Where an edge that lies along a flat end, or along a line of the side, cuts the rims, each with a number: a
    /// body lies on an edge with both ends. With the least distance alone it rocked from one to the other, and no
    /// step was short enough (a cylinder on a ridge, soak seed 783).
    pub fn along_edge(&self, e: &Segment, reach: f64, rules: &Rules) -> Vec<(u32, Touch)> {
        let along = e.along.normalize_or_zero();
        let mut found = vec![];
        for (rim, first) in self.rims().zip([0, 3]) {
            let rise = rim.up.dot(along);
            let flat = rise.abs() <= 1.0 - FLAT;
            let crossings = if flat { rim.crossed_by(e) } else { vec![] };
            let steep = rise.abs() >= FLAT - 1.0 + self.lean();
            let side = steep.then(|| e.tail + along * (rim.up.dot(rim.center - e.tail) / rise));
            let ends = (first..).zip(crossings).map(|(k, q)| (k, q, rim.up));
            let side = side.map(|q| (first + 2, q, self.above_side(q).1));
            for (k, q, normal) in ends.chain(side) {
                // Elsewhere the rim may cross the edge another way, as far in as it is wide.
                let lies = |t: &Touch| t.gap >= -reach && t.normal.dot(normal) >= FLAT;
                let touch = self.edge_on_rim(e, (&rim, q), reach, rules).filter(lies);
                found.extend(touch.map(|touch| (k, touch)));
            }
        }
        found
    }

    /// Cosine of the angle between axis and side.
    fn lean(&self) -> f64 {
        let slant = (2.0 * self.half).hypot(self.radius);
        if self.cone { 2.0 * self.half / slant } else { 1.0 }
    }

    /// An edge that cuts a rim: the pair of the edge and the rim's tangent where both lines are
    /// nearest at the point of tangency.
    fn edge_on_rim(
        &self,
        e: &Segment,
        (rim, q): (&Rim, Vec3),
        reach: f64,
        rules: &Rules,
    ) -> Option<Touch> {
        let mut angle = rim.angle_of(q);
        for _ in 0..ROUNDS {
            let tangent = rim.edge(angle);
            let (s, t) = edge_edge::closest_on_lines(&tangent, e)?;
            if !(0.0..=1.0).contains(&t) {
                return None;
            }
            let next = rim.angle_of(tangent.tail + tangent.along * s);
            if next == angle {
                break;
            }
            angle = next;
        }
        let tangent = rim.edge(angle);
        let (s, t) = edge_edge::closest_on_lines(&tangent, e)?;
        let normal = edge_edge::signed_normal(&tangent, e, rules)?;
        let points = [tangent.tail, e.tail + e.along * t];
        let gap = normal.dot(points[1] - points[0]);
        let settled = s.abs() <= 1e-6 * rim.radius;
        let applicability = edge_edge::applicability(&tangent, e, normal);
        (settled && gap <= reach).then_some(Touch { points, normal, gap, applicability })
    }
}
