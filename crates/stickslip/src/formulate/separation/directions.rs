//! Every direction that may separate two convex bodies, and how far apart it keeps them.
//!
//! Two convex polytopes are apart iff they are so along a face normal of one of them or along the
//! common normal of an edge pair. The separation along a direction is the smallest gap of the other
//! body to it.

use stickslip_geometry::{Aabb, Vec3, gauss::Facing, polytope::Edge, tolerance::MERGE};

use super::hull::{Hull, Kind};

/// Which features make the direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    FaceA(usize),
    FaceB(usize),
    Edges(usize, usize),
}

impl Axis {
    /// Kind and features, for saving.
    pub fn numbers(self) -> [u64; 3] {
        match self {
            Self::FaceA(k) => [0, k as u64, 0],
            Self::FaceB(k) => [1, k as u64, 0],
            Self::Edges(i, j) => [2, i as u64, j as u64],
        }
    }

    /// From what [`Axis::numbers`] gave.
    pub fn from_numbers([kind, i, j]: [u64; 3]) -> Option<Self> {
        match kind {
            0 => Some(Self::FaceA(i as usize)),
            1 => Some(Self::FaceB(i as usize)),
            2 => Some(Self::Edges(i as usize, j as usize)),
            _ => None,
        }
    }
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
    let ([a0, a1], [b0, b1]) = (a.ends(i), b.ends(j));
    let (da, db) = (a1 - a0, b1 - b0);
    let cross = da.cross(db);
    let length = cross.length();
    if length <= MERGE * da.length() * db.length() {
        return None;
    }
    let [n0, n1] = a.edges()[i].faces.map(|f| a.faces[f as usize].0);
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
/// `window` of the largest. The axis of the `last` evaluation is mostly among the largest: from it
/// one corner tells of most faces that they are not. It changes the cost alone.
pub(super) fn candidates(a: &Hull, b: &Hull, window: f64, last: Option<Axis>) -> Vec<Direction> {
    if let (Kind::Polytope(p), Kind::Polytope(q)) = (&a.kind, &b.kind)
        && (p.is_large() || q.is_large())
    {
        let mut facing = Facing::default();
        facing.find([(p, &a.pose), (q, &b.pose)], window);
        return candidates_of(a, b, &facing, window);
    }
    let mut best = last.map_or(f64::NEG_INFINITY, |axis| separation(a, b, axis));
    let mut above = Vec::with_capacity(a.faces.len() + b.faces.len());
    lows(a, b, window, &mut best, &mut above);
    lows(b, a, window, &mut best, &mut above);
    let (above_a, above_b) = above.split_at(a.faces.len());
    let mut all = Vec::with_capacity(8);
    let near = |low: &(usize, &Low)| low.1.height >= best - window;
    let of_a = above_a.iter().enumerate().filter(near);
    all.extend(of_a.map(|(k, low)| face_of_a(a, k, low.height)));
    let of_b = above_b.iter().enumerate().filter(near);
    all.extend(of_b.map(|(k, low)| face_of_b(b, k, low.height)));
    edge_pairs([a, b], [above_a, above_b], best - window, &mut all);
    let best = all.iter().fold(best, |m, d| m.max(d.start));
    all.retain(|d| d.start >= best - window);
    all
}

/// [`candidates`] of large polytopes, from the features that face each other.
fn candidates_of(a: &Hull, b: &Hull, facing: &Facing, window: f64) -> Vec<Direction> {
    let height = |own: &Hull, other: &Hull, face: u32, corner: u32| {
        let (n, offset) = own.faces[face as usize];
        n.dot(other.vertices[corner as usize]) - offset
    };
    let mut all = Vec::new();
    let of_a = facing.faces(0).iter();
    all.extend(of_a.map(|f| face_of_a(a, f.face as usize, height(a, b, f.face, f.corner))));
    let of_b = facing.faces(1).iter();
    all.extend(of_b.map(|f| face_of_b(b, f.face as usize, height(b, a, f.face, f.corner))));
    let best = all.iter().fold(f64::NEG_INFINITY, |m, d| m.max(d.start));
    let first = all.len();
    let of_b: Vec<Arc> = facing.edges(1).map(|j| Arc::new(b, j, -1.0)).collect();
    let axis = widest(&of_b);
    let mut of_b: Vec<([f64; 2], Arc)> = of_b.into_iter().map(|e| (e.range(axis), e)).collect();
    of_b.sort_by(|x, y| x.0[0].total_cmp(&y.0[0]));
    for ea in facing.edges(0).map(|i| Arc::new(a, i, 1.0)) {
        let [low, high] = ea.range(axis);
        let near = of_b.iter().take_while(|e| e.0[0] <= high).filter(|e| e.0[1] >= low);
        for (_, eb) in near {
            let [p, q] = eb.normals.map(|n| n.dot(ea.along));
            if p * q < 0.0 && arcs_cross([p, q], ea.normals.map(|n| n.dot(eb.along))) {
                all.extend(edge_direction(a, b, [ea.edge, eb.edge], best - window));
            }
        }
    }
    all[first..].sort_unstable_by_key(|d| match d.axis {
        Axis::Edges(i, j) => (i, j),
        Axis::FaceA(k) | Axis::FaceB(k) => (k, 0),
    });
    let best = all.iter().fold(best, |m, d| m.max(d.start));
    all.retain(|d| d.start >= best - window);
    all
}

/// An edge and its arc on the Gauss sphere.
struct Arc {
    edge: usize,
    along: Vec3,
    normals: [Vec3; 2],
    /// One, or minus one if the arc is turned about.
    sign: f64,
}

impl Arc {
    fn new(hull: &Hull, edge: usize, sign: f64) -> Self {
        let [tail, head] = hull.ends(edge);
        let normals = hull.edges()[edge].faces.map(|f| hull.faces[f as usize].0);
        Self { edge, along: head - tail, normals, sign }
    }

    /// Between which values of a coordinate the arc lies. A point of it is beyond its chord by one
    /// less the length of the chord's middle, at the most.
    fn range(&self, axis: usize) -> [f64; 2] {
        let [m, n] = self.normals.map(|n| n[axis] * self.sign);
        let bulge = 1.0 - 0.5 * (self.normals[0] + self.normals[1]).length() + 1e-12;
        [m.min(n) - bulge, m.max(n) + bulge]
    }
}

/// The coordinate along which the normals beside these edges differ the most.
fn widest(arcs: &[Arc]) -> usize {
    let around = Aabb::of(arcs.iter().flat_map(|e| e.normals));
    let size = around.max - around.min;
    (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best })
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
        if let Some(corner) = other.extreme(-n) {
            return Self { corner, height: n.dot(other.vertices[corner]) - offset };
        }
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
fn lows(own: &Hull, other: &Hull, window: f64, best: &mut f64, out: &mut Vec<Low>) {
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
    out.extend(own.faces.iter().enumerate().map(low));
}

/// How far apart the features of an axis keep the bodies; nothing can be said where they are edges that
/// turned away from each other.
fn separation(a: &Hull, b: &Hull, axis: Axis) -> f64 {
    let known = |own: &Hull, k: usize| k < own.faces.len();
    match axis {
        Axis::FaceA(k) if known(a, k) => Low::of(a, k, b).height,
        Axis::FaceB(k) if known(b, k) => Low::of(b, k, a).height,
        Axis::Edges(i, j) if i < a.edges().len() && j < b.edges().len() => {
            let found = edge_direction(a, b, [i, j], f64::NEG_INFINITY);
            let extremal = found.filter(|d| is_extremal(a, b, d));
            extremal.map_or(f64::NEG_INFINITY, |d| d.start)
        }
        _ => f64::NEG_INFINITY,
    }
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
/// vertex needs an evaluation.
fn edge_pairs([a, b]: [&Hull; 2], lows: [&[Low]; 2], floor: f64, all: &mut Vec<Direction>) {
    let mut of_b: Vec<(usize, &Edge)> = Vec::with_capacity(16);
    of_b.extend(edges_near(b, a, lows[1], floor));
    if of_b.is_empty() {
        return;
    }
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
            let (r, s) = (n0.dot(b1 - b0), n1.dot(b1 - b0));
            if arcs_cross([p, q], [r, s]) {
                all.extend(edge_direction(a, b, [i, j], floor));
            }
        }
    }
}

/// Whether the bodies come nearest to each other on the features of a direction that parts them, so
/// that no other parts them more.
pub(super) fn is_nearest(a: &Hull, b: &Hull, d: &Direction) -> bool {
    let is_on = |own: &Hull, k: usize, other: &Hull| {
        let low = Low::of(own, k, other);
        own.is_above(k, other.vertices[low.corner])
    };
    match d.axis {
        Axis::FaceA(k) => is_on(a, k, b),
        Axis::FaceB(k) => is_on(b, k, a),
        Axis::Edges(i, j) => {
            let inside = |hull: &Hull, k: usize, x: Vec3| {
                let [p, q] = hull.ends(k);
                (x - p).dot(q - p) >= 0.0 && (x - q).dot(q - p) <= 0.0
            };
            inside(a, i, d.anchors[0]) && inside(b, j, d.anchors[1])
        }
    }
}

/// Whether the separation along a direction is that of all of the two bodies: edges that have
/// turned away from each other no longer are what reaches farthest.
pub(super) fn is_extremal(a: &Hull, b: &Hull, d: &Direction) -> bool {
    let Axis::Edges(i, j) = d.axis else { return true };
    let [of_a, of_b] = slopes(a, b, i, j);
    arcs_cross(of_b, of_a)
}

/// The least slope of an edge of the axis along the normals beside the other, as a sine: from zero on the edges turn
/// away from each other. One for faces.
pub(super) fn least_slope(a: &Hull, b: &Hull, axis: Axis) -> f64 {
    let Axis::Edges(i, j) = axis else { return 1.0 };
    let length = |hull: &Hull, k: usize| {
        let [p, q] = hull.ends(k);
        (q - p).length()
    };
    let [of_a, of_b] = slopes(a, b, i, j);
    let least = |slopes: [f64; 2], length: f64| slopes[0].abs().min(slopes[1].abs()) / length;
    least(of_a, length(b, j)).min(least(of_b, length(a, i)))
}

/// Slopes of B's edge along the normals beside A's, and of A's edge along those beside B's.
fn slopes(a: &Hull, b: &Hull, i: usize, j: usize) -> [[f64; 2]; 2] {
    let ([a0, a1], [b0, b1]) = (a.ends(i), b.ends(j));
    let of_b = b.edges()[j].faces.map(|f| b.faces[f as usize].0.dot(a1 - a0));
    let of_a = a.edges()[i].faces.map(|f| a.faces[f as usize].0.dot(b1 - b0));
    [of_a, of_b]
}

/// Whether the arcs of two edges cross on the Gauss sphere, B's turned about: the slopes of A's edge
/// along the normals beside B's, and of B's edge along those beside A's.
fn arcs_cross([p, q]: [f64; 2], [r, s]: [f64; 2]) -> bool {
    p * q < 0.0 && r * s < 0.0 && p * s < 0.0
}

/// Nearest points farther beyond the ends of an edge than this part of its length are remote.
const REMOTE: f64 = 0.5;

/// Nearest points of two lines that are not parallel.
fn nearest(a0: Vec3, da: Vec3, b0: Vec3, db: Vec3) -> [Vec3; 2] {
    let r = a0 - b0;
    let (a, b, e) = (da.dot(da), da.dot(db), db.dot(db));
    let (c, f) = (da.dot(r), db.dot(r));
    let det = a * e - b * b;
    let (s, t) = ((b * f - c * e) / det, (a * f - b * c) / det);
    [a0 + da * s, b0 + db * t]
}

#[cfg(test)]
mod tests;
