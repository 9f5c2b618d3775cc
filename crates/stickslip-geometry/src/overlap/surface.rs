//! Overlap of convex parts with a surface of triangles.
//!
//! A triangle is one-sided: what crosses it is behind it by
//!
//! ```text
//!  depth = min over n of  max_triangle n·x − min_part n·x
//! ```
//!
//! where n runs over the directions in which the surface can be left there: the normal of the
//! triangle and, over each ridge or border of it, the arc to the normal of the neighbour (or to
//! the side); at a corner that the part reaches, the arcs over all ridges that follow each other around it,
//! and what directions of the part's own lie between them. Over valleys there is no way out but the normal. The depth of a part
//! is the largest over the triangles it crosses. A part that crosses none is overlapping only if
//! it lies within a closed mesh: its depth then is the distance of its origin from the surface,
//! and its whole volume counts.
//!
//! The volume is that of the part within the prism of each crossed triangle, down to the depth:
//! exact over flat ground, an estimate at corners, where prisms overlap or leave gaps.

use crate::{Bend, Convex, Dimension, Part, Polytope, Pose, Quat, TriMesh, Vec3};

use super::{
    Overlap, Placed, closest,
    core::{Core, Ridge, Side},
    round, separate, volume,
};

/// Directions tried on an arc before the best is refined.
const SAMPLES: u32 = 16;

/// Overlap of a placed surface with the parts of a placed body.
pub fn overlap(mesh: &TriMesh, pose_mesh: &Pose, parts: &[Part], pose: &Pose) -> Overlap {
    let mut total = Overlap::default();
    let into = volume::inverse(pose_mesh).compose(pose);
    for part in parts.iter().filter(|p| p.convex.is_bounded()) {
        let placed = Placed { convex: &part.convex, pose: into.compose(&part.pose) };
        let found = part_overlap(mesh, placed, true);
        total.depth = total.depth.max(found.depth);
        total.volume += found.volume;
    }
    total
}

/// Its depth alone \[m\].
pub fn depth(mesh: &TriMesh, pose_mesh: &Pose, parts: &[Part], pose: &Pose) -> f64 {
    let into = volume::inverse(pose_mesh).compose(pose);
    let bounded = parts.iter().filter(|p| p.convex.is_bounded());
    let depth = |part: &Part| {
        let placed = Placed { convex: &part.convex, pose: into.compose(&part.pose) };
        part_overlap(mesh, placed, false).depth
    };
    bounded.map(depth).fold(0.0, f64::max)
}

fn part_overlap(mesh: &TriMesh, part: Placed, with_volume: bool) -> Overlap {
    let bounds = part.convex.aabb(&part.pose);
    let mut total = Overlap::default();
    if !bounds.overlaps(&mesh.bounds()) {
        return total;
    }
    let mut crossed = false;
    for t in mesh.triangles_in(&bounds) {
        let normal = mesh.normals[t as usize];
        let below = along(mesh, t, part, normal);
        if below <= 0.0 || !crosses(mesh, t, part) {
            continue;
        }
        crossed = true;
        let depth = ways_out(mesh, t, part).into_iter().fold(below, f64::min).max(0.0);
        total.depth = total.depth.max(depth);
        if let Some(prism) = prism(mesh, t, depth).filter(|_| with_volume) {
            let convex = Convex::Polytope(prism.into());
            let prism = Placed { convex: &convex, pose: Pose::IDENTITY };
            total.volume += volume::shared(Dimension::Three, prism, part);
        }
    }
    if !crossed && mesh.is_closed() && mesh.winding(part.pose.position) > 0.5 {
        let depth = distance(mesh, part.pose.position);
        let all = || part.convex.volume(Dimension::Three);
        return Overlap { depth, volume: if with_volume { all() } else { 0.0 } };
    }
    total
}

/// How far the part reaches behind the triangle along `n`.
fn along(mesh: &TriMesh, t: u32, part: Placed, n: Vec3) -> f64 {
    let top = mesh.corners(t).map(|c| n.dot(c)).into_iter().fold(f64::NEG_INFINITY, f64::max);
    top - n.dot(part.convex.support(&part.pose, -n))
}

/// Whether the part and the triangle share a point.
fn crosses(mesh: &TriMesh, t: u32, part: Placed) -> bool {
    let corners = mesh.corners(t);
    let normal = mesh.normals[t as usize];
    let origin = part.pose.position;
    let points: Vec<Vec3> = corners.iter().map(|c| *c - origin).collect();
    let radius = round::thickness(part.convex);
    if part.convex.is_revolution() {
        let corner = |n: Vec3| {
            let far = |a: &&Vec3, b: &&Vec3| n.dot(**a).total_cmp(&n.dot(**b));
            let top = points.iter().max_by(far).copied().unwrap_or(Vec3::ZERO);
            top - (round::bare_support(part, -n) - origin)
        };
        let mut directions: Vec<Vec3> = vec![normal, -normal];
        directions.extend(round::own_directions(part));
        return !round::are_apart(&corner, &directions, radius);
    }
    let side = |normal: Vec3, corners: [u32; 3]| {
        let offset = normal.dot(points[0]);
        Side { normal, offset, corners: corners.to_vec() }
    };
    let sides = vec![side(normal, [0, 1, 2]), side(-normal, [0, 2, 1])];
    let ridges = (0..3).map(|k| Ridge { ends: [k, (k + 1) % 3], sides: None }).collect();
    let triangle = Core { points, sides, ridges, radius: 0.0, planar: false };
    separate::gap(&triangle, &Core::new(part, origin), Some(radius)).gap < radius
}

/// Depths along the arcs over ridges and borders of a triangle, and around its corners.
fn ways_out(mesh: &TriMesh, t: u32, part: Placed) -> Vec<f64> {
    let own = (0..3).filter_map(|k| Some((t, k, over(mesh, t, k)?)));
    let mut found: Vec<f64> = own.flat_map(|arc| along_arc(mesh, t, part, arc)).collect();
    let least = found.iter().copied().fold(f64::INFINITY, f64::min);
    let least = least.min(along(mesh, t, part, mesh.normals[t as usize]));
    for k in 0..3 {
        let corner = (&Convex::Ball { radius: 0.0 }, Pose::new(mesh.corners(t)[k], Quat::IDENTITY));
        let (convex, pose) = (part.convex, &part.pose);
        let nearest = super::separation(Dimension::Three, corner.0, &corner.1, convex, pose);
        // A corner farther from the part than the depth is none that the part could be lifted over.
        if nearest.depth > -least {
            found.extend(around_corner(mesh, t, k, (part, nearest.direction)));
        }
    }
    found
}

/// The normal to which a part that leaves triangle `t` over its edge `k` turns; none over flat edges and
/// valleys.
fn over(mesh: &TriMesh, t: u32, k: usize) -> Option<Vec3> {
    match (mesh.bends[t as usize][k], mesh.neighbors[t as usize][k]) {
        (Bend::Convex, Some(n)) => Some(mesh.normals[n as usize]),
        (Bend::Border, _) => {
            let (corners, normal) = (mesh.corners(t), mesh.normals[t as usize]);
            let along_edge = corners[(k + 1) % 3] - corners[k];
            Some(along_edge.cross(normal).normalize_or(normal))
        }
        _ => None,
    }
}

/// Depths in triangle `t` along the arc over edge `k` of triangle `from`, which ends at `end`.
fn along_arc(mesh: &TriMesh, t: u32, part: Placed, arc: (u32, usize, Vec3)) -> Vec<f64> {
    let (from, k, end) = arc;
    let (normal, corners) = (mesh.normals[from as usize], mesh.corners(from));
    let depth = |share: f64| {
        let n = (normal * (1.0 - share) + end * share).normalize_or(normal);
        along(mesh, t, part, n)
    };
    let at = |k: u32| f64::from(k) / f64::from(SAMPLES);
    let best = (0..=SAMPLES).min_by(|&i, &j| depth(at(i)).total_cmp(&depth(at(j))));
    let best = at(best.unwrap_or(0));
    let step = at(1);
    let mut found = vec![refined(&depth, (best - step).max(0.0), (best + step).min(1.0))];
    let along_edge = corners[(k + 1) % 3] - corners[k];
    found.extend(edge_crossings(part, along_edge, [normal, end]).map(|n| along(mesh, t, part, n)));
    found
}

/// Depths in triangle `t` along what directions the surface can be left in at its corner `k`, `nearest` being
/// the one in which the part leaves the corner first. A part that lies flat on one triangle of a peak touches the
/// others there, and is not in them by all that it hangs over their planes.
fn around_corner(mesh: &TriMesh, t: u32, k: usize, (part, nearest): (Placed, Vec3)) -> Vec<f64> {
    let v = mesh.triangles[t as usize][k];
    let place = |w: u32| mesh.vertices[w as usize];
    let (mut found, mut around) = (vec![], vec![]);
    for outgoing in [true, false] {
        let mut from = t;
        while let Some(c) = mesh.triangles[from as usize].iter().position(|&w| w == v) {
            let corners = mesh.triangles[from as usize];
            around.extend([corners[(c + 1) % 3], corners[(c + 2) % 3]]);
            let edge = if outgoing { c } else { (c + 2) % 3 };
            if let Some(end) = over(mesh, from, edge).filter(|_| from != t) {
                found.extend(along_arc(mesh, t, part, (from, edge, end)));
            }
            let open = mesh.bends[from as usize][edge] != Bend::Concave;
            match mesh.neighbors[from as usize][edge].filter(|&n| open && n != t) {
                Some(next) => from = next,
                None => break,
            }
        }
    }
    // A direction in which all edges at the corner fall away lies between the normals around it.
    let falls = |n: &Vec3| around.iter().all(|&w| n.dot(place(w) - place(v)) <= 0.0);
    let own = round::own_directions(part).into_iter().map(|n| -n).chain([nearest]);
    found.extend(own.filter(falls).map(|n| along(mesh, t, part, n)));
    found
}

/// The smallest value near a minimum, by golden section.
fn refined(f: &dyn Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let mut best = f(low).min(f(high));
    for _ in 0..60 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        let (fa, fb) = (f(a), f(b));
        best = best.min(fa).min(fb);
        if fa < fb {
            high = b;
        } else {
            low = a;
        }
    }
    best
}

/// Directions on the arc that are normal to an edge of the part: where the minimum of polytopes
/// lies exactly.
fn edge_crossings(
    part: Placed<'_>,
    along_edge: Vec3,
    [start, end]: [Vec3; 2],
) -> impl Iterator<Item = Vec3> {
    let edges: Vec<Vec3> = match part.convex {
        Convex::Polytope(p) => {
            let vector = |e: &crate::polytope::Edge| {
                let [a, b] = e.vertices.map(|v| p.vertices[v as usize]);
                part.pose.vector(b - a)
            };
            p.edges.iter().map(vector).collect()
        }
        Convex::Capsule { .. } => vec![part.pose.vector(Vec3::Z)],
        _ => vec![],
    };
    let on_arc = move |n: &Vec3| {
        let turn = start.cross(end);
        start.cross(*n).dot(turn) >= 0.0 && n.cross(end).dot(turn) >= 0.0 && n.dot(start) >= 0.0
    };
    edges
        .into_iter()
        .filter_map(move |e| along_edge.cross(e).try_normalize())
        .flat_map(|n| [n, -n])
        .filter(on_arc)
}

/// The space under a triangle down to `depth`.
fn prism(mesh: &TriMesh, t: u32, depth: f64) -> Option<Polytope> {
    if depth <= 0.0 {
        return None;
    }
    let down = mesh.normals[t as usize] * depth;
    let corners = mesh.corners(t);
    let vertices = corners.iter().map(|&c| c - down).chain(corners).collect();
    let mut loops = vec![vec![2, 1, 0], vec![3, 4, 5]];
    loops.extend((0..3).map(|k: u32| {
        let next = (k + 1) % 3;
        vec![k, next, next + 3, k + 3]
    }));
    Polytope::from_faces(vertices, loops).ok()
}

/// Distance of a point from the surface.
fn distance(mesh: &TriMesh, p: Vec3) -> f64 {
    let to =
        |t: u32| closest::on_polygon(p, &mesh.corners(t), mesh.normals[t as usize]).distance(p);
    (0..mesh.triangles.len() as u32).map(to).fold(f64::INFINITY, f64::min)
}
