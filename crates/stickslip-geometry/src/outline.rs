//! Simple polygons, cut into convex ones.
//!
//! Ears are clipped off until triangles remain, then triangles are joined over diagonals as long
//! as the union stays convex (Hertel and Mehlhorn: at most four times the fewest parts).

use crate::{
    Aabb, GeometryError, Polygon, Vec3,
    error::finite,
    polygon::{turn, without_straight_turns},
    tolerance::TOUCH,
};

/// Convex parts of the polygon with these corners, given in either direction.
///
/// Corners on the straight line of their neighbours are dropped. An outline that crosses or
/// touches itself is refused; `z` is ignored. The cut lines join corners, so the parts cover the
/// polygon exactly and share whole edges.
pub fn convex_parts(corners: &[Vec3]) -> Result<Vec<Polygon>, GeometryError> {
    finite(corners)?;
    let given = corners.len();
    if given < 3 {
        return Err(GeometryError::TooFew { what: "points", given, needed: 3 });
    }
    let mut points: Vec<Vec3> = corners.iter().map(|p| Vec3::new(p.x, p.y, 0.0)).collect();
    let bounds = Aabb::of(points.iter().copied());
    let extent = (bounds.max - bounds.min).max_element();
    check_simple(&points)?;
    let area: f64 = (0..given).map(|k| turn(bounds.min, points[k], points[(k + 1) % given])).sum();
    if area < 0.0 {
        points.reverse();
    }
    let points = without_straight_turns(points, TOUCH * extent);
    if points.len() < 3 || 0.5 * area.abs() <= TOUCH * extent * extent {
        let thickness = if extent > 0.0 { 0.5 * area.abs() / extent } else { 0.0 };
        return Err(GeometryError::Flat { extent, thickness });
    }
    let loops = join(&points, ears(&points)?);
    let part =
        |l: &Vec<usize>| Polygon::from_points(&l.iter().map(|&k| points[k]).collect::<Vec<_>>());
    // A convex polygon keeps the order of its corners.
    if let [whole] = &loops[..] {
        let start = (0..whole.len()).min_by_key(|&k| whole[k]).unwrap_or(0);
        let turned = (0..whole.len()).map(|k| points[whole[(start + k) % whole.len()]]);
        return Ok(vec![Polygon::from_corners(turned.collect())?]);
    }
    loops.iter().map(part).collect()
}

/// No two edges share a point, except the common corner of consecutive ones.
fn check_simple(points: &[Vec3]) -> Result<(), GeometryError> {
    let count = points.len();
    let edge = |k: usize| (points[k], points[(k + 1) % count]);
    let boxes: Vec<Aabb> = (0..count).map(|k| Aabb::of([edge(k).0, edge(k).1])).collect();
    for first in 0..count {
        for second in first + 1..count {
            if !boxes[first].overlaps(&boxes[second]) {
                continue;
            }
            let ((a, b), (c, d)) = (edge(first), edge(second));
            let meets = if second == first + 1 {
                doubles_back(a, b, d)
            } else if first == 0 && second == count - 1 {
                doubles_back(c, a, b)
            } else {
                touch(a, b, c, d)
            };
            if meets {
                return Err(GeometryError::SelfIntersecting { first, second });
            }
        }
    }
    Ok(())
}

/// Whether the path `a b c` turns back onto itself, or stands still.
fn doubles_back(a: Vec3, b: Vec3, c: Vec3) -> bool {
    a == b || b == c || (turn(a, b, c) == 0.0 && (b - a).dot(c - b) < 0.0)
}

/// Whether two closed segments share a point.
fn touch(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> bool {
    let sides = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
    let apart = |x: f64, y: f64| (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0);
    // Boxes overlap, so collinear segments do share a point.
    !apart(sides[0], sides[1]) && !apart(sides[2], sides[3])
}

/// Triangles between the corners of a simple counter-clockwise polygon.
pub(crate) fn ears(points: &[Vec3]) -> Result<Vec<Vec<usize>>, GeometryError> {
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut found = vec![];
    while left.len() > 3 {
        let count = left.len();
        let corner = |k: usize| [left[(k + count - 1) % count], left[k], left[(k + 1) % count]];
        let turns = |k: usize| {
            let [a, b, c] = corner(k).map(|i| points[i]);
            turn(a, b, c)
        };
        // Only corners that turn inward can lie in an ear.
        let reflex: Vec<usize> = (0..count).filter(|&k| turns(k) <= 0.0).map(|k| left[k]).collect();
        let is_ear = |k: &usize| {
            let own = corner(*k);
            let [a, b, c] = own.map(|i| points[i]);
            let inside = |&i: &usize| {
                let p = points[i];
                turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
            };
            turns(*k) > 0.0 && !reflex.iter().filter(|i| !own.contains(i)).any(inside)
        };
        // The ear with the largest smallest height: slivers come last.
        let quality = |k: usize| {
            let [a, b, c] = corner(k).map(|i| points[i]);
            turn(a, b, c) / a.distance(b).max(b.distance(c)).max(c.distance(a))
        };
        let best = (0..count)
            .filter(is_ear)
            .max_by(|&i, &j| quality(i).total_cmp(&quality(j)))
            .ok_or(GeometryError::Topology { what: "corner", index: left[0] })?;
        found.push(corner(best).to_vec());
        left.remove(best);
    }
    found.push(left);
    Ok(found)
}

/// Joins parts over shared edges while they stay convex.
fn join(points: &[Vec3], mut parts: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut i = 0;
    while i < parts.len() {
        // A part that has grown may take in what it could not before.
        let grown = (i + 1..parts.len())
            .find_map(|j| united(points, &parts[i], &parts[j]).map(|both| (j, both)));
        match grown {
            Some((j, both)) => {
                parts[i] = both;
                parts.remove(j);
            }
            None => i += 1,
        }
    }
    parts
}

/// The union of two convex loops with a common edge, if it is convex.
fn united(points: &[Vec3], a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let (n, m) = (a.len(), b.len());
    let (i, j) = (0..n).find_map(|i| {
        let twin = |&j: &usize| b[j] == a[(i + 1) % n] && b[(j + 1) % m] == a[i];
        (0..m).find(twin).map(|j| (i, j))
    })?;
    // From the head of the shared edge around `a` to its tail, then around `b` back to the head.
    let around_a = (0..n).map(|k| a[(i + 1 + k) % n]);
    let around_b = (2..m).map(|k| b[(j + k) % m]);
    let all: Vec<usize> = around_a.chain(around_b).collect();
    let count = all.len();
    let left = |k: usize| {
        let [p, q, r] = [k, k + 1, k + 2].map(|k| points[all[k % count]]);
        turn(p, q, r) >= 0.0
    };
    (0..count).all(left).then_some(all)
}
