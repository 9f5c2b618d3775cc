//! Contacts that say the same: where vertices meet vertices, several feature pairs give one and
//! the same constraint. Solvers are better off with one of them.

use stickslip_geometry::Vec3;

use super::{Contact, Feature, Role};

/// What counts as the same place and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sameness {
    /// Points of one body closer than this are one \[m\]. Default 1e-9.
    pub distance: f64,
    /// Normals that differ by less than this are one. Default 1e-9.
    pub normal: f64,
}

impl Default for Sameness {
    fn default() -> Self {
        Self { distance: 1e-9, normal: 1e-9 }
    }
}

/// Indices, rising, of the contacts without repeats: of primary contacts between two bodies at
/// one place along one normal the best is kept (a vertex on a face before two edges, then the
/// smaller gap, then the first). Secondary contacts are all kept.
///
/// Contacts must come grouped by bodies, as detectors give them.
pub fn distinct(contacts: &[Contact], same: Sameness) -> Vec<usize> {
    let mut kept = vec![];
    let mut start = 0;
    for group in contacts.chunk_by(|x, y| (x.a.body, x.b.body) == (y.a.body, y.b.body)) {
        let mut best: Vec<usize> = vec![];
        for (k, c) in group.iter().enumerate() {
            let twin = best
                .iter_mut()
                .find(|&&mut b| c.role == Role::Primary && repeats(c, &group[b], same));
            match twin {
                Some(b) if rank(c) < rank(&group[*b]) => *b = k,
                Some(_) => {}
                None => best.push(k),
            }
        }
        best.sort_unstable();
        kept.extend(best.into_iter().map(|k| start + k));
        start += group.len();
    }
    kept
}

fn repeats(c: &Contact, d: &Contact, same: Sameness) -> bool {
    let near = |p: Vec3, q: Vec3| p.distance_squared(q) <= same.distance * same.distance;
    d.role == Role::Primary
        && c.normal.distance_squared(d.normal) <= same.normal * same.normal
        && near(c.a.point, d.a.point)
        && near(c.b.point, d.b.point)
}

fn rank(c: &Contact) -> (bool, f64) {
    (matches!(c.a.feature, Feature::Edge(_)), c.gap)
}
