//! Every direction that may separate two convex bodies, and how far apart it keeps them.
//!
//! Two convex polytopes are apart iff they are so along a face normal of one of them or along the
//! common normal of an edge pair. The separation along direction k is the smallest gap of the
//! other body to it; along a motion that is linear in time,
//!
//! ```text
//! s_k(t) = min_v  psi_kv + t rate_kv
//! ```
//!
//! so the first zero of `s_k` is exact: the smallest `-psi / rate` among falling gaps.

use stickslip_geometry::{Vec3, polytope::Edge};

use super::{
    hull::{Drift, Hull, Motion},
    polygon::is_above,
};

/// Which features make the direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    FaceA(usize),
    FaceB(usize),
    Edges(usize, usize),
}

/// One direction at the start of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction {
    pub axis: Axis,
    /// Unit, from A to B.
    pub normal: Vec3,
    /// A point on A's side and one on B's: on the face, or nearest points of the two edge lines.
    pub anchors: [Vec3; 2],
    /// Separation at the start \[m\].
    pub start: f64,
    /// Edges whose nearest points are far beyond their ends: along such a direction the bodies may
    /// be apart, but they do not touch there, and its rate changes fast as they turn.
    pub remote: bool,
}

impl Direction {
    /// Whether the direction is believed as soon as it parts the bodies. Remote edges, and
    /// directions that do not part them now, must do so clearly: bodies that come to lie flat on
    /// each other touch along many. Lengths below `tolerance` are round-off \[m\].
    pub fn is_trusted(&self, tolerance: f64) -> bool {
        !self.remote && self.start >= -tolerance
    }
}

/// The direction of these features, whether or not it is among the candidates: edges that are
/// not extremal at these poses still have a common normal, on A's outer side.
pub(super) fn direction(a: &Hull, b: &Hull, axis: Axis) -> Option<Direction> {
    match axis {
        Axis::FaceA(k) => Some(face_of_a(a, k, Low::of(a, k, b).height)),
        Axis::FaceB(k) => Some(face_of_b(b, k, Low::of(b, k, a).height)),
        Axis::Edges(i, j) => edge_direction(a, b, [i, j], f64::NEG_INFINITY),
    }
}

fn face_of_a(a: &Hull, k: usize, start: f64) -> Direction {
    let (n, foot) = (a.faces[k].0, a.foot(k));
    Direction { axis: Axis::FaceA(k), normal: n, anchors: [foot; 2], start, remote: false }
}

fn face_of_b(b: &Hull, k: usize, start: f64) -> Direction {
    let (n, foot) = (b.faces[k].0, b.foot(k));
    Direction { axis: Axis::FaceB(k), normal: -n, anchors: [foot; 2], start, remote: false }
}

/// `None` when the edges are parallel or overlap by more than `floor` allows.
fn edge_direction(a: &Hull, b: &Hull, [i, j]: [usize; 2], floor: f64) -> Option<Direction> {
    let (ea, eb) = (&a.edges()[i], &b.edges()[j]);
    let [a0, a1] = ea.vertices.map(|v| a.vertices[v as usize]);
    let [b0, b1] = eb.vertices.map(|v| b.vertices[v as usize]);
    let (da, db) = (a1 - a0, b1 - b0);
    let cross = da.cross(db);
    let length = cross.length();
    if length <= PARALLEL * da.length() * db.length() {
        return None;
    }
    let [n0, n1] = ea.faces.map(|f| a.faces[f as usize].0);
    let n = if cross.dot(n0 + n1) >= 0.0 { cross / length } else { -cross / length };
    let start = n.dot(b0 - a0);
    if start < floor {
        return None;
    }
    let anchors = nearest(a0, da, b0, db);
    let beyond = |x: Vec3, tail: Vec3, along: Vec3| {
        let s = (x - tail).dot(along) / along.length_squared();
        !(-REMOTE..=1.0 + REMOTE).contains(&s)
    };
    let remote = beyond(anchors[0], a0, da) || beyond(anchors[1], b0, db);
    Some(Direction { axis: Axis::Edges(i, j), normal: n, anchors, start, remote })
}

/// The directions of a pair that can matter during the step: those whose separation is within
/// `window` of the largest.
pub(super) fn candidates(a: &Hull, b: &Hull, window: f64) -> Vec<Direction> {
    let mut best = f64::NEG_INFINITY;
    let above_a = lows(a, b, window, &mut best);
    let above_b = lows(b, a, window, &mut best);
    let mut all = Vec::new();
    let near = |low: &(usize, &Low)| low.1.height >= best - window;
    let of_a = above_a.iter().enumerate().filter(near);
    all.extend(of_a.map(|(k, low)| face_of_a(a, k, low.height)));
    let of_b = above_b.iter().enumerate().filter(near);
    all.extend(of_b.map(|(k, low)| face_of_b(b, k, low.height)));
    edge_pairs([a, b], [&above_a, &above_b], best - window, &mut all);
    let best = all.iter().fold(best, |m, d| m.max(d.start));
    all.retain(|d| d.start >= best - window);
    all
}

/// A low corner of the other body as seen from a face, and its height above it \[m\].
struct Low {
    corner: usize,
    height: f64,
}

impl Low {
    /// The lowest of all.
    fn of(own: &Hull, k: usize, other: &Hull) -> Self {
        let (n, offset) = own.faces[k];
        let mut low = Self { corner: 0, height: f64::INFINITY };
        for (corner, v) in other.vertices.iter().enumerate() {
            let height = n.dot(*v);
            if height < low.height {
                low = Self { corner, height };
            }
        }
        Self { height: low.height - offset, ..low }
    }
}

/// A low corner of `other` above every face of `own`: the lowest where that may be within `window`
/// of the `best` so far; elsewhere any that shows that it is not.
fn lows(own: &Hull, other: &Hull, window: f64, best: &mut f64) -> Vec<Low> {
    let mut corner = 0;
    let low = |(k, &(n, offset)): (usize, &(Vec3, f64))| {
        let height = n.dot(other.vertices[corner]) - offset;
        if height < *best - window {
            return Low { corner, height };
        }
        let low = Low::of(own, k, other);
        corner = low.corner;
        *best = best.max(low.height);
        low
    };
    own.faces.iter().enumerate().map(low).collect()
}

/// The edges of `own` along which the bodies may be apart by `floor`, as far as the faces beside an
/// edge tell. A direction between their normals, `n = (s n_0 + t n_1) / |s n_0 + t n_1|`, sees a
/// corner that is behind both, at heights `x_0, x_1 < min(floor, 0)`, no higher than the larger.
fn edges_near<'a>(
    own: &'a Hull,
    other: &'a Hull,
    lows: &'a [Low],
    floor: f64,
) -> impl Iterator<Item = (usize, &'a Edge)> {
    let limit = floor.min(0.0);
    let is_behind = move |low: &Low, face: usize| {
        let (n, offset) = own.faces[face];
        low.height < limit && n.dot(other.vertices[low.corner]) - offset < limit
    };
    own.edges().iter().enumerate().filter(move |(_, edge)| {
        let [f, g] = edge.faces.map(|f| f as usize);
        !is_behind(&lows[f], g) && !is_behind(&lows[g], f)
    })
}

/// Adds the edge pairs that are features of the Minkowski difference: their arcs on the Gauss
/// sphere cross, so the edges are the extremal features along their common normal and no other
/// vertex needs a look.
fn edge_pairs([a, b]: [&Hull; 2], lows: [&[Low]; 2], floor: f64, all: &mut Vec<Direction>) {
    let of_b: Vec<(usize, &Edge)> = edges_near(b, a, lows[1], floor).collect();
    // an edge of A along every face normal of B: each is asked for by several edges of B
    let mut slopes = vec![0.0; b.faces.len()];
    for (i, ea) in edges_near(a, b, lows[0], floor) {
        let [a0, a1] = ea.vertices.map(|v| a.vertices[v as usize]);
        let [n0, n1] = ea.faces.map(|f| a.faces[f as usize].0);
        let da = a1 - a0;
        slopes.iter_mut().zip(&b.faces).for_each(|(s, face)| *s = face.0.dot(da));
        for &(j, eb) in &of_b {
            let [p, q] = eb.faces.map(|f| slopes[f as usize]);
            if p * q >= 0.0 {
                continue;
            }
            let [b0, b1] = eb.vertices.map(|v| b.vertices[v as usize]);
            let db = b1 - b0;
            let (r, s) = (n0.dot(db), n1.dot(db));
            if r * s >= 0.0 || p * s >= 0.0 {
                continue;
            }
            all.extend(edge_direction(a, b, [i, j], floor));
        }
    }
}

/// Nearest points farther beyond the ends of an edge than this part of its length are remote.
const REMOTE: f64 = 0.5;

/// How many times round-off remote edges must part the bodies.
const CLEARLY: f64 = 1e3;

/// Edges within this angle are parallel: faces speak for them \[rad\].
const PARALLEL: f64 = 1e-6;

/// Nearest points of two lines that are not parallel.
fn nearest(a0: Vec3, da: Vec3, b0: Vec3, db: Vec3) -> [Vec3; 2] {
    let r = a0 - b0;
    let (a, b, e) = (da.dot(da), da.dot(db), db.dot(db));
    let (c, f) = (da.dot(r), db.dot(r));
    let det = a * e - b * b;
    let (s, t) = ((b * f - c * e) / det, (a * f - b * c) / det);
    [a0 + da * s, b0 + db * t]
}

/// Two bodies and how they move: evaluates separations along the motion.
pub(super) struct Course<'a> {
    pub a: &'a Hull,
    pub b: &'a Hull,
    drifts: [Drift; 2],
    /// How B moves as seen from A.
    relative: Drift,
}

impl<'a> Course<'a> {
    pub fn new(a: &'a Hull, b: &'a Hull, drifts: [Drift; 2]) -> Self {
        let [da, db] = drifts;
        let relative = Drift {
            linear: db.linear - da.at(db.center),
            angular: db.angular - da.angular,
            center: db.center,
        };
        Self { a, b, drifts, relative }
    }

    /// `s_k(t)`.
    pub fn separation(&self, d: &Direction, t: f64) -> f64 {
        self.smallest(d, |psi, rate| psi + t * rate)
    }

    /// How far apart the direction keeps the bodies after `t` seconds of their rigid motion, turned
    /// along with them.
    pub fn true_separation(&self, d: &Direction, t: f64) -> f64 {
        let [ma, mb] = self.drifts.map(|drift| drift.over(t));
        let n = match d.axis {
            Axis::FaceA(_) => ma.turn(d.normal),
            Axis::FaceB(_) => mb.turn(d.normal),
            Axis::Edges(i, j) => {
                let along = |hull: &Hull, motion: &Motion, k: usize| {
                    let [p, q] = hull.edges()[k].vertices.map(|v| hull.vertices[v as usize]);
                    motion.turn(q - p)
                };
                let n = along(self.a, &ma, i).cross(along(self.b, &mb, j)).normalize_or_zero();
                if n.dot(d.normal) >= 0.0 { n } else { -n }
            }
        };
        let top = self.a.vertices.iter().map(|&v| n.dot(ma.carry(v)));
        let low = self.b.vertices.iter().map(|&v| n.dot(mb.carry(v)));
        low.fold(f64::INFINITY, f64::min) - top.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Time at which `s_k`, positive now, first turns negative.
    fn zero(&self, d: &Direction) -> f64 {
        let time = |psi: f64, rate: f64| {
            if rate < 0.0 { psi.max(0.0) / -rate } else { f64::INFINITY }
        };
        self.smallest(d, time)
    }

    /// The smallest that `of` makes of gap and rate of the features that the direction looks at.
    fn smallest(&self, d: &Direction, of: impl Fn(f64, f64) -> f64) -> f64 {
        let (n, Drift { linear, angular, center }) = (d.normal, self.relative);
        let (other, side, offset) = match d.axis {
            Axis::FaceA(k) => (self.b, 1.0, self.a.faces[k].1),
            Axis::FaceB(k) => (self.a, -1.0, self.b.faces[k].1),
            Axis::Edges(..) => {
                let [pa, pb] = d.anchors;
                return of(d.start, n.dot(self.drifts[1].at(pb) - self.drifts[0].at(pa)));
            }
        };
        // n . (linear + angular x (v - center))
        let (fall, lever) = (n.dot(linear), n.cross(angular));
        let gaps = other
            .vertices
            .iter()
            .map(|&v| of(side * n.dot(v) - offset, fall + lever.dot(v - center)));
        gaps.fold(f64::INFINITY, f64::min)
    }

    /// Corners of the other body that end on the wrong side of a face, above its area: number and
    /// place at the start.
    pub fn violators(&self, d: &Direction, t: f64, tolerance: f64) -> Vec<(usize, Vec3)> {
        let (reference, other, way, k) = match d.axis {
            Axis::FaceA(k) => (self.a, self.b, t, k),
            Axis::FaceB(k) => (self.b, self.a, -t, k),
            Axis::Edges(..) => return Vec::new(),
        };
        let (n, offset) = reference.faces[k];
        let rim: Vec<Vec3> = reference.corners(k).iter().map(|&v| reference.vertices[v]).collect();
        let ends_inside = |v: Vec3| {
            let end = v + self.relative.at(v) * way;
            n.dot(end) - offset < -tolerance && is_above(end, &rim, n)
        };
        let corners = other.vertices.iter().copied().enumerate();
        corners.filter(|(_, v)| ends_inside(*v)).collect()
    }

    /// The direction of the largest separation at `t`. A later direction must be better by more
    /// than `bias`, so that round-off does not make the choice: faces of A come before faces of
    /// B, and these before edges. One that parts the bodies now comes before those that do not
    /// yet: a body that falls flat on another ends along faces of both, but it was the one it falls
    /// on that it came from. Remote edges are asked only where no other direction parts the
    /// bodies, and believed only if they do so clearly and along the true motion: bodies at rest
    /// on a face lie along all edges of that face.
    pub fn best(&self, directions: &[Direction], t: f64, bias: f64) -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        for parts_now in [true, false] {
            let near = |d: &Direction| !d.remote && (d.start >= -bias) == parts_now;
            for (k, d) in directions.iter().enumerate().filter(|(_, d)| near(d)) {
                let s = self.separation(d, t);
                if s > best.1 + bias {
                    best = (k, s);
                }
            }
            if best.1 >= -bias {
                return best;
            }
        }
        for (k, d) in directions.iter().enumerate().filter(|(_, d)| d.remote) {
            let s = self.separation(d, t).min(self.true_separation(d, t));
            if s > (best.1 + bias).max(CLEARLY * bias) {
                best = (k, s);
            }
        }
        best
    }

    /// The mode of the pair: the direction that keeps it apart at the end `h`, or else the one
    /// that did so last; with the time at which to look at the pair.
    pub fn mode(&self, directions: &[Direction], h: f64, tolerance: f64) -> (usize, f64) {
        let (k, end) = self.best(directions, h, tolerance);
        if end >= -tolerance {
            return (k, h);
        }
        let (mut k, start) = self.best(directions, 0.0, tolerance);
        if start <= 0.0 {
            return (k, 0.0);
        }
        // Follow the separating direction until it fails, then the one that takes over.
        for _ in 0..directions.len() {
            let t = self.zero(&directions[k]).min(h);
            let (next, s) = self.best(directions, t, tolerance);
            if s <= tolerance || next == k {
                return (k, t);
            }
            k = next;
        }
        (k, h)
    }
}

#[cfg(test)]
mod tests {
    use stickslip_geometry::{Pose, Quat, Solid};

    use super::*;
    use crate::{Dimension, testing::Random};

    const SEED: u64 = 5;

    fn hull(random: &mut Random, size: f64, at: Vec3) -> Hull {
        let points: Vec<Vec3> = (0..10).map(|_| random.vector(Dimension::Three) * size).collect();
        let solid = Solid::convex(&points).unwrap();
        let turn = Quat::from_scaled_axis(random.vector(Dimension::Three));
        let pose = Pose { position: at, orientation: turn };
        Hull::new(&solid.shape.parts()[0].convex, pose).unwrap()
    }

    /// Every direction with its separation, from the definition: all corners against all faces, and
    /// all edge pairs along whose common normal no other corner reaches farther.
    fn all_directions(a: &Hull, b: &Hull) -> Vec<(Axis, f64)> {
        let low = |h: &Hull, n: Vec3| h.vertices.iter().map(|v| v.dot(n)).fold(1e9, f64::min);
        let mut all: Vec<(Axis, f64)> = vec![];
        let of_a = a.faces.iter().enumerate();
        all.extend(of_a.map(|(k, f)| (Axis::FaceA(k), low(b, f.0) - f.1)));
        let of_b = b.faces.iter().enumerate();
        all.extend(of_b.map(|(k, f)| (Axis::FaceB(k), low(a, f.0) - f.1)));
        let ends = |h: &Hull, k: usize| h.edges()[k].vertices.map(|v| h.vertices[v as usize]);
        for i in 0..a.edges().len() {
            for j in 0..b.edges().len() {
                let ([a0, a1], [b0, b1]) = (ends(a, i), ends(b, j));
                let n = (a1 - a0).cross(b1 - b0).normalize();
                for n in [n, -n] {
                    let extremal = -low(a, -n) < n.dot(a0) + 1e-12 && low(b, n) > n.dot(b0) - 1e-12;
                    all.extend(extremal.then_some((Axis::Edges(i, j), n.dot(b0 - a0))));
                }
            }
        }
        all
    }

    /// No direction that matters is left out, and none that does not is kept: near bodies and far
    /// ones, that overlap or not, of like and of unlike size.
    #[test]
    fn candidates_are_all_directions_in_the_window() {
        let mut random = Random::new(SEED);
        let mut edges = 0;
        for case in 0..300 {
            let size = if case % 3 == 0 { 20.0 } else { 1.0 };
            let way = random.vector(Dimension::Three).normalize();
            let distance = (0.6 + 0.6 * size) * (1.0 + random.signed());
            let (a, b) =
                (hull(&mut random, size, Vec3::ZERO), hull(&mut random, 1.0, way * distance));
            let all = all_directions(&a, &b);
            let best = all.iter().fold(-1e9, |m: f64, d| m.max(d.1));
            for window in [0.0, 1e-3, 0.1, 1.0] {
                let found = candidates(&a, &b, window);
                for &(axis, s) in all.iter().filter(|d| d.1 > best - window + 1e-12) {
                    let d = found.iter().find(|d| d.axis == axis);
                    let d =
                        d.unwrap_or_else(|| panic!("seed {SEED}, case {case}: {axis:?} at {s}"));
                    assert!((d.start - s).abs() < 1e-12, "seed {SEED}, case {case}: {d:?} {s}");
                    edges += usize::from(matches!(axis, Axis::Edges(..)));
                }
                for d in &found {
                    assert!(d.start > best - window - 1e-12, "seed {SEED}, case {case}: {d:?}");
                    assert!(all.iter().any(|x| x.0 == d.axis), "seed {SEED}, case {case}: {d:?}");
                }
            }
        }
        assert!(edges > 300, "{edges} edge pairs");
    }
}
