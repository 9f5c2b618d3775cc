//! Mortar: which bodies it joins, what it does to them, when it breaks.
//!
//! A joint of tensile strength `f_t` and area `A` is an ordinary contact whose surfaces are pressed
//! together by `f_t A` at the middle of the contact polygon. With `p` the pressure of that contact the
//! stress is `sigma = p - f_t`: tension up to `f_t`, friction `mu (sigma + f_t)`. A contact that opens
//! or slides under it has no strength left, and the force ends for good.

use stickslip_geometry::{Pose, Quat, Vec3, tolerance::MERGE};

use super::{BodyId, Dimension, ForceElement, ForceInit, ForceKind, Model, ordered};
use crate::{
    collide::Contact,
    formulate::touching,
    settings::Settings,
    state::{State, Wrench},
};

/// A joint that holds tension up to a limit and then breaks for good.
///
/// Until then its surfaces are pressed together by the tensile strength, beyond the forces that act:
/// `sigma >= -f_t` and `|tau| <= mu (sigma + f_t)`, Coulomb's cone with its tip at `-f_t`. Bending
/// breaks it where the whole face carries `f_t` against an edge in compression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mortar {
    /// Tensile strength `f_t` \[Pa; in 2D N/m\]. The cohesion is `mu f_t`.
    pub strength: f64,
    /// How far its surfaces may part or slide before it breaks \[m\]; with the strength that is the
    /// energy of fracture, `f_t opening` \[J/m²\].
    pub opening: f64,
}

impl Mortar {
    /// Opening unless given: a hundredth of a millimetre.
    pub const OPENING: f64 = 1e-5;
}

/// A flat joint between two bodies.
struct Face {
    point: Vec3,
    normal: Vec3,
    /// \[m²; in 2D m\].
    area: f64,
    /// How far its corners are from its middle \[m\].
    radius: f64,
}

impl Model {
    /// The joints of mortar, in the order in which they were laid.
    pub fn bonds(&self) -> impl Iterator<Item = &ForceElement> {
        self.forces.iter().filter(|f| matches!(f.kind, ForceKind::Bond { .. }))
    }

    /// Joins the pairs that are to have mortar wherever they touch.
    pub(super) fn lay_mortar(&mut self, state: &mut State) {
        if self.overrides.values().all(|values| values.mortar.is_none()) {
            return;
        }
        let size = self.bodies.iter().map(|b| b.radius).filter(|r| r.is_finite());
        let gap = MERGE * size.fold(0.0, f64::max);
        // A state that cannot be detected is reported by the first step.
        let Ok(found) = touching(self, state, &Settings::default(), gap) else { return };
        let same = |a: &Contact, b: &Contact| {
            let side = |c: &Contact| (c.a.body, c.a.part, c.b.body, c.b.part);
            side(a) == side(b)
        };
        for corners in found.contacts.chunk_by(same) {
            let (a, b) = (corners[0].a.body, corners[0].b.body);
            let mortar = self.overrides.get(&ordered(a, b)).and_then(|values| values.mortar);
            let face = Face::of(corners, self.dimension);
            let (Some(mortar), Some(face)) = (mortar, face) else { continue };
            let kind = ForceKind::Bond {
                force: mortar.strength * face.area,
                opening: mortar.opening,
                radius: face.radius,
                place: state.broken.len(),
            };
            let mut init = ForceInit::new(kind, Some(a), Some(b)).at(face.point);
            init.orientation = Quat::from_rotation_arc(Vec3::X, face.normal);
            let element = self.bond(init, state);
            self.forces.push(element);
            state.broken.push(false);
        }
    }

    fn bond(&self, init: ForceInit, state: &State) -> ForceElement {
        let frame = |side: usize| {
            let pose = init.bodies[side].map(|b| *state.pose(b)).unwrap_or(Pose::IDENTITY);
            let point = init.anchors[side].unwrap_or(pose.position);
            Pose {
                position: pose.inverse_point(point),
                orientation: pose.orientation.conjugate() * init.orientation,
            }
        };
        let name = format!("bond-{}", state.broken.len() + 1);
        let frames = [frame(0), frame(1)];
        ForceElement { name, kind: init.kind, bodies: init.bodies, frames, angle0: 0.0 }
    }

    /// What a joint of mortar presses its two bodies together with, about their centres of mass; none
    /// where it is broken.
    pub fn bond_wrenches(
        &self,
        state: &State,
        element: &ForceElement,
    ) -> [Option<(BodyId, Wrench)>; 2] {
        let ForceKind::Bond { force, place, .. } = element.kind else { return [None; 2] };
        let [(normal, _), (_, point)] = ends(state, element);
        [(0, force), (1, -force)].map(|(side, force)| {
            let body = element.bodies[side].filter(|_| !state.broken[place])?;
            let force = normal * force;
            let torque = (point - state.pose(body).position).cross(force);
            Some((body, Wrench { force, torque }))
        })
    }

    /// Adds them to the wrenches of the bodies.
    pub(super) fn pull(&self, state: &State, element: &ForceElement, wrenches: &mut [Wrench]) {
        for (body, wrench) in self.bond_wrenches(state, element).into_iter().flatten() {
            wrenches[body.index()].force += wrench.force;
            wrenches[body.index()].torque += wrench.torque;
        }
    }

    /// Energy that a joint of mortar has taken up \[J\].
    pub(super) fn bond_energy(&self, state: &State, element: &ForceElement) -> f64 {
        let ForceKind::Bond { force, place, .. } = element.kind else { return 0.0 };
        let [(normal, a), (_, b)] = ends(state, element);
        if state.broken[place] { 0.0 } else { force * normal.dot(b - a) }
    }

    /// Breaks the joints of mortar that have opened or slid too far; the loop does it after every step.
    pub fn track_bonds(&self, state: &mut State) {
        for element in self.bonds() {
            let ForceKind::Bond { opening, radius, place, .. } = element.kind else { continue };
            if state.broken[place] {
                continue;
            }
            let [(_, a), (_, b)] = ends(state, element);
            let turn = |side: usize| {
                let own = element.frames[side].orientation;
                element.bodies[side].map_or(own, |b| state.pose(b).orientation * own)
            };
            let turned = 2.0 * (turn(0).conjugate() * turn(1)).xyz().length();
            state.broken[place] = (b - a).length() + turned * radius > opening;
        }
    }
}

/// The normal and the middle of a joint as A has them, and as B has them.
fn ends(state: &State, element: &ForceElement) -> [(Vec3, Vec3); 2] {
    [0, 1].map(|side| {
        let frame = &element.frames[side];
        let axis = frame.orientation * Vec3::X;
        element.bodies[side].map_or((axis, frame.position), |b| {
            (state.pose(b).vector(axis), state.pose(b).point(frame.position))
        })
    })
}

impl Face {
    /// The polygon of these corners; none if it has no area.
    fn of(corners: &[Contact], dimension: Dimension) -> Option<Self> {
        let normal = corners[0].normal;
        let points: Vec<Vec3> = corners.iter().map(|c| (c.a.point + c.b.point) * 0.5).collect();
        let mean = points.iter().copied().sum::<Vec3>() / points.len() as f64;
        let (point, area) = match dimension {
            Dimension::Two => {
                let along = |p: &Vec3| normal.cross(Vec3::Z).dot(*p - mean);
                let least = points.iter().map(along).fold(f64::INFINITY, f64::min);
                let most = points.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
                (mean + normal.cross(Vec3::Z) * (0.5 * (least + most)), most - least)
            }
            Dimension::Three => polygon(&points, mean, normal),
        };
        let radius = points.iter().map(|p| (*p - point).length()).fold(0.0, f64::max);
        (area > 0.0).then_some(Self { point, normal, area, radius })
    }
}

/// Middle and area of the convex polygon of these points, in any order.
fn polygon(points: &[Vec3], mean: Vec3, normal: Vec3) -> (Vec3, f64) {
    let u = normal.any_orthonormal_vector();
    let v = normal.cross(u);
    let angle = |p: &Vec3| v.dot(*p - mean).atan2(u.dot(*p - mean));
    let mut around: Vec<Vec3> = points.to_vec();
    around.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    let (mut area, mut moment) = (0.0, Vec3::ZERO);
    for (a, b) in around.iter().zip(around.iter().cycle().skip(1)) {
        let part = 0.5 * (*a - mean).cross(*b - mean).dot(normal);
        area += part;
        moment += (*a + *b + mean) * (part / 3.0);
    }
    if area > 0.0 { (moment / area, area) } else { (mean, 0.0) }
}
