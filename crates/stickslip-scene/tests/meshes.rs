//! Mesh files in scenes: where they are looked for, what becomes of them, what is refused.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{fs, path::PathBuf};

use stickslip::geometry::Shape;
use stickslip_scene::{Scene, SceneError};

/// A folder with a scene and meshes, gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("stickslip-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("meshes")).unwrap();
        let write = |file: &str, text: &str| fs::write(folder.join("meshes").join(file), text);
        write("corner.obj", CORNER).unwrap();
        write("inside-out.obj", &CORNER.replace("f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4", INSIDE_OUT))
            .unwrap();
        write("open.obj", &CORNER.replace("f 2 3 4", "")).unwrap();
        write("dent.obj", DENT).unwrap();
        Self(folder)
    }

    fn scene(&self, lines: &str) -> Result<Scene, SceneError> {
        let path = self.0.join("scene.toml");
        fs::write(&path, format!("[[body]]\nname = \"b\"\n{lines}\n")).unwrap();
        Scene::open(path.to_str().unwrap(), &[])
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The corner of a cube: volume 1/6.
const CORNER: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const INSIDE_OUT: &str = "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3";

/// A tetrahedron whose face z = 0 is pushed in to (0.25, 0.25, 0.2).
const DENT: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.25 0.25 0.2\n\
    f 1 2 4\nf 1 4 3\nf 2 3 4\nf 1 5 2\nf 2 5 3\nf 3 5 1\n";

fn mesh(file: &str, more: &str) -> String {
    format!("shape = {{ type = \"mesh\", file = \"meshes/{file}\"{more} }}")
}

#[test]
fn a_convex_mesh_is_a_body_of_its_volume_scaled() {
    let folder = Folder::new("convex");
    let scene = folder.scene(&format!("{}\ndensity = 6", mesh("corner.obj", ""))).unwrap();
    assert!((scene.model.bodies()[0].mass - 1.0).abs() < 1e-14);
    let big = folder.scene(&format!("{}\ndensity = 6", mesh("corner.obj", ", scale = 2"))).unwrap();
    assert!((big.model.bodies()[0].mass - 8.0).abs() < 1e-13);
    let long = mesh("corner.obj", ", scale = [1, 2, 3]");
    let long = folder.scene(&format!("{long}\ndensity = 6")).unwrap();
    assert!((long.model.bodies()[0].mass - 6.0).abs() < 1e-13);
}

#[test]
fn a_dented_mesh_moves_only_in_parts() {
    let folder = Folder::new("dent");
    let error = folder.scene(&mesh("dent.obj", "")).unwrap_err().to_string();
    assert!(error.contains("scene.toml:3:33: body \"b\": `shape.file`"), "{error}");
    assert!(error.contains("not convex"), "{error}");
    let parts =
        folder.scene(&format!("{}\ndensity = 1", mesh("dent.obj", ", decompose = true"))).unwrap();
    // 1/6 minus the pyramid of the dent, 0.2 high over half a square metre.
    let body = &parts.model.bodies()[0];
    assert!((body.mass - (1.0 / 6.0 - 0.1 / 3.0)).abs() < 1e-13, "{}", body.mass);
    assert!(body.shape.parts().len() > 1);
    let still = folder.scene(&format!("{}\nstatic = true", mesh("dent.obj", ""))).unwrap();
    assert!(matches!(still.model.bodies()[0].shape, Shape::Surface(_)));
}

#[test]
fn meshes_that_bound_nothing_are_refused_with_a_remedy() {
    let folder = Folder::new("refused");
    let cases = [
        ("inside-out.obj", "inside out", "counter-clockwise from outside"),
        ("open.obj", "open", "static = true"),
        ("missing.obj", "cannot be read", "readable file"),
    ];
    for (file, what, remedy) in cases {
        let error = folder.scene(&mesh(file, "")).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains(remedy), "{file}: {error}");
    }
    let open = folder.scene(&format!("{}\nstatic = true", mesh("open.obj", "")));
    assert!(matches!(open.unwrap().model.bodies()[0].shape, Shape::Surface(_)));
}

/// A gear of 30 teeth, its top turned by an angle.
fn gear(twist: f64) -> String {
    let count = 120;
    let mut obj = String::new();
    for (z, turn) in [(0.0, 0.0), (0.1, twist)] {
        for k in 0..count {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(count) + turn;
            let (y, x) = angle.sin_cos();
            let radius = if k % 4 < 2 { 1.0 } else { 0.8 };
            obj += &format!("v {} {} {z}\n", radius * x, radius * y);
        }
    }
    let top: Vec<String> = (1..=count).map(|k| (k + count).to_string()).collect();
    let bottom: Vec<String> = (1..=count).rev().map(|k| k.to_string()).collect();
    obj += &format!("f {}\nf {}\n", top.join(" "), bottom.join(" "));
    for k in 0..count {
        let next = (k + 1) % count;
        obj += &format!("f {} {} {} {}\n", k + 1, next + 1, next + 1 + count, k + 1 + count);
    }
    obj
}

/// Parts of a mesh with too many planes to be cut exactly, a helical gear, reach beyond it: by how
/// much is told. A straight gear is a prism, and its parts fill it.
#[test]
fn parts_that_reach_beyond_their_mesh_are_told() {
    let folder = Folder::new("gear");
    let body = "shape = { type = \"mesh\", file = \"gear.obj\", decompose = true }";
    for (twist, warns) in [(0.1, true), (0.0, false)] {
        fs::write(folder.0.join("gear.obj"), gear(twist)).unwrap();
        let scene = folder.scene(body).unwrap();
        let told = scene.warnings.iter().map(ToString::to_string).collect::<String>();
        let reach = told.contains("convex parts reach") && told.contains("beyond the mesh");
        assert_eq!(reach, warns, "{told:?}");
    }
}
