//! Mesh formats that hold scenes, triangles that are no surface, and hulls made simpler.
#![allow(clippy::unwrap_used)]

#[path = "common/scenes.rs"]
mod scenes;

use rand::{Rng, SeedableRng, rngs::StdRng};
use stickslip_geometry::{
    Polytope, TriMesh, Vec3,
    mesh_file::{Format, parse, read_soup},
};

fn wedge() -> TriMesh {
    let vertices = vec![
        Vec3::ZERO,
        Vec3::new(0.5, 0.0, 0.0),
        Vec3::new(0.0, 0.25, 0.0),
        Vec3::new(0.0, 0.0, 2.0),
    ];
    TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
}

fn mapped(map: impl Fn(Vec3) -> Vec3) -> TriMesh {
    wedge().mapped(map).unwrap()
}

/// What is written comes back: as it is, or moved as the file's own scene says.
#[test]
fn scenes_put_meshes_where_they_say() {
    let m = wedge();
    assert_eq!(parse(Format::Off, "a.off", &scenes::off(&m)).unwrap(), m);
    assert_eq!(parse(Format::Msh, "a.msh", &scenes::msh(&m)).unwrap(), m);
    // glTF has y up: its y is our z, its z our -y.
    let turned = mapped(|v| Vec3::new(v.x + 1.0, -(v.z + 3.0), v.y + 2.0));
    assert_eq!(parse(Format::Gltf, "a.glb", &scenes::glb(&m)).unwrap(), turned);
    let read = |up: &str, meter: f64, transforms: &str| {
        parse(Format::Dae, "a.dae", &scenes::dae(&m, up, meter, transforms)).unwrap()
    };
    assert_eq!(read("Z_UP", 1.0, ""), m);
    assert_eq!(read("Y_UP", 0.5, ""), mapped(|v| 0.5 * Vec3::new(v.x, -v.z, v.y)));
    assert_eq!(read("X_UP", 1.0, ""), mapped(|v| Vec3::new(-v.z, v.y, v.x)));
    let moved = read("Z_UP", 1.0, "<translate>1 2 3</translate><scale>2 2 2</scale>");
    assert_eq!(moved, mapped(|v| 2.0 * v + Vec3::new(1.0, 2.0, 3.0)));
    let matrix = "<matrix>0 -1 0 5 1 0 0 0 0 0 1 0 0 0 0 1</matrix>";
    assert_eq!(read("Z_UP", 1.0, matrix), mapped(|v| Vec3::new(5.0 - v.y, v.x, v.z)));
    let turn = read("Z_UP", 1.0, "<rotate>0 0 1 90</rotate>");
    let expected = mapped(|v| Vec3::new(-v.y, v.x, v.z));
    for (a, b) in turn.vertices.iter().zip(&expected.vertices) {
        assert!(a.distance(*b) < 1e-15);
    }
    // A mirror keeps the outside outside.
    let volume = |m: &TriMesh| m.mass_properties().unwrap().volume;
    let mirrored = read("Z_UP", 1.0, "<scale>-1 1 1</scale>");
    assert!((volume(&mirrored) - volume(&m)).abs() < 1e-15);
}

/// Triangles without area, doubled corners and holes do not keep a file from being read, and the
/// surface without the degenerate ones is the one that was meant.
#[test]
fn triangles_need_not_form_a_surface() {
    let folder = std::env::temp_dir().join(format!("stickslip-soup-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.obj");
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\n";
    let closed = "f 1 3 2\nf 5 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(&path, format!("{corners}{closed}f 1 2 2\nf 1 2\n")).unwrap();
    let soup = read_soup(&path).unwrap();
    assert_eq!((soup.triangles.len(), soup.points().len()), (5, 5));
    let volume = soup.mended().unwrap().mass_properties().unwrap().volume;
    assert!((volume - 1.0 / 6.0).abs() < 1e-15);
    std::fs::write(&path, format!("{corners}f 1 3 2\n")).unwrap();
    assert_eq!(read_soup(&path).unwrap().points().len(), 3);
    std::fs::write(&path, corners).unwrap();
    assert!(read_soup(&path).unwrap_err().what.contains("0 triangles"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A simplified hull has the corners allowed, lies inside the original, and no corner of the
/// original is farther from it than it says; nothing is cut off where nothing needs to be.
#[test]
fn simplified_hulls_say_what_they_cut_off() {
    let seed = 7;
    let mut random = StdRng::seed_from_u64(seed);
    for corners in [6, 12, 40] {
        let points: Vec<Vec3> = (0..300)
            .map(|_| {
                let x = Vec3::from([0; 3].map(|_| random.random_range(-1.0..1.0)));
                x.normalize() * Vec3::new(1.0, 0.5, 0.1)
            })
            .collect();
        let full = Polytope::from_points(&points).unwrap();
        let (simple, error) = full.simplified(corners);
        assert!(simple.vertices.len() <= corners && error > 0.0, "seed {seed}");
        simple.check().unwrap();
        assert!(simple.vertices.iter().all(|v| full.vertices.contains(v)), "seed {seed}");
        // The support of the original exceeds that of the hull by the error at most.
        for _ in 0..200 {
            let d = Vec3::from([0; 3].map(|_| random.random_range(-1.0..1.0))).normalize();
            let reach = |p: &Polytope| p.vertices[p.support(d)].dot(d);
            let cut = reach(&full) - reach(&simple);
            assert!(cut >= 0.0 && cut <= error * (1.0 + 1e-9), "seed {seed}: {cut} {error}");
        }
    }
    let cube = Polytope::cuboid(Vec3::ONE).unwrap();
    assert_eq!(cube.simplified(8), (cube.clone(), 0.0));
}
