//! Mesh files: round trips, faults with their place, and bytes that are no file at all.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "common/scenes.rs"]
mod scenes;

use std::fmt::Write;

use proptest::prelude::*;
use stickslip_geometry::{
    Polytope, Solid, TriMesh, Vec3,
    mesh_file::{Format, MeshFileError, Place, parse, read},
};

fn mesh() -> TriMesh {
    let p = Polytope::dodecahedron(0.7).unwrap();
    let fan = |f: &stickslip_geometry::polytope::Face| {
        let v = f.vertices.clone();
        (2..v.len()).map(move |k| [v[0], v[k - 1], v[k]]).collect::<Vec<_>>()
    };
    let triangles = p.faces.iter().flat_map(fan).collect();
    TriMesh::new(p.vertices.clone(), triangles).unwrap()
}

fn obj(m: &TriMesh) -> Vec<u8> {
    let mut s = String::from("# made by a test\no thing\n");
    for v in &m.vertices {
        writeln!(s, "v {} {} {}", v.x, v.y, v.z).unwrap();
    }
    for t in &m.triangles {
        writeln!(s, "f {}/1/2 {}//3 {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap();
    }
    s.into_bytes()
}

fn stl_text(m: &TriMesh) -> Vec<u8> {
    let mut s = String::from("solid thing\n");
    for t in 0..m.triangles.len() as u32 {
        s += "  facet normal 0 0 0\n    outer loop\n";
        for v in m.corners(t) {
            writeln!(s, "      vertex {} {} {}", v.x, v.y, v.z).unwrap();
        }
        s += "    endloop\n  endfacet\n";
    }
    s += "endsolid thing\n";
    s.into_bytes()
}

fn stl_binary(m: &TriMesh) -> Vec<u8> {
    let mut b = vec![b's'; 80];
    b.extend((m.triangles.len() as u32).to_le_bytes());
    for t in 0..m.triangles.len() as u32 {
        b.extend([0; 12]);
        for v in m.corners(t) {
            b.extend(v.to_array().iter().flat_map(|x| (*x as f32).to_le_bytes()));
        }
        b.extend([0; 2]);
    }
    b
}

fn ply_header(format: &str, m: &TriMesh) -> Vec<u8> {
    format!(
        "ply\nformat {format} 1.0\ncomment a test\nelement vertex {}\nproperty double x\n\
         property double y\nproperty uchar red\nproperty double z\nelement face {}\n\
         property short group\nproperty list uchar int vertex_indices\nend_header\n",
        m.vertices.len(),
        m.triangles.len()
    )
    .into_bytes()
}

fn ply_text(m: &TriMesh) -> Vec<u8> {
    let mut s = String::new();
    for v in &m.vertices {
        writeln!(s, "{} {} 7 {}", v.x, v.y, v.z).unwrap();
    }
    for t in &m.triangles {
        writeln!(s, "-3 3 {} {} {}", t[0], t[1], t[2]).unwrap();
    }
    [ply_header("ascii", m), s.into_bytes()].concat()
}

fn ply_binary(m: &TriMesh, big: bool) -> Vec<u8> {
    let mut b = ply_header(if big { "binary_big_endian" } else { "binary_little_endian" }, m);
    let mut put = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        if big {
            bytes.reverse();
        }
        b.extend(bytes);
    };
    for v in &m.vertices {
        put(&v.x.to_le_bytes());
        put(&v.y.to_le_bytes());
        put(&[7]);
        put(&v.z.to_le_bytes());
    }
    for t in &m.triangles {
        put(&(-3_i16).to_le_bytes());
        put(&[3]);
        t.iter().for_each(|k| put(&(*k as i32).to_le_bytes()));
    }
    b
}

fn poly(m: &TriMesh) -> Vec<u8> {
    let mut s = format!("# vertices\n{}\n", m.vertices.len());
    for (k, v) in m.vertices.iter().enumerate() {
        writeln!(s, "{} [{}; {}; {}]; % vertex", k + 1, v.x, v.y, v.z).unwrap();
    }
    writeln!(s, "\n{} // faces", m.triangles.len()).unwrap();
    for t in &m.triangles {
        writeln!(s, "{} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap();
    }
    s.into_bytes()
}

/// Formats with indices give back the very mesh; STL gives the same triangles.
#[test]
fn every_format_round_trips() {
    let m = mesh();
    for (format, bytes) in [
        (Format::Obj, obj(&m)),
        (Format::Ply, ply_text(&m)),
        (Format::Ply, ply_binary(&m, false)),
        (Format::Ply, ply_binary(&m, true)),
        (Format::Poly, poly(&m)),
    ] {
        assert_eq!(parse(format, "a", &bytes).unwrap(), m, "{format:?}");
    }
    let exact = parse(Format::Stl, "a", &stl_text(&m)).unwrap();
    assert_eq!(exact.vertices.len(), m.vertices.len());
    let single = parse(Format::Stl, "a", &stl_binary(&m)).unwrap();
    assert_eq!(single.vertices.len(), m.vertices.len());
    for t in 0..m.triangles.len() as u32 {
        assert_eq!(exact.corners(t), m.corners(t));
        assert_eq!(single.corners(t), m.corners(t).map(|v| v.as_vec3().as_dvec3()));
    }
    let solid = Solid::mesh(&single).unwrap();
    let expected = Solid::dodecahedron(0.7).unwrap();
    assert!((solid.volume / expected.volume - 1.0).abs() < 1e-6);
    assert!(solid.center.length() < 1e-6);
}

/// The regular tetrahedron of edge 1 in the formulas of the .poly format.
#[test]
fn poly_formulas_give_a_regular_tetrahedron() {
    let text = b"# a tetrahedron\n4\n1 [0;0;(2/3)^0.5-1/(2*(6^0.5))];\n\
        2 [-1/(2*(3^0.5)); -1/2; -1/(2*sqrt(6))];  # 2nd\n3 [-1/(2*(3^0.5)); 1/2; -1/(2*(6^0.5))];\n\
        4 [1/(3^0.5); 0; -1/(2*(6^0.5))];\n\n4\n1 3 2\n1 4 3\n1 2 4\n2 3 4\n";
    let solid = Solid::mesh(&parse(Format::Poly, "t.poly", text).unwrap()).unwrap();
    assert!((solid.volume - 1.0 / (6.0 * 2_f64.sqrt())).abs() < 1e-15);
    let inertia = solid.volume / 20.0;
    assert!((solid.inertia.x_axis.x - inertia).abs() < 1e-15);
    assert!((solid.inertia.z_axis.z - inertia).abs() < 1e-15);
}

/// Vertices without indices, faces from 0, trailing commas, no counts: one and the same box.
#[test]
fn variants_of_poly_give_the_same_box() {
    let corners = |k: usize| [k & 1, k >> 1 & 1, k >> 2].map(|b| b as f64 - 0.5);
    let quads =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    for (counts, first) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
        let mut s = String::new();
        let count = |s: &mut String, n: usize| {
            if counts {
                writeln!(s, "{n}").unwrap();
            }
        };
        count(&mut s, 8);
        for [x, y, z] in (0..8).map(corners) {
            writeln!(s, "{x}, {y},\t{z},").unwrap();
        }
        count(&mut s, 6);
        for q in quads {
            let q = q.map(|k| k + first);
            writeln!(s, "{} {} {} {}", q[0], q[1], q[2], q[3]).unwrap();
        }
        let mesh = parse(Format::Poly, "box.poly", s.as_bytes()).unwrap();
        assert_eq!(mesh.triangles.len(), 12);
        let solid = Solid::mesh(&mesh).unwrap();
        assert!((solid.volume - 1.0).abs() < 1e-15 && solid.center.length() < 1e-15);
    }
}

/// Polygons that are not convex, negative indices and continued lines in .obj.
#[test]
fn obj_faces_may_be_any_simple_polygon() {
    let mut s = String::new();
    let l = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 3], [0, 3]];
    for z in 0..2 {
        for [x, y] in l {
            writeln!(s, "v {x} {y} {z}").unwrap();
        }
    }
    s += "f 6 5 4 3 2 1\nf -6 -5 -4 \\\n -3 -2 -1\n";
    for k in 0..6 {
        let next = (k + 1) % 6;
        writeln!(s, "f {} {} {} {}", k + 1, next + 1, next + 7, k + 7).unwrap();
    }
    let mesh = parse(Format::Obj, "l.obj", s.as_bytes()).unwrap();
    assert_eq!(mesh.triangles.len(), 20);
    assert!((mesh.mass_properties().unwrap().volume - 4.0).abs() < 1e-14);
    assert_eq!(mesh.decompose().unwrap().len(), 2);
}

fn fault(format: Format, bytes: &[u8]) -> MeshFileError {
    parse(format, "file", bytes).unwrap_err()
}

/// Each fault names its line or byte and what would be right.
#[test]
fn faults_are_located() {
    let cases: [(Format, &[u8], Place, &str); 17] = [
        (Format::Obj, b"v 0 0\n", Place::Line(1), "2 coordinates"),
        (Format::Obj, b"\nv 0 0 x\n", Place::Line(2), "`x`"),
        (Format::Obj, b"v 0 0 nan\n", Place::Line(1), "`nan`"),
        (Format::Obj, b"v 0 0 0\nf 1 2\n", Place::Line(2), "2 corners"),
        (Format::Obj, b"v 0 0 0\nf 1 0 1\n", Place::Line(2), "`0`"),
        (Format::Obj, b"v 0 0 0\nv 1 0 0\n\nf 1 2 3\n", Place::Line(4), "vertex 2 of 2"),
        (Format::Obj, b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", Place::Line(4), "degenerate"),
        (Format::Obj, b"", Place::File, "0 triangles"),
        (Format::Stl, b"solid\nfacet\nvertex 1 2\n", Place::Line(3), "vertex 1 2"),
        (Format::Stl, b"solid\nfacet\n", Place::Line(2), "ends within"),
        (Format::Stl, b"xyz", Place::Byte(3), "3 bytes"),
        (Format::Ply, b"plx\n", Place::Line(1), "begin"),
        (Format::Ply, b"ply\nformat ascii 1.0\nelement vertex many\n", Place::Line(3), "many"),
        (
            Format::Ply,
            b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n\
              property float z\nend_header\n0 0 0\n1 z 0\n",
            Place::Line(9),
            "`z`",
        ),
        (Format::Poly, b"3\n1 0 0 0\n2 1/0 0 0\n", Place::Line(3), "inf"),
        (Format::Poly, b"3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n2\n1 2 3\n", Place::Line(5), "2 faces"),
        (Format::Poly, b"3\n1 0 0 0\n2 1 0\n3 0 1 0\n1\n1 2 3\n", Place::Line(3), "3 numbers"),
    ];
    for (format, bytes, place, what) in cases {
        let found = fault(format, bytes);
        assert_eq!(found.place, place, "{found}");
        assert!(found.what.contains(what), "{found} does not say {what}");
        assert!(!found.remedy.is_empty() && found.to_string().starts_with("file"));
    }
    let cut = &stl_binary(&mesh())[..500];
    assert!(matches!(fault(Format::Stl, cut).place, Place::Byte(80)));
    let ply = ply_binary(&mesh(), false);
    assert!(matches!(fault(Format::Ply, &ply[..ply.len() - 3]).place, Place::Byte(_)));
    let unknown = read(std::path::Path::new("a.step")).unwrap_err();
    assert!(unknown.remedy.contains(".obj"), "{unknown}");
    let missing = read(std::path::Path::new("no-such-file.obj")).unwrap_err();
    assert!(missing.what.contains("cannot be read"), "{missing}");
}

/// A file on disk is read by the ending of its name.
#[test]
fn files_are_read_by_their_ending() {
    let folder = std::env::temp_dir().join(format!("stickslip-mesh-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let m = mesh();
    for (name, bytes) in [("a.obj", obj(&m)), ("a.PLY", ply_binary(&m, true)), ("a.poly", poly(&m))]
    {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read(&path).unwrap(), m, "{name}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

fn formats() -> impl Strategy<Value = Format> {
    prop::sample::select(vec![
        Format::Obj,
        Format::Stl,
        Format::Ply,
        Format::Poly,
        Format::Off,
        Format::Dae,
        Format::Gltf,
        Format::Msh,
    ])
}

/// Good files with a few bytes changed, cut or doubled.
fn damaged() -> impl Strategy<Value = (Format, Vec<u8>)> {
    let m = mesh();
    let files = vec![
        (Format::Obj, obj(&m)),
        (Format::Stl, stl_text(&m)),
        (Format::Stl, stl_binary(&m)),
        (Format::Ply, ply_text(&m)),
        (Format::Ply, ply_binary(&m, false)),
        (Format::Ply, ply_binary(&m, true)),
        (Format::Poly, poly(&m)),
        (Format::Off, scenes::off(&m)),
        (Format::Dae, scenes::dae(&m, "Z_UP", 1.0, "")),
        (Format::Gltf, scenes::glb(&m)),
        (Format::Msh, scenes::msh(&m)),
    ];
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..8);
    (prop::sample::select(files), changes).prop_map(|((format, mut bytes), changes)| {
        for (at, byte, kind) in changes {
            let k = at.index(bytes.len());
            match kind {
                0 => bytes[k] = byte,
                1 => bytes.insert(k, byte),
                _ => {
                    bytes.remove(k);
                }
            }
        }
        (format, bytes)
    })
}

/// Whatever a reader accepts holds only finite numbers and indices in range.
fn check(format: Format, bytes: &[u8]) {
    if let Ok(m) = parse(format, "fuzz", bytes) {
        assert!(m.vertices.iter().all(|v: &Vec3| v.is_finite()));
        assert!(m.triangles.iter().flatten().all(|&v| (v as usize) < m.vertices.len()));
        assert!(m.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-12));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_are_survived(format in formats(), bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(format, &bytes);
    }

    #[test]
    fn any_text_is_survived(
        format in formats(),
        words in prop::collection::vec(
            prop::sample::select(vec![
                "v", "f", "1", "2", "3", "0", "-1", "1e308", "(", ")", "^", "*", "-", "/", "[", "]",
                ";", "\n", "\n", "solid", "facet", "vertex", "endfacet", "ply", "format ascii 1.0",
                "element vertex 3", "element face 1", "property float x", "property list int int vertex_index",
                "end_header", "sqrt", "pi", "4000000000", "\\",
            ]),
            0..60,
        ),
    ) {
        check(format, words.join(" ").as_bytes());
        let lines = format!("ply\n{}", words.join("\n"));
        check(Format::Ply, lines.as_bytes());
    }

    #[test]
    fn damaged_files_are_survived((format, bytes) in damaged()) {
        check(format, &bytes);
    }
}
