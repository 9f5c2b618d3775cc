//! The contact manifold of a pair: its points as contacts, with gaps at the start or at the end.

use stickslip_geometry::Vec3;

use super::{
    directions::{Axis, Direction, direction},
    hull::Hull,
    pair::Pair,
    polygon::Point,
};
use crate::collide::{Contact, Feature, Role, Side};

impl Pair {
    /// The contacts of the separating axis, at the poses of the hulls.
    pub fn contacts(&self, hulls: [&Hull; 2], out: &mut Vec<Contact>) {
        let chosen = (&self.directions[self.chosen], &self.points);
        let beside = self.beside.iter().map(|(d, points)| (d, points));
        for (d, points) in std::iter::once(chosen).chain(beside) {
            self.rows(d, points, hulls, out);
        }
    }

    fn rows(&self, d: &Direction, points: &[Point], hulls: [&Hull; 2], out: &mut Vec<Contact>) {
        for p in points {
            let (a, b, gap, features) = match d.axis {
                Axis::FaceA(k) => {
                    let gap = d.normal.dot(p.at) - hulls[0].faces[k].1;
                    let foot = p.at - d.normal * gap;
                    (foot, p.at, gap, [Feature::Face(k as u32), p.feature])
                }
                Axis::FaceB(k) => {
                    let gap = -d.normal.dot(p.at) - hulls[1].faces[k].1;
                    let foot = p.at + d.normal * gap;
                    (p.at, foot, gap, [p.feature, Feature::Face(k as u32)])
                }
                Axis::Edges(i, j) => {
                    let [pa, pb] = d.anchors;
                    (pa, pb, d.start, [Feature::Edge(i as u32), Feature::Edge(j as u32)])
                }
            };
            if gap > 2.0 * self.reach + self.tolerance {
                continue;
            }
            out.push(self.contact(d.normal, [a, b], gap, features));
        }
    }

    /// The contacts of the separating axis and their gaps with the hulls at the end of the step; the
    /// contacts themselves, normals and points, as they are with the hulls at its start.
    pub fn contacts_from(
        &self,
        end: [&Hull; 2],
        start: [&Hull; 2],
        out: &mut Vec<Contact>,
        gaps: &mut Vec<f64>,
    ) {
        let back = |k: usize, x: Vec3| start[k].pose.point(end[k].pose.inverse_point(x));
        let chosen = (&self.directions[self.chosen], &self.points);
        let beside = self.beside.iter().map(|(d, points)| (d, points));
        for (d, points) in std::iter::once(chosen).chain(beside) {
            let first = out.len();
            self.rows(d, points, end, out);
            let normal = normal_at(start, end, d);
            for c in &mut out[first..] {
                gaps.push(c.gap);
                // The point that is not the foot of the other is fixed to its body.
                let (mut a, mut b) = (back(0, c.a.point), back(1, c.b.point));
                match d.axis {
                    Axis::FaceA(k) => {
                        c.gap = normal.dot(b) - start[0].faces[k].1;
                        a = b - normal * c.gap;
                    }
                    Axis::FaceB(k) => {
                        c.gap = -normal.dot(a) - start[1].faces[k].1;
                        b = a + normal * c.gap;
                    }
                    Axis::Edges(..) => c.gap = normal.dot(b - a),
                }
                (c.a.point, c.b.point, c.normal) = (a, b, normal);
            }
        }
    }

    fn contact(&self, normal: Vec3, at: [Vec3; 2], gap: f64, features: [Feature; 2]) -> Contact {
        let side = |k: usize| Side {
            body: self.parts[k].0,
            part: self.parts[k].1,
            feature: features[k],
            point: at[k],
        };
        Contact { a: side(0), b: side(1), normal, gap, applicability: 1.0, role: Role::Primary }
    }
}

/// The normal of a direction at other poses; that of the present ones where edges are parallel
/// there.
fn normal_at(hulls: [&Hull; 2], now: [&Hull; 2], d: &Direction) -> Vec3 {
    let found = direction(hulls[0], hulls[1], d.axis).map(|d| d.normal);
    found.unwrap_or_else(|| hulls[0].pose.vector(now[0].pose.inverse_vector(d.normal)))
}
