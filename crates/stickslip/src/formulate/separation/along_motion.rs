//! How far apart the directions keep two bodies as they move.
//!
//! Along a motion that is linear in time, the separation along direction k is
//!
//! ```text
//! s_k(t) = min_v  psi_kv + t rate_kv
//! ```
//!
//! so the first zero of `s_k` is exact: the smallest `-psi / rate` among falling gaps.

use stickslip_geometry::{
    Vec3,
    tolerance::{MERGE, TOUCH},
};

use super::{
    directions::{Axis, Direction},
    hull::{Drift, Hull, Motion},
};

/// Two bodies and how they move: evaluates separations along the motion.
pub(super) struct AlongMotion<'a> {
    pub a: &'a Hull,
    pub b: &'a Hull,
    drifts: [Drift; 2],
    /// How B moves as seen from A.
    relative: Drift,
}

impl<'a> AlongMotion<'a> {
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
        if let Some((psi, rate)) = self.lowest_at(d, t) {
            return psi + t * rate;
        }
        self.smallest(d, |psi, rate| psi + t * rate)
    }

    /// Gap and rate of the corner that is lowest at `t`, of a hull with many: the height is linear
    /// in the place of the corner.
    fn lowest_at(&self, d: &Direction, t: f64) -> Option<(f64, f64)> {
        let (n, Drift { linear, angular, center }) = (d.normal, self.relative);
        let (other, side, offset) = self.across(d)?;
        let lever = n.cross(angular);
        let v = other.vertices[other.extreme(-(n * side + lever * t))?];
        Some((side * n.dot(v) - offset, n.dot(linear) + lever.dot(v - center)))
    }

    /// The hull in front of a face, the sign of the direction as seen from the face, and
    /// the offset of the face; `None` for edges.
    fn across(&self, d: &Direction) -> Option<(&Hull, f64, f64)> {
        match d.axis {
            Axis::FaceA(k) => Some((self.b, 1.0, self.a.faces[k].1)),
            Axis::FaceB(k) => Some((self.a, -1.0, self.b.faces[k].1)),
            Axis::Edges(..) => None,
        }
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
                    let [p, q] = hull.ends(k);
                    motion.turn(q - p)
                };
                let n = along(self.a, &ma, i).cross(along(self.b, &mb, j)).normalize_or_zero();
                if n.dot(d.normal) >= 0.0 { n } else { -n }
            }
        };
        let top = match self.a.extreme(ma.unturn(n)) {
            Some(k) => n.dot(ma.carry(self.a.vertices[k])),
            None => {
                let all = self.a.vertices.iter().map(|&v| n.dot(ma.carry(v)));
                all.fold(f64::NEG_INFINITY, f64::max)
            }
        };
        let low = match self.b.extreme(-mb.unturn(n)) {
            Some(k) => n.dot(mb.carry(self.b.vertices[k])),
            None => {
                let all = self.b.vertices.iter().map(|&v| n.dot(mb.carry(v)));
                all.fold(f64::INFINITY, f64::min)
            }
        };
        low - top
    }

    /// Time at which `s_k`, positive now, first turns negative; `h` if it does not before.
    fn zero(&self, d: &Direction, h: f64) -> f64 {
        // s_k is concave: from a time at which it is negative, tangents lead down to its zero.
        let mut t = h;
        while let Some((psi, rate)) = self.lowest_at(d, t) {
            if psi + t * rate >= 0.0 {
                return t;
            }
            let next = psi.max(0.0) / -rate;
            if rate >= 0.0 {
                break;
            }
            if next >= t {
                return t;
            }
            t = next;
        }
        let time = |psi: f64, rate: f64| {
            if rate < 0.0 { psi.max(0.0) / -rate } else { f64::INFINITY }
        };
        self.smallest(d, time).min(h)
    }

    /// The smallest that `of` makes of gap and rate of the features that the direction compares.
    fn smallest(&self, d: &Direction, of: impl Fn(f64, f64) -> f64) -> f64 {
        let (n, Drift { linear, angular, center }) = (d.normal, self.relative);
        let Some((other, side, offset)) = self.across(d) else {
            let [pa, pb] = d.anchors;
            return of(d.start, n.dot(self.drifts[1].at(pb) - self.drifts[0].at(pa)));
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
        let ends_inside = |v: Vec3| {
            let end = v + self.relative.at(v) * way;
            n.dot(end) - offset < -tolerance && reference.is_above(k, end)
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
            // Clearly: by more than the distance within which points are one.
            if s > (best.1 + bias).max(bias * (MERGE / TOUCH)) {
                best = (k, s);
            }
        }
        best
    }

    /// The separating axis of the pair: the direction that keeps it apart at the end `h`, or else the one
    /// that did so last; with the time at which to evaluate the pair.
    pub fn separating_axis(
        &self,
        directions: &[Direction],
        h: f64,
        tolerance: f64,
    ) -> (usize, f64) {
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
            let t = self.zero(&directions[k], h);
            let (next, s) = self.best(directions, t, tolerance);
            if s <= tolerance || next == k {
                return (k, t);
            }
            k = next;
        }
        (k, h)
    }
}
