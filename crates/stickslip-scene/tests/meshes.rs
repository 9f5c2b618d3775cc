//! Mesh files in scenes: where they are looked for, what becomes of them, what is refused.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{fs, path::PathBuf};

use stickslip::geometry::{Shape, Vec3};
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
fn a_dented_mesh_moves_in_parts() {
    let folder = Folder::new("dent");
    for more in ["", ", decompose = true"] {
        let scene = folder.scene(&format!("{}\ndensity = 1", mesh("dent.obj", more))).unwrap();
        // 1/6 minus the pyramid of the dent, 0.2 high over half a square metre.
        let body = &scene.model.bodies()[0];
        assert!((body.mass - (1.0 / 6.0 - 0.1 / 3.0)).abs() < 1e-13, "{}", body.mass);
        assert!(body.shape.parts().len() > 1);
    }
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

/// A ball of `n` by `n` corners that are in and out in turn: every part of it is a notch.
fn rough(n: u32) -> String {
    let mut obj = String::new();
    for j in 1..n {
        for i in 0..n {
            let (up, around) = (f64::from(j) / f64::from(n), f64::from(i) / f64::from(n));
            let (s, c) = (std::f64::consts::PI * up).sin_cos();
            let (y, x) = (std::f64::consts::TAU * around).sin_cos();
            let r = 1.0 + 0.05 * (f64::from(i * 7 + j * 13) * 1.7).sin();
            obj += &format!("v {} {} {}\n", r * s * x, r * s * y, -r * c);
        }
    }
    let at = |i: u32, j: u32| 1 + (j - 1) * n + i % n;
    for i in 0..n {
        for j in 1..n - 1 {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            obj += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        }
    }
    let rim = |j: u32| (0..n).map(move |i| at(i, j).to_string());
    let low: Vec<String> = rim(1).rev().collect();
    let high: Vec<String> = rim(n - 1).collect();
    obj + &format!("f {}\nf {}\n", low.join(" "), high.join(" "))
}

/// Parts of a mesh that takes too many to be cut exactly reach beyond it: only on request, and by how
/// much is told. Gears are filled exactly, straight or helical.
#[test]
fn parts_that_reach_beyond_their_mesh_are_told() {
    let folder = Folder::new("gear");
    let body = |more: &str| format!("shape = {{ type = \"mesh\", file = \"gear.obj\"{more} }}");
    for twist in [0.1, 0.0] {
        fs::write(folder.0.join("gear.obj"), gear(twist)).unwrap();
        let scene = folder.scene(&body("")).unwrap();
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
        assert!(scene.model.bodies()[0].shape.parts().len() > 30);
    }
    fs::write(folder.0.join("gear.obj"), rough(60)).unwrap();
    let error = folder.scene(&body("")).unwrap_err().to_string();
    assert!(error.contains("not cut exactly") && error.contains("decompose = true"), "{error}");
    let scene = folder.scene(&body(", decompose = true")).unwrap();
    let told = scene.warnings.iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("convex parts reach") && told.contains("beyond the mesh"), "{told:?}");
}

/// A cube slides without friction over the flat top of a gear of a hundred parts: it keeps its speed
/// and its height, and turns by nothing, as on one plane.
#[test]
fn the_seams_between_the_parts_of_a_mesh_are_not_felt() {
    let folder = Folder::new("seams");
    fs::write(folder.0.join("gear.obj"), gear(0.0)).unwrap();
    let text = "static = true\nfriction = 0\nposition = [0, 0, 0.05]\n\
        shape = { type = \"mesh\", file = \"gear.obj\", decompose = true }\n\
        [[body]]\nname = \"cube\"\nfriction = 0\nposition = [-0.5, 0.03, 0.2]\nvelocity = [1, 0.1, 0]\n\
        shape = { type = \"box\", size = [0.2, 0.2, 0.2] }";
    let scene = folder.scene(text).unwrap();
    assert!(scene.model.bodies()[0].shape.parts().len() > 30);
    let mut sim = stickslip::Simulator::new(scene.model, scene.state, scene.settings).unwrap();
    for _ in 0..100 {
        sim.step().unwrap();
    }
    let (pose, speed) = (sim.state.q[1], sim.state.nu[1]);
    let (at, velocity) = (Vec3::new(0.5, 0.13, 0.2), Vec3::new(1.0, 0.1, 0.0));
    assert!((pose.position - at).length() < 1e-10, "{}", pose.position);
    assert!((speed.linear - velocity).length() < 1e-10, "{}", speed.linear);
    assert!(speed.angular.length() < 1e-10, "{}", speed.angular);
}
