//! PEG in the plane (algorithms 8-11).

use super::pair::{Pair, RELAXED, SLIVER};
use crate::formulate::ConstraintKind;

/// Cross-contact constraints of every near vertex pair, (4.17).
///
/// With `C1 = (v_a, e_b1)`, `C2 = (v_a, e_b2)`, `C3 = (v_b, e_a1)`, `C4 = (v_b, e_a2)`, index 1
/// for the side that enters a corner and 2 for the one that leaves it (counter-clockwise), the
/// corners pass each other on one side or on the other: X(C1, C4) and X(C2, C3).
///
/// X(C2, C3) is a fact only where both corners lie on the outer side of both lines: the side
/// `e_a1` leads away from `e_b2` and `e_b2` from `e_a1`. Otherwise (a needle that points at a
/// corner) it would forbid free places, and it is left out; likewise where a contact does not come
/// near to being applicable, since the corner is then narrower than that. Two sides that face each
/// other within what an impact may turn them in the step count as doing so exactly; where they
/// run back to back, the places behind both are a sliver that says nothing.
pub(super) fn cross(pair: &mut Pair) {
    for va in pair.near_vertices(0) {
        for vb in pair.near_vertices(1) {
            let [a, b] = pair.solids;
            let shift = b.vertices[vb] - a.vertices[va];
            if shift.length() > pair.reach {
                continue;
            }
            // (face of A at its corner, face of B at its own): (1, 2) and (2, 1).
            for (i, j) in [(0, 1), (1, 0)] {
                let (fa, fb) = (a.faces_at[va][i], b.faces_at[vb][j]);
                let along = |s: &super::solid::Solid, v: usize, k: usize| {
                    (s.vertices[s.neighbors[v][k]] - s.vertices[v]).normalize_or_zero()
                };
                let [ta, tb] = pair.turned;
                let (da, db) = (along(ta, va, i), along(tb, vb, j));
                let valid = tb.normals[fb].dot(da) >= -pair.turn
                    && ta.normals[fa].dot(db) >= -pair.turn
                    && da.dot(db) > SLIVER;
                let close = pair.vertex_applicability(0, va, fb) >= RELAXED
                    && pair.vertex_applicability(1, vb, fa) >= RELAXED;
                if valid && close {
                    let mut all = vec![pair.vertex_face(0, va, fb), pair.vertex_face(1, vb, fa)];
                    all.extend(pair.far_sides(shift));
                    pair.add(ConstraintKind::Cross, all);
                }
            }
        }
    }
}
