//! Flat faces out of the triangles of a hull.
//!
//! Starting from the largest triangle, a face takes in every triangle joined to it over an edge
//! whose corners all lie within the tolerance of the first triangle's plane. Corners that then
//! belong to fewer than three faces are not corners and are dropped.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::Vec3;

/// Corner loops of the merged faces over the given points; `None` if an outline is not one loop.
pub(crate) fn faces(
    points: &[Vec3],
    triangles: &[[usize; 3]],
    tolerance: f64,
) -> Option<Vec<Vec<usize>>> {
    let owner = regions(points, triangles, tolerance);
    let count = owner.iter().max()? + 1;
    let by_edge: BTreeMap<[usize; 2], usize> = sides(triangles).collect();
    let mut next = vec![BTreeMap::new(); count];
    for ([tail, head], t) in sides(triangles) {
        if owner[*by_edge.get(&[head, tail])?] != owner[t]
            && next[owner[t]].insert(tail, head).is_some()
        {
            return None;
        }
    }
    let mut faces_at: BTreeMap<usize, usize> = BTreeMap::new();
    for corner in next.iter().flat_map(BTreeMap::keys) {
        *faces_at.entry(*corner).or_default() += 1;
    }
    let corner = |v: &usize| faces_at[v] >= 3;
    next.iter().map(|n| Some(outline(n)?.into_iter().filter(corner).collect())).collect()
}

fn sides(triangles: &[[usize; 3]]) -> impl Iterator<Item = ([usize; 2], usize)> + '_ {
    triangles.iter().enumerate().flat_map(|(t, &[a, b, c])| [([a, b], t), ([b, c], t), ([c, a], t)])
}

/// How far the points reach behind the largest triangle \[m\]: zero for flat ones.
pub(crate) fn thickness(points: &[Vec3], triangles: &[[usize; 3]]) -> f64 {
    let area = |t: &[usize; 3]| {
        let [a, b, c] = t.map(|i| points[i]);
        (b - a).cross(c - a)
    };
    let largest = |s: &&[usize; 3], t: &&[usize; 3]| {
        area(s).length_squared().total_cmp(&area(t).length_squared())
    };
    triangles.iter().max_by(largest).map_or(0.0, |t| {
        let normal = area(t).normalize_or_zero();
        points.iter().map(|&p| normal.dot(points[t[0]] - p)).fold(0.0, f64::max)
    })
}

/// For each triangle, the number of its face.
fn regions(points: &[Vec3], triangles: &[[usize; 3]], tolerance: f64) -> Vec<usize> {
    let by_edge: BTreeMap<[usize; 2], usize> = sides(triangles).collect();
    let area = |t: usize| {
        let [a, b, c] = triangles[t].map(|i| points[i]);
        (b - a).cross(c - a)
    };
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&s, &t| area(t).length_squared().total_cmp(&area(s).length_squared()));
    let mut owner = vec![usize::MAX; triangles.len()];
    let mut count = 0;
    for seed in order {
        if owner[seed] != usize::MAX {
            continue;
        }
        let origin = points[triangles[seed][0]];
        let normal = area(seed).normalize_or_zero();
        let fits = |t: usize| {
            triangles[t].iter().all(|&i| normal.dot(points[i] - origin).abs() <= tolerance)
        };
        owner[seed] = count;
        let mut queue = VecDeque::from([seed]);
        while let Some(t) = queue.pop_front() {
            let [a, b, c] = triangles[t];
            for twin in [[b, a], [c, b], [a, c]] {
                if let Some(&n) = by_edge.get(&twin)
                    && owner[n] == usize::MAX
                    && fits(n)
                {
                    owner[n] = count;
                    queue.push_back(n);
                }
            }
        }
        count += 1;
    }
    owner
}

/// The one loop that the directed edges form.
fn outline(next: &BTreeMap<usize, usize>) -> Option<Vec<usize>> {
    let start = *next.keys().next()?;
    let mut corners = vec![start];
    let mut at = *next.get(&start)?;
    while at != start {
        corners.push(at);
        at = *next.get(&at)?;
        if corners.len() > next.len() {
            return None;
        }
    }
    (corners.len() == next.len()).then_some(corners)
}

/// The points without those closer than `distance` to an earlier one.
pub(crate) fn without_duplicates(points: &[Vec3], low: Vec3, distance: f64) -> Vec<Vec3> {
    let cell = |p: Vec3| {
        let q = (p - low) / distance;
        [q.x.floor() as i64, q.y.floor() as i64, q.z.floor() as i64]
    };
    let mut cells: BTreeMap<[i64; 3], Vec<Vec3>> = BTreeMap::new();
    let mut kept = vec![];
    let mut exact = BTreeSet::new();
    for &p in points {
        // The same point again is the common case, and found faster than a near one.
        if !exact.insert(p.to_array().map(f64::to_bits)) {
            continue;
        }
        let at = cell(p);
        let near = (0..27).any(|k| {
            let key = [at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1];
            cells.get(&key).is_some_and(|c| c.iter().any(|q| q.distance(p) <= distance))
        });
        if !near {
            cells.entry(at).or_default().push(p);
            kept.push(p);
        }
    }
    kept
}
