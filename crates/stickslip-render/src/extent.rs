//! How large a run is: for the camera, the light, and the size of marks.

use stickslip::geometry::{Pose, Quat, Vec3};
use stickslip_record::{Replay, view::ViewModel};

use crate::{
    Camera, Lens, Moment,
    camera::{CameraChoice, View},
    mesh::Shape,
};

/// An axis-aligned box; empty while `low > high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub low: Vec3,
    pub high: Vec3,
}

impl Bounds {
    pub const EMPTY: Self =
        Self { low: Vec3::splat(f64::INFINITY), high: Vec3::splat(f64::NEG_INFINITY) };

    pub fn is_empty(&self) -> bool {
        self.low.x > self.high.x
    }

    pub fn add(&mut self, p: Vec3) {
        if p.is_finite() {
            (self.low, self.high) = (self.low.min(p), self.high.max(p));
        }
    }

    pub fn union(&self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn intersection(&self, other: &Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    fn grown(&self, by: f64) -> Self {
        Self { low: self.low - Vec3::splat(by), high: self.high + Vec3::splat(by) }
    }

    pub fn middle(&self) -> Vec3 {
        (self.low + self.high) * 0.5
    }

    /// Length of its diagonal \[m\].
    pub fn diagonal(&self) -> f64 {
        if self.is_empty() { 0.0 } else { (self.high - self.low).length() }
    }

    fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|k| {
            let pick = |bit: usize, a: f64, b: f64| if k & bit == 0 { a } else { b };
            Vec3::new(
                pick(1, self.low.x, self.high.x),
                pick(2, self.low.y, self.high.y),
                pick(4, self.low.z, self.high.z),
            )
        })
    }
}

/// A part of a body: which shape, and where in the body.
pub(crate) fn part_pose(part: &stickslip_record::view::ViewPart) -> Pose {
    let [w, x, y, z] = part.orientation;
    Pose { position: Vec3::from(part.position), orientation: Quat::from_xyzw(x, y, z, w) }
}

/// Sizes of a scene, and what is where during a run.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    /// Half the diagonal of a typical moving body \[m\].
    pub typical: f64,
    /// Box of everything that matters during the run.
    pub focus: Bounds,
    /// Metres of arrow per newton.
    pub per_newton: f64,
    /// Corners of each body in its own frame.
    corners: Vec<Vec<Vec3>>,
}

/// Moments evaluated.
const MOMENTS: usize = 64;

impl Extent {
    pub fn new(replay: &Replay, shapes: &[Shape]) -> Self {
        let model = &replay.model;
        let corners: Vec<Vec<Vec3>> = model
            .bodies
            .iter()
            .map(|body| {
                let parts = body.parts.iter();
                let points = |part| {
                    let pose = part_pose(part);
                    shapes[part.shape].corners.iter().map(move |&p| pose.point(p))
                };
                parts.flat_map(points).collect()
            })
            .collect();
        let mut extent = Self { typical: 0.5, focus: Bounds::EMPTY, per_newton: 0.0, corners };
        extent.typical = extent.typical_size(model);
        extent.focus = extent.find_focus(replay, shapes);
        extent.per_newton = extent.force_scale(replay);
        extent
    }

    fn typical_size(&self, model: &ViewModel) -> f64 {
        let of = |moving: bool| -> Vec<f64> {
            let bodies = model.bodies.iter().zip(&self.corners);
            let chosen = bodies.filter(|(b, c)| !c.is_empty() && moving == (b.motion != "static"));
            let mut sizes: Vec<f64> =
                chosen.map(|(_, c)| 0.5 * around(c, &Pose::IDENTITY).diagonal()).collect();
            sizes.sort_by(f64::total_cmp);
            sizes
        };
        let moving = of(true);
        let sizes = if moving.is_empty() { of(false) } else { moving };
        let middle = sizes.get(sizes.len() / 2).copied().unwrap_or(0.5);
        if middle > 0.0 && middle.is_finite() { middle } else { 0.5 }
    }

    /// Box of a body at a pose; empty for a half-space.
    fn of(&self, body: usize, pose: &Pose) -> Bounds {
        around(&self.corners[body], pose)
    }

    /// The boxes of all that moves, at [`MOMENTS`] moments.
    fn paths(&self, replay: &Replay) -> Vec<Bounds> {
        let last = replay.frames().saturating_sub(1);
        let count = MOMENTS.min(last + 1);
        let frame = |k: usize| if count < 2 { 0 } else { k * last / (count - 1) };
        let mut out = Vec::new();
        for k in 0..count {
            let moment = Moment::frame(replay, frame(k));
            for (b, body) in replay.model.bodies.iter().enumerate() {
                if body.motion != "static" && body.visible {
                    out.push(self.of(b, &moment.poses[b]));
                }
            }
        }
        out.retain(|b| !b.is_empty());
        out
    }

    /// What the camera must show: the whole motion but for what flies far off, the fixed bodies
    /// near it, and the ground below.
    fn find_focus(&self, replay: &Replay, shapes: &[Shape]) -> Bounds {
        let first = Moment::frame(replay, 0);
        let fixed: Vec<Bounds> = replay
            .model
            .bodies
            .iter()
            .enumerate()
            .filter(|(_, body)| body.motion == "static" && body.visible)
            .map(|(b, _)| self.of(b, &first.poses[b]))
            .filter(|b| !b.is_empty())
            .collect();
        let paths = self.paths(replay);
        let mut focus = without_outliers(&paths);
        if focus.is_empty() {
            focus = fixed.iter().fold(Bounds::EMPTY, |all, b| all.union(b));
        } else {
            let near = focus.grown(0.3 * focus.diagonal());
            for b in &fixed {
                let inside = b.intersection(&near);
                if inside.low.cmple(inside.high).all() {
                    focus = focus.union(&inside);
                }
            }
        }
        if focus.is_empty() {
            focus = Bounds { low: Vec3::splat(-1.0), high: Vec3::splat(1.0) };
        }
        self.add_ground(&mut focus, replay, shapes);
        if focus.diagonal() < 1e-9 { focus.grown(self.typical) } else { focus }
    }

    /// Adds the foot of the middle on every half-space that is near.
    fn add_ground(&self, focus: &mut Bounds, replay: &Replay, shapes: &[Shape]) {
        let first = Moment::frame(replay, 0);
        let (middle, near) = (focus.middle(), focus.diagonal());
        let up = if replay.model.dimension == 2 { Vec3::Y } else { Vec3::Z };
        for (b, body) in replay.model.bodies.iter().enumerate().filter(|(_, b)| b.visible) {
            for part in body.parts.iter().filter(|p| shapes[p.shape].is_half_space()) {
                let pose = first.poses[b].compose(&part_pose(part));
                let n = pose.vector(up);
                let foot = middle - n * n.dot(middle - pose.position);
                if foot.distance(middle) < near {
                    focus.add(foot);
                }
            }
        }
    }

    /// Large forces of the run (nine in ten are smaller) get 1.6 times a body's size; but a tenth
    /// of the heaviest weight is the least that counts as large, lest rounding look like force.
    fn force_scale(&self, replay: &Replay) -> f64 {
        let norm = |v: &[f32]| v.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let mut forces: Vec<f64> = replay.contacts.force.chunks_exact(3).map(norm).collect();
        forces.retain(|f| *f > 0.0 && f.is_finite());
        forces.sort_by(f64::total_cmp);
        let moving = replay.model.bodies.iter().filter(|b| b.motion == "dynamic");
        let heaviest = moving.map(|b| b.mass).filter(|m| m.is_finite()).fold(0.0, f64::max);
        let weight = Vec3::from(replay.model.gravity).length() * heaviest;
        let large = forces.get(forces.len() * 9 / 10).copied().unwrap_or(weight);
        1.6 * self.typical / large.max(0.1 * weight).max(1e-12)
    }

    /// A camera that sees the whole motion.
    pub fn camera(&self, planar: bool, aspect: f64) -> Camera {
        if planar {
            let size = self.focus.high - self.focus.low;
            let height = 1.2 * size.y.max(size.x / aspect).max(1e-6);
            let target = self.focus.middle().with_z(0.0);
            let position = target + Vec3::Z * (10.0 + height);
            let lens = Lens::Orthographic { height };
            return Camera { position, target, up: Vec3::Y, lens };
        }
        fitted(&self.focus, aspect, CameraChoice::FOV)
    }

    /// The same with another angle of view \[degrees\].
    pub fn camera_with(&self, fov: f64, aspect: f64) -> Camera {
        fitted(&self.focus, aspect, fov)
    }

    /// The same around a body, for a camera that goes along with it.
    pub fn beside(&self, body: usize, pose: &Pose) -> Self {
        let one = self.of(body, pose);
        let radius = if one.is_empty() { self.typical } else { 0.5 * one.diagonal() };
        let most = 0.5 * self.focus.diagonal();
        let reach = (4.0 * radius.max(0.5 * self.typical)).min(most).max(1.5 * radius);
        let box_ = Bounds { low: pose.position, high: pose.position }.grown(0.6 * reach);
        Self { focus: box_, ..self.clone() }
    }
}

fn around(corners: &[Vec3], pose: &Pose) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    corners.iter().for_each(|&p| bounds.add(pose.point(p)));
    bounds
}

/// The union of boxes without the few that are far from the others: between two percent of the
/// middles on either side of each axis, and up to once that far beyond.
fn without_outliers(boxes: &[Bounds]) -> Bounds {
    if boxes.is_empty() {
        return Bounds::EMPTY;
    }
    let mut core = Bounds::EMPTY;
    let quantile = |axis: usize, part: f64| {
        let mut all: Vec<f64> = boxes.iter().map(|b| b.middle()[axis]).collect();
        all.sort_by(f64::total_cmp);
        all[(part * (all.len() - 1) as f64).round() as usize]
    };
    core.add(Vec3::from([0, 1, 2].map(|axis| quantile(axis, 0.02))));
    core.add(Vec3::from([0, 1, 2].map(|axis| quantile(axis, 0.98))));
    let mut sizes: Vec<f64> = boxes.iter().map(Bounds::diagonal).collect();
    sizes.sort_by(f64::total_cmp);
    let near = core.grown(core.diagonal().max(2.0 * sizes[sizes.len() / 2]));
    let inside = |p: Vec3| p.cmpge(near.low).all() && p.cmple(near.high).all();
    let kept = boxes.iter().filter(|b| inside(b.middle()));
    kept.fold(Bounds::EMPTY, |all, b| all.union(b))
}

/// Where the viewer looks from.
const FROM: Vec3 = Vec3::new(0.62, -1.0, 0.52);
/// Part of the picture that the box may fill.
const FILL: f64 = 0.9;

/// A camera from the usual side, as near as it sees all of a box.
fn fitted(bounds: &Bounds, aspect: f64, fov: f64) -> Camera {
    let target = bounds.middle();
    let lens = Lens::Perspective { fov };
    let from = FROM.normalize();
    let mut camera = Camera { position: target + from, target, up: Vec3::Z, lens };
    let view = View::new(&camera, 2, 2);
    let half = (0.5 * fov.to_radians()).tan() * FILL;
    let mut distance: f64 = 1e-6;
    for corner in bounds.corners() {
        let c = view.direction(corner - target);
        // |x| <= (distance + z) tan, and the same for y.
        distance = distance.max(c.y.abs() / half - c.z).max(c.x.abs() / (half * aspect) - c.z);
    }
    camera.position = target + from * distance;
    camera
}
