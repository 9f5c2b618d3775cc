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

use stickslip_geometry::Vec3;

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
        Axis::FaceA(k) => Some(face_of_a(a, b, k)),
        Axis::FaceB(k) => Some(face_of_b(a, b, k)),
        Axis::Edges(i, j) => edge_direction(a, b, i, j),
    }
}

fn face_of_a(a: &Hull, b: &Hull, k: usize) -> Direction {
    let (n, offset) = a.faces[k];
    let start = lowest(&b.vertices, n) - offset;
    let foot = a.foot(k);
    Direction { axis: Axis::FaceA(k), normal: n, anchors: [foot; 2], start, remote: false }
}

fn face_of_b(a: &Hull, b: &Hull, k: usize) -> Direction {
    let (n, offset) = b.faces[k];
    let start = lowest(&a.vertices, n) - offset;
    let foot = b.foot(k);
    Direction { axis: Axis::FaceB(k), normal: -n, anchors: [foot; 2], start, remote: false }
}

/// `None` when the edges are parallel.
fn edge_direction(a: &Hull, b: &Hull, i: usize, j: usize) -> Option<Direction> {
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
    let anchors = nearest(a0, da, b0, db);
    let beyond = |x: Vec3, tail: Vec3, along: Vec3| {
        let s = (x - tail).dot(along) / along.length_squared();
        !(-REMOTE..=1.0 + REMOTE).contains(&s)
    };
    let remote = beyond(anchors[0], a0, da) || beyond(anchors[1], b0, db);
    Some(Direction { axis: Axis::Edges(i, j), normal: n, anchors, start: n.dot(b0 - a0), remote })
}

/// The directions of a pair that can matter during the step: those whose separation is within
/// `window` of the largest.
pub(super) fn candidates(a: &Hull, b: &Hull, window: f64) -> Vec<Direction> {
    let mut all = Vec::with_capacity(2 * (a.faces.len() + b.faces.len()));
    all.extend((0..a.faces.len()).map(|k| face_of_a(a, b, k)));
    all.extend((0..b.faces.len()).map(|k| face_of_b(a, b, k)));
    let best = all.iter().fold(f64::NEG_INFINITY, |m, d| m.max(d.start));
    edge_pairs(a, b, best - window, &mut all);
    let best = all.iter().fold(f64::NEG_INFINITY, |m, d| m.max(d.start));
    all.retain(|d| d.start >= best - window);
    all
}

fn lowest(vertices: &[Vec3], n: Vec3) -> f64 {
    vertices.iter().fold(f64::INFINITY, |m, v| m.min(n.dot(*v)))
}

/// Adds the edge pairs that are features of the Minkowski difference: their arcs on the Gauss
/// sphere cross, so the edges are the extremal features along their common normal and no other
/// vertex needs a look.
fn edge_pairs(a: &Hull, b: &Hull, floor: f64, all: &mut Vec<Direction>) {
    // an edge of A along every face normal of B: each is asked for by several edges of B
    let mut slopes = vec![0.0; b.faces.len()];
    for (i, ea) in a.edges().iter().enumerate() {
        let [a0, a1] = ea.vertices.map(|v| a.vertices[v as usize]);
        let [n0, n1] = ea.faces.map(|f| a.faces[f as usize].0);
        let da = a1 - a0;
        slopes.iter_mut().zip(&b.faces).for_each(|(s, face)| *s = face.0.dot(da));
        for (j, eb) in b.edges().iter().enumerate() {
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
            all.extend(edge_direction(a, b, i, j).filter(|d| d.start >= floor));
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
    /// Velocity of each corner of A relative to B, and of B relative to A.
    rates: [Vec<Vec3>; 2],
    drifts: [Drift; 2],
}

impl<'a> Course<'a> {
    pub fn new(a: &'a Hull, b: &'a Hull, drifts: [Drift; 2]) -> Self {
        let [da, db] = drifts;
        let of_a = a.vertices.iter().map(|&v| da.at(v) - db.at(v)).collect();
        let of_b = b.vertices.iter().map(|&v| db.at(v) - da.at(v)).collect();
        Self { a, b, rates: [of_a, of_b], drifts }
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
        let (n, limit) = (d.normal, f64::INFINITY);
        match d.axis {
            Axis::FaceA(k) => {
                let offset = self.a.faces[k].1;
                let pairs = self.b.vertices.iter().zip(&self.rates[1]);
                pairs.fold(limit, |m, (v, u)| m.min(of(n.dot(*v) - offset, n.dot(*u))))
            }
            Axis::FaceB(k) => {
                let offset = self.b.faces[k].1;
                let pairs = self.a.vertices.iter().zip(&self.rates[0]);
                pairs.fold(limit, |m, (v, u)| m.min(of(-n.dot(*v) - offset, -n.dot(*u))))
            }
            Axis::Edges(..) => {
                let [pa, pb] = d.anchors;
                let rate = n.dot(self.drifts[1].at(pb) - self.drifts[0].at(pa));
                limit.min(of(d.start, rate))
            }
        }
    }

    /// Corners of the other body that end on the wrong side of a face, above its area: number and
    /// place at the start.
    pub fn violators(&self, d: &Direction, t: f64, tolerance: f64) -> Vec<(usize, Vec3)> {
        let (reference, other, rates, k) = match d.axis {
            Axis::FaceA(k) => (self.a, self.b, &self.rates[1], k),
            Axis::FaceB(k) => (self.b, self.a, &self.rates[0], k),
            Axis::Edges(..) => return Vec::new(),
        };
        let (n, offset) = reference.faces[k];
        let rim: Vec<Vec3> = reference.corners(k).iter().map(|&v| reference.vertices[v]).collect();
        let moved = other.vertices.iter().zip(rates).enumerate();
        moved
            .filter(|(_, (v, u))| {
                let end = **v + **u * t;
                n.dot(end) - offset < -tolerance && is_above(end, &rim, n)
            })
            .map(|(i, (v, _))| (i, *v))
            .collect()
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
