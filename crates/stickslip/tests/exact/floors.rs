//! Seams of floors that are one body: triangle meshes and heightfields, flat and sloping.

use stickslip::{
    BodyInit, Dimension,
    geometry::{Quat, Solid, TriMesh, Vec3},
};

use super::scene::{EXACT, G, Met, Random, Wrong, cube, odd_rotation, run, settings, simulate};

/// The plane z = 0 in triangles whose corners lie anywhere.
fn ragged() -> TriMesh {
    let (n, mut random) = (25, Random::new(3));
    let mut vertices = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            let inner = i > 0 && i < n && j > 0 && j < n;
            let jitter = if inner {
                Vec3::new(random.signed(), random.signed(), 0.0) * 0.2
            } else {
                Vec3::ZERO
            };
            vertices.push(
                Vec3::new(i as f64 - 0.5 * n as f64, j as f64 - 0.5 * n as f64, 0.0) + jitter,
            );
        }
    }
    let at = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// A block slides over a floor, the whole turned by `turn`: its relative loss of speed, how far it
/// rose \[m\] and turned \[rad\].
fn slide(formulation: &str, floor: &Solid, turn: Quat, [angle, h]: [f64; 2]) -> ([f64; 3], Met) {
    let heading = turn * Quat::from_rotation_z(angle);
    let v = heading * (Vec3::X * 3.0);
    let (up, start) = (turn * Vec3::Z, heading * Vec3::new(-4.3, 0.1, 0.25));
    let bodies = vec![
        BodyInit::new(floor).friction(0.0).turned(turn),
        cube(0.5).at(start).turned(heading).velocity(v),
    ];
    let mut sim = simulate(Dimension::Three, up * -G, bodies, settings(formulation, h));
    let met = run(&mut sim, 2.5, 5);
    let (pose, nu) = (sim.state.q[1], sim.state.nu[1]);
    let loss = (nu.linear - v).length() / 3.0;
    let lift = (up.dot(pose.position) - 0.25).abs();
    ([loss, lift, pose.orientation.angle_between(heading)], met)
}

/// A block slides along and across the seams of one floor at odd angles: no loss, no lift, no
/// turn, whatever the floor is made of and however it stands.
#[test]
fn block_does_not_notice_the_triangles_of_a_floor() {
    let mut wrong = Wrong::default();
    let flat = Solid::heightfield(&[0.0; 625], 25, [24.0, 24.0]).unwrap();
    let mesh = Solid::surface(&ragged()).unwrap();
    for formulation in EXACT {
        for (name, floor) in [("heightfield", &flat), ("mesh", &mesh)] {
            for turn in [Quat::IDENTITY, odd_rotation()] {
                for case in [
                    [0.0, 0.01],
                    [0.013, 0.01],
                    [0.3, 0.004],
                    [std::f64::consts::FRAC_PI_4, 0.01],
                    [1.1, 0.01],
                ] {
                    let ([loss, lift, turned], met) = slide(formulation, floor, turn, case);
                    let fine = loss < 1e-9 && lift < 1e-9 && turned < 1e-7 && met.failures == 0;
                    wrong.check(fine && met.depth < 1e-9, || {
                        format!("{formulation}, {name}, {turn}, {case:?}: {loss:e}, {lift:e}, {turned:e}, {met:?}")
                    });
                }
            }
        }
    }
    wrong.none();
}
