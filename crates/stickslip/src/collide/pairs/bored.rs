//! The hole of a bored part: its wall and its two rims against any bounded convex part.
//!
//! A convex body either leaves through the hull, and is held by that, or it is in the hole: the wall
//! holds points of it that are farthest from the axis (corners, rims, ends of capsules), the rims of the
//! hole hold its sides and cross its edges. The hole is the union of wedges `n(θ)·x ≥ r, |z| ≤ half`, one
//! for each direction across the axis: how far the body is from all of them tells which of the two it is,
//! and bounds what the features say.

use std::f64::consts::TAU;

use stickslip_geometry::{Bored, Convex, Vec3, tolerance::TOUCH};

use super::{
    Found, Sink, edge_edge,
    nearest::{core, nearest},
    polytope_polytope::Solid,
    revolution::{FLAT, OTHERS, Revolution, Rim, least_around},
    ring::{Curve, Ring},
    vertex_face,
    wedges::Wedges,
};
use crate::collide::{Contact, Feature, Role, placed::Placed, settings::Rules};

/// Numbers of features of the hole start here.
const HOLE: u32 = 1 << 16;
/// Contacts are told apart by the sector that they lie in: the normal of one that goes around is another.
const SECTORS: u32 = 32;
/// Fixed points of a rim on which something flat lies.
const FIXED: u32 = 8;

/// What of the hole touches.
#[derive(Clone, Copy)]
enum Kind {
    Wall,
    Rim(u32),
    Crossing(u32),
    Flat(u32),
    Deepest,
}

/// A hole at its place, and the body near it.
pub(crate) struct Pair<'a> {
    /// The bored part.
    pub bored: (&'a Bored, &'a Placed),
    /// The other.
    pub other: (&'a Convex, &'a Placed),
    /// How far to look \[m\].
    pub reach: f64,
    /// When a contact counts.
    pub rules: &'a Rules,
}

impl Pair<'_> {
    /// Adds the contacts with the hole; `hull` are those with the hull.
    pub fn contacts(&self, hull: Vec<Contact>, out: &mut Vec<Contact>) {
        if !self.other.0.is_bounded() {
            out.extend(hull);
            return;
        }
        let accepted = TOUCH * self.size();
        let along: Vec<f64> = hull.iter().map(|c| self.to_hull(self.away(c))).collect();
        let to_hull = along.iter().copied().fold(self.to_hull_across(), f64::max);
        if to_hull > self.reach {
            out.extend(hull);
            return;
        }
        let wedge = (to_hull < -accepted).then(|| self.wedges().nearest());
        // Nothing is deeper than the body is: rims that passed each other, ends below a rim.
        let separation = wedge.as_ref().map_or(to_hull, |w| w.1.max(to_hull));
        let deepest = 2.0 * separation.min(0.0) - accepted;
        // Features of the hull of a body in the hole stay known, so that one that goes in is not held
        // by them.
        let inside = wedge.as_ref().filter(|w| w.1 > to_hull + accepted);
        let role = if inside.is_some() { Some(Role::Secondary) } else { None };
        let kept = hull
            .into_iter()
            .zip(along)
            .filter(|(c, along)| inside.is_some() || (*along >= deepest && !self.is_over_hole(c)));
        out.extend(kept.map(|(c, _)| Contact { role: role.unwrap_or(c.role), ..c }));
        let mut found = vec![];
        if inside.is_some() {
            self.wall(&mut found);
        }
        for ring in self.rings() {
            self.sides(&ring, &mut found);
            self.crossings(&ring, &mut found);
            self.flat(&ring, &mut found);
        }
        let faces = |f: &Found| f.applicability >= self.rules.applicable;
        found.retain(|f| (deepest..=self.reach).contains(&f.gap) && faces(f));
        if let Some((normal, gap, angle)) = inside
            && *gap <= self.reach
            && found.iter().all(|f| f.gap > gap + accepted)
        {
            let p = self.other.0.support(&self.other.1.pose, -*normal);
            found.push(self.made(
                (Kind::Deepest, *angle),
                Feature::Smooth(OTHERS),
                p,
                (*normal, *gap, 1.0),
            ));
        }
        let sink = &mut Sink::new(self.bored.1, self.other.1, out);
        found.iter().for_each(|f| sink.push(f));
    }

    fn wedges(&self) -> Wedges<'_> {
        let (bored, placed) = self.bored;
        Wedges { bored, pose: &placed.pose, other: (self.other.0, &self.other.1.pose) }
    }

    /// A length of both \[m\].
    fn size(&self) -> f64 {
        self.bored.0.radius + self.bored.0.half
    }

    /// Distance of a point from the axis \[m\], unit vector away from it, angle \[rad\] and height \[m\].
    fn around(&self, p: Vec3) -> (f64, Vec3, f64, f64) {
        let pose = &self.bored.1.pose;
        let local = pose.inverse_point(p);
        let rho = local.x.hypot(local.y);
        let unit = if rho.is_normal() { Vec3::new(local.x, local.y, 0.0) / rho } else { Vec3::X };
        (rho, pose.vector(unit), local.y.atan2(local.x), local.z)
    }

    fn rings(&self) -> [Ring; 2] {
        let (bored, placed) = self.bored;
        let axis = placed.pose.vector(Vec3::Z);
        [-axis, axis].map(|up| Ring {
            number: u32::from(up == axis),
            center: placed.pose.position + up * bored.half,
            up,
            across: [Vec3::X, Vec3::Y].map(|d| placed.pose.vector(d)),
            radius: bored.radius,
        })
    }

    /// A contact: a point of the body, with normal from the hole, gap and applicability.
    fn made(
        &self,
        (kind, angle): (Kind, f64),
        feature: Feature,
        point: Vec3,
        (normal, gap, applicability): (Vec3, f64, f64),
    ) -> Found {
        let group = match kind {
            Kind::Wall => 0,
            Kind::Rim(k) => 1 + k,
            Kind::Crossing(k) => 3 + k,
            Kind::Flat(k) => 5 + k,
            Kind::Deepest => 7,
        };
        let sector = ((angle / TAU).rem_euclid(1.0) * f64::from(SECTORS)) as u32 % SECTORS;
        Found {
            features: [Feature::Smooth(HOLE + group * SECTORS + sector), feature],
            points: [point - normal * gap, point],
            normal,
            gap,
            applicability,
            primary: true,
        }
    }

    /// Whether a contact is with an end of the hull where the hole is.
    fn is_over_hole(&self, c: &Contact) -> bool {
        let own = (self.bored.1.body, self.bored.1.part);
        let other = if (c.a.body, c.a.part) == own { &c.b } else { &c.a };
        let axis = self.bored.1.pose.vector(Vec3::Z);
        let along = c.normal.cross(axis).length() < TOUCH;
        along && self.around(other.point).0 < self.bored.0.radius * (1.0 - TOUCH)
    }

    /// Normal of a contact, away from the bored part.
    fn away(&self, c: &Contact) -> Vec3 {
        if c.a.body == self.bored.1.body { c.normal } else { -c.normal }
    }

    /// The separation from the hull along a direction \[m\].
    fn to_hull(&self, n: Vec3) -> f64 {
        let (bored, placed) = self.bored;
        let low = self.other.0.support(&self.other.1.pose, -n);
        n.dot(low - bored.hull.support(&placed.pose, n))
    }

    /// The widest separation from the hull along the axis and across it \[m\].
    fn to_hull_across(&self) -> f64 {
        let axis = self.bored.1.pose.vector(Vec3::Z);
        let away = self.around(self.other.1.pose.position).1;
        [axis, -axis, away].map(|n| self.to_hull(n)).into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// A point of a body, thickened by `radius`, against the wall.
    fn on_wall(
        &self,
        (p, radius): (Vec3, f64),
        feature: Feature,
        applicability: impl Fn(Vec3) -> f64,
    ) -> Option<Found> {
        let (rho, away, angle, height) = self.around(p);
        let gap = self.bored.0.radius - rho - radius;
        let to_end = self.bored.0.half - height.abs();
        let accepted = TOUCH * self.size();
        // What is nearer to an end than to the wall leaves by that.
        if to_end < -accepted || -gap > 2.0 * to_end.max(0.0) + accepted {
            return None;
        }
        let value = applicability(away);
        Some(self.made((Kind::Wall, angle), feature, p + away * radius, (-away, gap, value)))
    }

    /// The points of the body that are farthest from the axis.
    fn wall(&self, found: &mut Vec<Found>) {
        let (convex, placed) = self.other;
        match convex {
            Convex::Ball { radius } => {
                found.extend(self.on_wall(
                    (placed.pose.position, *radius),
                    Feature::Smooth(0),
                    |_| 1.0,
                ));
            }
            Convex::Capsule { half, radius } => {
                let axis = placed.pose.vector(Vec3::Z);
                for (k, end) in core(placed, *half).into_iter().enumerate() {
                    let sign = if k == 0 { -1.0 } else { 1.0 };
                    let faces = |away: Vec3| sign * axis.dot(away);
                    found.extend(self.on_wall((end, *radius), Feature::Smooth(k as u32), faces));
                }
            }
            Convex::Polytope(p) => {
                for (k, &v) in placed.vertices.iter().enumerate() {
                    let ends = || p.neighbors[k].iter().map(|&w| placed.vertices[w as usize]);
                    let faces = |away: Vec3| vertex_face::applicability(v, -away, ends());
                    found.extend(self.on_wall((v, 0.0), Feature::Vertex(k as u32), faces));
                }
            }
            _ => {
                let Some(revolved) = Revolution::new(convex, placed) else { return };
                self.revolution_on_wall(&revolved, found);
            }
        }
    }

    /// Rims and apex of a smooth cylinder or cone.
    fn revolution_on_wall(&self, revolved: &Revolution, found: &mut Vec<Found>) {
        if let Some(tip) = revolved.apex(Vec3::Z) {
            let faces = |away: Vec3| revolved.apex(away).map_or(-1.0, |s| s.applicability);
            found.extend(self.on_wall((tip.point, 0.0), tip.feature, faces));
        }
        for rim in revolved.rims() {
            let slope = |angle: f64| -self.around(rim.point(angle)).1.dot(rim.tangent(angle));
            for angle in least_around(slope) {
                let spot = rim.spot(angle, Vec3::Z, 0);
                let faces = |away: Vec3| rim.applicability(rim.outward(angle), away);
                found.extend(self.on_wall((spot.point, 0.0), spot.feature, faces));
            }
        }
    }

    /// A rim of the hole against the sides of the body: where it is nearest, off the edges of the body.
    fn sides(&self, ring: &Ring, found: &mut Vec<Found>) {
        let (convex, placed) = self.other;
        let at = |angle: f64| nearest(convex, placed, ring.point(angle), self.bored.0.radius);
        let revolved = Revolution::new(convex, placed);
        for angle in least_around(|angle| at(angle).normal.dot(ring.tangent(angle))) {
            let near = at(angle);
            // Edges are crossed; a corner or an apex that touches is at the wall, or on an end.
            let apart = near.distance > TOUCH * self.size();
            let sharp = match (&revolved, near.feature) {
                (Some(revolved), _) => revolved.is_on_rim(near.point),
                (None, Feature::Vertex(_)) => !apart,
                (None, feature) => matches!(feature, Feature::Edge(_)),
            };
            if !sharp && near.normal.dot(ring.tangent(angle)).abs() < 1e-7 {
                let normal = -near.normal;
                let values = (normal, near.distance, ring.applicability(angle, normal));
                let feature = match near.feature {
                    Feature::Smooth(_) => Feature::Smooth(OTHERS + 1),
                    face => face,
                };
                found.push(self.made((Kind::Rim(ring.number), angle), feature, near.point, values));
            }
        }
    }

    /// A rim of the hole where it crosses edges of the body.
    fn crossings(&self, ring: &Ring, found: &mut Vec<Found>) {
        let (convex, placed) = self.other;
        let curves: Vec<(Feature, Curve)> = match (convex, Revolution::new(convex, placed)) {
            (Convex::Polytope(shape), _) => {
                let solid = Solid { shape, placed };
                let edge = |k: usize| (Feature::Edge(k as u32), Curve::Line(solid.edge(k)));
                (0..shape.edges.len()).map(edge).collect()
            }
            (_, Some(revolved)) => {
                let rim = |rim: Rim| (Feature::Smooth(OTHERS + 2 + rim.first), Curve::Rim(rim));
                revolved.rims().map(rim).collect()
            }
            _ => return,
        };
        for (feature, curve) in &curves {
            let slope = |angle: f64| {
                let p = ring.point(angle);
                ring.tangent(angle).dot(p - curve.nearest(p).0)
            };
            for angle in least_around(slope) {
                let p = ring.point(angle);
                let ((q, theirs), own) = (curve.nearest(p), ring.edge(angle));
                if !curve.holds(q) || p.distance(q) > self.reach {
                    continue;
                }
                if let Some(normal) = edge_edge::signed_normal(&own, &theirs, self.rules) {
                    let applicability = edge_edge::applicability(&own, &theirs, normal);
                    let values = (normal, normal.dot(q - p), applicability);
                    found.push(self.made(
                        (Kind::Crossing(ring.number), angle),
                        *feature,
                        q,
                        values,
                    ));
                }
            }
        }
    }

    /// Fixed points of a rim of the hole under something flat.
    fn flat(&self, ring: &Ring, found: &mut Vec<Found>) {
        let (convex, placed) = self.other;
        let mut push = |k: u32, up: Vec3, height: f64, feature: Feature| {
            let angle = TAU * f64::from(k) / f64::from(FIXED);
            let point = ring.point(angle) - up * height;
            let values = (-up, height, ring.applicability(angle, -up));
            found.push(self.made((Kind::Flat(ring.number), angle), feature, point, values));
        };
        let spots = (0..FIXED).map(|k| (k, ring.point(TAU * f64::from(k) / f64::from(FIXED))));
        if let (Convex::Polytope(shape), normals) = (convex, &placed.normals) {
            let faces = shape.faces.iter().zip(normals).enumerate();
            for (f, (face, &up)) in faces.filter(|(_, (_, up))| up.dot(ring.up) < -FLAT) {
                let corner = |k: usize| placed.vertices[face.vertices[k] as usize];
                for (k, p) in spots.clone() {
                    let above = vertex_face::above(p, up, face.vertices.len(), corner, self.reach);
                    if let Some(at) = above.filter(|at| at.beside == 0.0) {
                        push(k, up, at.psi, Feature::Face(f as u32));
                    }
                }
            }
        } else if let Some(revolved) = Revolution::new(convex, placed) {
            for rim in revolved.rims().filter(|rim| rim.up.dot(ring.up) < -FLAT) {
                for (k, p) in spots.clone().filter(|(_, p)| rim.beside(*p) == 0.0) {
                    push(k, rim.up, rim.up.dot(p - rim.center), Feature::Face(rim.first));
                }
            }
        }
    }
}
