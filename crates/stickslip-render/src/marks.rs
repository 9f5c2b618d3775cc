//! Arrows, pins and lines over the picture.

use stickslip::geometry::{Pose, Quat, Vec3, math::rotation_to};
use stickslip_record::view::{ViewJoint, ViewModel};

use crate::{Moment, extent::Extent, mesh::Mesh, round, theme, theme::Color};

/// A mesh somewhere, in one color.
pub(crate) struct Mark {
    pub mesh: Mesh,
    pub pose: Pose,
    pub color: Color,
}

/// A list of marks.
#[derive(Default)]
pub(crate) struct Marks {
    pub all: Vec<Mark>,
}

/// Sides of round marks.
const SIDES: usize = 16;

impl Marks {
    fn ball(&mut self, at: Vec3, radius: f64, color: Color) {
        let pose = Pose { position: at, orientation: Quat::IDENTITY };
        self.all.push(Mark { mesh: round::ball(radius, SIDES), pose, color });
    }

    /// A straight piece between two points.
    fn rod(&mut self, a: Vec3, b: Vec3, radius: f64, color: Color) {
        let length = a.distance(b);
        if length > 1e-12 && length.is_finite() {
            let mesh = round::cylinder(0.5 * length, radius, SIDES);
            let pose = Pose { position: (a + b) * 0.5, orientation: along(b - a) };
            self.all.push(Mark { mesh, pose, color });
        }
    }

    /// An arrow with a head of fixed size, whatever its length.
    fn arrow(&mut self, from: Vec3, vector: Vec3, radius: f64, color: Color) {
        let length = vector.length();
        if !(length > 1e-12 && length.is_finite()) {
            return;
        }
        let head = (5.0 * radius).min(0.6 * length);
        let neck = from + vector * (1.0 - head / length);
        self.rod(from, neck, radius.min(0.3 * head), color);
        let mesh = round::cone(0.5 * head, 0.48 * head, SIDES);
        let position = neck + vector * (0.5 * head / length);
        self.all.push(Mark { mesh, pose: Pose { position, orientation: along(vector) }, color });
    }

    /// The forces of the contacts on their second body.
    pub fn forces(&mut self, moment: &Moment, extent: &Extent) {
        let size = extent.typical;
        for c in &moment.contacts {
            let point = Vec3::from(c.point.map(f64::from));
            let mut force = Vec3::from(c.force.map(f64::from)) * extent.per_newton;
            // Impacts are many times larger than weights: beyond a few sizes of a body only their
            // logarithm counts.
            let (length, most) = (force.length(), 4.0 * size);
            if length > most {
                force *= most * (1.0 + (length / most).ln()) / length;
            }
            if point.is_finite() && force.is_finite() {
                self.arrow(point, force, 0.032 * size, theme::contact(c.kind));
            }
        }
    }

    /// Anchors, axes, and lines to the bodies that are joined.
    pub fn joints(&mut self, model: &ViewModel, moment: &Moment, extent: &Extent) {
        for joint in &model.joints {
            self.joint(joint, model.dimension == 3, moment, extent.typical);
        }
    }

    fn joint(&mut self, joint: &ViewJoint, spatial: bool, moment: &Moment, size: f64) {
        let color = theme::joint();
        let pose = |side: usize| usize::try_from(joint.bodies[side]).ok().map(|b| moment.poses[b]);
        let ends = [0, 1].map(|side| {
            let anchor = Vec3::from(joint.anchors[side]);
            pose(side).map_or(anchor, |p| p.point(anchor))
        });
        if !ends.iter().all(|p| p.is_finite()) {
            return;
        }
        ends.iter().for_each(|&p| self.ball(p, 0.07 * size, color));
        self.rod(ends[0], ends[1], 0.015 * size, color);
        for (side, &end) in ends.iter().enumerate() {
            if let Some(p) = pose(side) {
                self.rod(p.position, end, 0.015 * size, color);
            }
        }
        if let Some(axis) = joint.axis.filter(|_| spatial) {
            let axis = pose(0).map_or(Vec3::from(axis), |p| p.vector(Vec3::from(axis)));
            self.arrow(ends[0], axis * (0.7 * size), 0.02 * size, color);
        }
    }
}

/// Turns z along a direction.
fn along(direction: Vec3) -> Quat {
    rotation_to(direction.normalize_or(Vec3::Z))
}
