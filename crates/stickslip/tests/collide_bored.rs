//! Bored parts against brute force: the nearest contact is as far away as the two are.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod collide_support;

use std::sync::Arc;

use collide_support::*;
use rand::{Rng, rngs::StdRng};
use stickslip::{
    Dimension,
    collide::{Contact, Role},
    geometry::{Bored, Convex, Polytope, Pose, Quat, Shape, Vec3, overlap},
};

const INNER: f64 = 0.4;
const HALF: f64 = 0.3;

fn bored(k: usize) -> Convex {
    let hull = match k % 2 {
        0 => Convex::Cylinder { half: HALF, radius: 0.8 },
        _ => Convex::Polytope(Arc::new(cuboid(1.4, 1.7, 2.0 * HALF))),
    };
    Convex::Bored(Arc::new(Bored::new(hull, INNER, HALF).unwrap()))
}

/// Anything bounded and convex, thinner than the hole.
fn thin(rng: &mut StdRng, k: usize) -> Convex {
    let radius = rng.random_range(0.05..0.35);
    let half = rng.random_range(0.1..0.9);
    match k % 6 {
        0 => Convex::Ball { radius },
        1 => Convex::Capsule { half, radius },
        2 => Convex::Cylinder { half, radius },
        3 => Convex::Cone { half, radius },
        4 => Convex::Polytope(Arc::new(cuboid(radius, 1.3 * radius, 2.0 * half))),
        _ => {
            let points: Vec<Vec3> = (0..14).map(|_| unit(rng) * radius * 1.1).collect();
            Convex::Polytope(Arc::new(Polytope::from_points(&points).unwrap()))
        }
    }
}

fn primary(found: &[Contact]) -> Vec<&Contact> {
    found.iter().filter(|c| c.role == Role::Primary).collect()
}

/// Moved so that it nearly touches the wall, a rim or an end, apart or slightly into it, a body has a
/// contact at its distance; none is nearer.
#[test]
fn the_nearest_contact_is_at_the_distance() {
    let mut count = [0; 6];
    for seed in 0..360 {
        let rng = &mut rng(seed);
        let k = seed as usize;
        let (piece, body) = (bored(k / 6), thin(rng, k));
        let frame = Pose::new(vector(rng, 1.0), turn(rng));
        let tilt = [0.05, 0.4, 3.0][k / 12 % 3];
        let place = |at: Vec3, q: Quat| frame.compose(&Pose::new(at, q));
        let q = Quat::from_scaled_axis(vector(rng, tilt));
        let mut at = vector(rng, 1.0) * Vec3::new(0.3, 0.3, 1.0);
        let aim = [1e-3, 1e-6, -1e-7, 0.02][k / 36 % 4];
        let separation = |at: Vec3| {
            let s = overlap::separation(Dimension::Three, &piece, &frame, &body, &place(at, q));
            (-s.depth, s.direction)
        };
        for _ in 0..20 {
            let (gap, normal) = separation(at);
            at += frame.inverse_vector(normal) * (aim - gap);
        }
        let (gap, _) = separation(at);
        // In a corner of two ways out it never settles.
        if (gap - aim).abs() > 1e-9 {
            continue;
        }
        let shapes = [part(piece.clone()), part(body.clone())];
        let (a, b) = ((&shapes[0], frame), (&shapes[1], place(at, q)));
        let found = between(Dimension::Three, a, b, 0.05);
        let what =
            format!("seed {seed}: {gap} from {piece:?} at {frame:?} to {body:?} at {at:?} {q:?}");
        let least = primary(&found).iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        // Outside, the hole changes nothing: where the hull alone has a contact that is nearer by what it
        // leans (a rim beside a face), so has this.
        let plain = (part(piece.hull().clone()), frame);
        let alone = between(Dimension::Three, (&plain.0, plain.1), b, 0.05);
        let on_hull = primary(&alone).iter().any(|c| (c.gap - least).abs() < 1e-15);
        let off = (least - gap).abs();
        assert!(
            off < 2e-8 || (on_hull && least > 0.0 && least < gap),
            "{what}: {least}: {found:?}"
        );
        // The same the other way round.
        let swapped = between(Dimension::Three, b, a, 0.05);
        let other = primary(&swapped).iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        assert!((other - least).abs() < 1e-12, "{what}: swapped {other}, not {least}");
        count[k % 6] += 1;
    }
    assert!(count.iter().all(|&n| n > 15), "{count:?}");
}

/// A cylinder upright in the hole touches the wall with both rims along one line; longer than the hole, it
/// touches both rims of the hole. Its ends and the rims' ends are no contacts.
#[test]
fn an_upright_cylinder_touches_along_a_line() {
    for (half, heights) in [(0.2, [-0.2, 0.2]), (0.5, [-HALF, HALF])] {
        let radius = 0.35;
        let body = part(Convex::Cylinder { half, radius });
        let angle = 0.7_f64;
        let out = Vec3::new(angle.cos(), angle.sin(), 0.0);
        let at = Pose::new(out * (INNER - radius - 1e-6), Quat::IDENTITY);
        let found = between(Dimension::Three, (&part(bored(0)), Pose::IDENTITY), (&body, at), 1e-4);
        let mut touching = primary(&found);
        touching.retain(|c| c.gap < 2e-6);
        assert_eq!(touching.len(), 2, "{found:?}");
        let mut z: Vec<f64> = touching.iter().map(|c| c.b.point.z).collect();
        z.sort_by(f64::total_cmp);
        for (z, right) in z.iter().zip(heights) {
            assert!((z - right).abs() < 1e-9, "{z}, not {right}");
        }
        for c in touching {
            assert!((c.gap - 1e-6).abs() < 1e-12 && (c.normal + out).length() < 1e-6, "{c:?}");
        }
    }
}

/// A cylinder that leans in the hole touches it at two points: its lower rim the wall, its side the rim
/// of the hole.
#[test]
fn a_leaning_cylinder_touches_at_two_points() {
    let (radius, lean, half) = (0.39, 0.05_f64, 0.9);
    let (s, c) = lean.sin_cos();
    let depth = 2.0 * (INNER - radius * c) / s;
    let tip = Vec3::new(radius * c - INNER, 0.0, HALF + radius * s - depth * c);
    let at = Pose::new(tip + Vec3::new(s, 0.0, c) * half, Quat::from_rotation_y(lean));
    let body = part(Convex::Cylinder { half, radius });
    let found = between(Dimension::Three, (&part(bored(0)), Pose::IDENTITY), (&body, at), 1e-3);
    let near = primary(&found).into_iter().filter(|c| c.gap.abs() < 1e-9).count();
    assert_eq!(near, 2, "{found:?}");
}

/// A coin that leans touches the wall with a rim at one point, or at two where it leans farther than a circle
/// of the hole fits: an ellipse of half axes a and a cos(lean) fits at its vertex if a / cos(lean) < r.
#[test]
fn a_leaning_coin_touches_at_one_point_or_two() {
    for (radius, lean) in [(0.39, 0.1_f64), (0.39, 0.3)] {
        let body = part(Convex::Cylinder { half: 1e-3, radius });
        let off = Vec3::X * (radius * lean.cos() - INNER);
        let at = Pose::new(off, Quat::from_rotation_y(lean));
        let found = between(Dimension::Three, (&part(bored(0)), Pose::IDENTITY), (&body, at), 0.01);
        let expected = if radius / lean.cos() < INNER { 1 } else { 2 };
        let at_wall = |c: &&&Contact| c.normal.z.abs() < 1e-9 && c.b.point.x < 0.0;
        let mut sides: Vec<f64> =
            primary(&found).iter().filter(at_wall).map(|c| c.b.point.y).collect();
        sides.sort_by(f64::total_cmp);
        sides.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
        assert_eq!(sides.len(), expected, "{lean}: {found:?}");
    }
}

/// What lies on an end over the hole rests on its rim, not on the hole.
#[test]
fn nothing_rests_on_the_hole() {
    let tube: Shape = part(bored(0));
    let ball = |z: f64| Pose::new(Vec3::Z * z, Quat::IDENTITY);
    let fits = part(Convex::Ball { radius: 0.35 });
    let found =
        between(Dimension::Three, (&tube, Pose::IDENTITY), (&fits, ball(HALF + 0.3501)), 0.01);
    assert!(primary(&found).is_empty(), "{found:?}");
    let radius = 0.5_f64;
    let sits = HALF + (radius * radius - INNER * INNER).sqrt();
    let wide = part(Convex::Ball { radius });
    let at = Pose::new(Vec3::new(1e-6, 0.0, sits + 1e-5), Quat::IDENTITY);
    let found = between(Dimension::Three, (&tube, Pose::IDENTITY), (&wide, at), 0.01);
    assert!(!primary(&found).is_empty());
    for c in primary(&found) {
        assert!(c.gap > -1e-9 && c.normal.z < 0.9, "{c:?}");
    }
}
