//! Convex hull of points in space, exact on a fine integer grid.
//!
//! The points are rounded to a grid of 2⁴⁰ cells along their longest extent (relative rounding
//! 1e-12); on that grid every orientation test is a 3x3 determinant of integers below 2⁴¹, which
//! 128-bit integers hold exactly. So the incremental construction never meets a contradiction,
//! whatever the input (floats decide where they are certain): no tolerance decides what the hull is, only afterwards which of its
//! triangles are one flat face (`merge.rs`).

use crate::{GeometryError, Vec3};

/// Cells of the grid along the longest extent.
const CELLS: f64 = (1_u64 << 40) as f64;

type Cell = [i64; 3];

/// A triangle of the growing hull: corners counter-clockwise from outside.
struct Facet {
    corners: [usize; 3],
    /// `neighbors[k]`: the facet across the edge from corner `k` to the next.
    neighbors: [usize; 3],
    /// Points that see this facet and have no other facet yet.
    outside: Vec<usize>,
    alive: bool,
}

/// Rounds to the grid.
fn snap(points: &[Vec3], low: Vec3, extent: f64) -> Vec<Cell> {
    let cell = |x: f64| (x / extent * CELLS).round() as i64;
    points.iter().map(|&p| p - low).map(|p| [cell(p.x), cell(p.y), cell(p.z)]).collect()
}

fn minus(a: Cell, b: Cell) -> [i128; 3] {
    [0, 1, 2].map(|k| i128::from(a[k] - b[k]))
}

fn cross(a: [i128; 3], b: [i128; 3]) -> [i128; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [i128; 3], b: [i128; 3]) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Positive if `d` sees triangle `abc` from its front.
fn orient(a: Cell, b: Cell, c: Cell, d: Cell) -> i128 {
    dot(cross(minus(b, a), minus(c, a)), minus(d, a))
}

/// The same in floats with the right sign: differences below 2⁴¹ are exact, the six products
/// below 2¹²³ are off by less than 2⁷⁵ together, so only what is smaller needs integers.
fn orient_fast(a: Cell, b: Cell, c: Cell, d: Cell) -> f64 {
    const CERTAIN: f64 = (1_u128 << 80) as f64;
    let from = |p: Cell| Vec3::from([0, 1, 2].map(|k| (p[k] - a[k]) as f64));
    let rough = from(b).cross(from(c)).dot(from(d));
    if rough.abs() > CERTAIN { rough } else { orient(a, b, c, d) as f64 }
}

/// The triangles of the hull of `points`, counter-clockwise from outside, in a fixed order.
pub(crate) fn triangles(
    points: &[Vec3],
    low: Vec3,
    extent: f64,
) -> Result<Vec<[usize; 3]>, GeometryError> {
    let cells = snap(points, low, extent);
    let simplex = first_simplex(&cells, extent)?;
    let mut hull = Hull::new(cells, simplex);
    // Every turn takes the farthest point of one facet, so the work follows the size of the hull.
    let mut next = 0;
    while next < hull.facets.len() {
        match hull.farthest(next) {
            Some(apex) => hull.add(next, apex),
            None => next += 1,
        }
    }
    Ok(hull.facets.iter().filter(|f| f.alive).map(|f| f.corners).collect())
}

/// Four points that are not in one plane.
fn first_simplex(cells: &[Cell], extent: f64) -> Result<[usize; 4], GeometryError> {
    let flat = |thickness| GeometryError::Flat { extent, thickness };
    let all = || 0..cells.len();
    let square = |v: [i128; 3]| dot(v, v);
    let a = all().min_by_key(|&i| cells[i]).ok_or_else(|| flat(0.0))?;
    let b = all()
        .max_by_key(|&i| square(minus(cells[i], cells[a])))
        .filter(|&b| cells[b] != cells[a])
        .ok_or_else(|| flat(0.0))?;
    // Areas are compared as floats: their squares would not fit 128 bits.
    let axis = minus(cells[b], cells[a]);
    let area = |i: usize| {
        let n = cross(axis, minus(cells[i], cells[a]));
        n.iter().map(|&x| (x as f64) * (x as f64)).sum::<f64>()
    };
    let c = all().max_by(|&i, &j| area(i).total_cmp(&area(j))).ok_or_else(|| flat(0.0))?;
    if area(c) == 0.0 {
        return Err(flat(0.0));
    }
    let volume = |i: usize| orient(cells[a], cells[b], cells[c], cells[i]);
    let d = all().max_by_key(|&i| volume(i).abs()).ok_or_else(|| flat(0.0))?;
    match volume(d) {
        0 => Err(flat(0.0)),
        v if v > 0 => Ok([a, c, b, d]),
        _ => Ok([a, b, c, d]),
    }
}

struct Hull {
    cells: Vec<Cell>,
    facets: Vec<Facet>,
}

impl Hull {
    /// From a tetrahedron whose last point is behind the triangle of the first three.
    fn new(cells: Vec<Cell>, [a, b, c, d]: [usize; 4]) -> Self {
        let facet = |corners, neighbors| Facet { corners, neighbors, outside: vec![], alive: true };
        let facets = vec![
            facet([a, b, c], [1, 2, 3]),
            facet([b, a, d], [0, 3, 2]),
            facet([c, b, d], [0, 1, 3]),
            facet([a, c, d], [0, 2, 1]),
        ];
        let mut hull = Self { cells, facets };
        let others = (0..hull.cells.len()).filter(|i| ![a, b, c, d].contains(i)).collect();
        hull.assign(others, 0);
        hull
    }

    fn sees(&self, facet: usize, point: usize) -> f64 {
        let [a, b, c] = self.facets[facet].corners.map(|i| self.cells[i]);
        orient_fast(a, b, c, self.cells[point])
    }

    /// Gives each point to the first facet from `start` on that it sees; drops those inside.
    fn assign(&mut self, points: Vec<usize>, start: usize) {
        for point in points {
            if let Some(f) = (start..self.facets.len()).find(|&f| self.sees(f, point) > 0.0) {
                self.facets[f].outside.push(point);
            }
        }
    }

    fn farthest(&self, facet: usize) -> Option<usize> {
        let f = &self.facets[facet];
        if !f.alive {
            return None;
        }
        let height = |p: usize| self.sees(facet, p);
        f.outside.iter().copied().max_by(|&p, &q| height(p).total_cmp(&height(q)))
    }

    /// Replaces all facets that `apex` sees by the cone from their outline to `apex`.
    fn add(&mut self, start: usize, apex: usize) {
        let horizon = self.horizon(start, apex);
        let first = self.facets.len();
        let count = horizon.visible_edges.len();
        for (k, &(facet, side)) in horizon.visible_edges.iter().enumerate() {
            let [tail, head] = self.edge(facet, side);
            let across = self.facets[facet].neighbors[side];
            let new = first + k;
            let neighbors = [across, first + (k + 1) % count, first + (k + count - 1) % count];
            self.facets.push(Facet {
                corners: [tail, head, apex],
                neighbors,
                outside: vec![],
                alive: true,
            });
            if let Some(back) = (0..3).find(|&s| self.edge(across, s) == [head, tail]) {
                self.facets[across].neighbors[back] = new;
            }
        }
        let mut orphans = vec![];
        for &f in &horizon.visible {
            self.facets[f].alive = false;
            orphans.append(&mut self.facets[f].outside);
        }
        orphans.retain(|&p| p != apex);
        self.assign(orphans, first);
    }

    fn edge(&self, facet: usize, side: usize) -> [usize; 2] {
        let c = self.facets[facet].corners;
        [c[side], c[(side + 1) % 3]]
    }

    /// The facets that `apex` sees, and their outline in counter-clockwise order.
    ///
    /// Depth-first around each facet, which meets the outline in order because the visible
    /// region of a convex body is a disc.
    fn horizon(&self, start: usize, apex: usize) -> Horizon {
        let mut found = Horizon { visible: vec![start], visible_edges: vec![] };
        let mut stack = vec![(start, 0, 3)];
        let mut seen = std::collections::BTreeSet::from([start]);
        while let Some((facet, side, left)) = stack.pop() {
            if left == 0 {
                continue;
            }
            stack.push((facet, (side + 1) % 3, left - 1));
            let next = self.facets[facet].neighbors[side];
            if seen.contains(&next) {
                continue;
            }
            if self.sees(next, apex) > 0.0 {
                seen.insert(next);
                found.visible.push(next);
                let [tail, head] = self.edge(facet, side);
                let back = (0..3).find(|&s| self.edge(next, s) == [head, tail]).unwrap_or(0);
                stack.push((next, (back + 1) % 3, 2));
            } else {
                found.visible_edges.push((facet, side));
            }
        }
        found
    }
}

struct Horizon {
    visible: Vec<usize>,
    /// Facet and side, on the visible side of the outline.
    visible_edges: Vec<(usize, usize)>,
}
