//! Damaged mesh files are read or refused: no panic, no more memory than the file is worth.

#![allow(clippy::unwrap_used)]

#[path = "../../complementarity/tests/support/mutate.rs"]
mod mutate;

#[path = "common/scenes.rs"]
mod scenes;

use stickslip_geometry::{
    TriMesh, Vec3,
    mesh_file::{self, Format},
};

const OBJ: &str = "# a tetrahedron\no solid\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\n\
                   f 1 3 2\nf 1/1/1 2/2/1 4/4/1\nf 2//1 3//1 4//1\nf -4 -1 -2\n";
const PLY: &str = "ply\nformat ascii 1.0\ncomment x\nelement vertex 4\nproperty float x\n\
                   property float y\nproperty float z\nelement face 4\n\
                   property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n\
                   0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";

fn stl() -> Vec<u8> {
    let mut out = vec![0; 80];
    let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    out.extend(4_u32.to_le_bytes());
    for face in faces {
        out.extend([0; 12]);
        face.iter().flat_map(|&i: &usize| corners[i]).for_each(|x| out.extend(x.to_le_bytes()));
        out.extend([0; 2]);
    }
    out
}

const STL: &str = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                   vertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
const POLY: &str = "# nodes\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n# facets\n4 0\n1\n\
                    3 1 3 2\n1\n3 1 2 4\n1\n3 2 3 4\n1\n3 3 1 4\n0\n0\n";

#[test]
fn meshes() {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let solid = TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
    let dae = ["Z_UP", "Y_UP"].map(|up| scenes::dae(&solid, up, 0.01, ""));
    let files: [(Format, Vec<Vec<u8>>); 8] = [
        (Format::Obj, vec![OBJ.into()]),
        (Format::Ply, vec![PLY.into(), PLY.replace("ascii", "binary_little_endian").into()]),
        (Format::Stl, vec![stl(), STL.into()]),
        (Format::Poly, vec![POLY.into()]),
        (Format::Off, vec![scenes::off(&solid)]),
        (Format::Dae, dae.into()),
        (Format::Gltf, vec![scenes::glb(&solid)]),
        (Format::Msh, vec![scenes::msh(&solid)]),
    ];
    for (format, originals) in files {
        mutate::read_all(&originals, mutate::cases(300), |bytes| {
            if let Err(error) = mesh_file::parse(format, "solid.mesh", bytes) {
                assert!(error.to_string().contains("solid.mesh"), "no name: {error}");
            }
        });
    }
}

/// A pipe is no mesh; reading it might never end.
#[cfg(unix)]
#[test]
fn pipes_are_refused() {
    let path = std::env::temp_dir().join(format!("stickslip-pipe-{}.obj", std::process::id()));
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let said = mesh_file::read(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(said.contains("no plain file"), "{said}");
}
