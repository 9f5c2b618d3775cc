//! `<geom>`: shape, mass, and what it collides with.

use std::path::PathBuf;

use stickslip::geometry::{
    MassProperties, Mat3, Polytope, Pose, Quat, Solid, Vec3,
    mesh_file::{self, Soup},
};
use stickslip_urdf::{Collision, Geometry};

use crate::{compiler::vector, element::Element, reader::Reader};

/// A shape as its file gives it.
pub(crate) struct Geom {
    pub name: Option<String>,
    /// `None` for kinds that cannot be built, which were noted.
    pub shape: Option<Collision>,
    /// Mass and inertia in the frame of the body; the volume stands for the mass.
    pub mass: Option<MassProperties>,
    /// What it is and what it collides with, as bits.
    pub masks: [u32; 2],
    pub friction: f64,
    /// Rolling and torsional friction \[m\].
    pub torques: [f64; 2],
    pub group: i64,
    pub color: Option<[f32; 3]>,
}

/// A mesh of the assets.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    pub name: String,
    pub file: Option<PathBuf>,
    pub scale: Vec3,
    pub points: Vec<Vec3>,
}

impl Reader<'_> {
    pub fn geom(&mut self, element: &Element, class: &str) -> Geom {
        let name = self.text(element, class, "name");
        let kind = self.text(element, class, "type");
        let mesh = self.text(element, class, "mesh");
        let kind = kind.unwrap_or_else(|| if mesh.is_some() { "mesh" } else { "sphere" }.into());
        let item = name.clone().unwrap_or_else(|| format!("<geom> {kind}"));
        let size = self.numbers(element, class, "size").unwrap_or_default();
        let (pose, length) = self.placed(element, class);
        let half = |k: usize| size.get(k).copied().unwrap_or(0.0);
        let long = length.unwrap_or(half(1));
        let geometry = match kind.as_str() {
            "plane" => Some(Geometry::Plane),
            "sphere" => Some(Geometry::Sphere(half(0))),
            "capsule" => Some(Geometry::Capsule { radius: half(0), length: 2.0 * long }),
            "cylinder" => Some(Geometry::Cylinder { radius: half(0), length: 2.0 * long }),
            "box" | "ellipsoid" => {
                // With `fromto` the first number is that of x and y.
                let sides = match length {
                    Some(long) => Vec3::new(half(0), half(0), long),
                    None => Vec3::new(half(0), half(1), half(2)),
                };
                match kind.as_str() {
                    "box" => Some(Geometry::Box(2.0 * sides)),
                    _ => Some(Geometry::Ellipsoid(sides)),
                }
            }
            "mesh" => self.mesh_of(mesh.as_deref(), &item, element.line),
            _ => {
                self.note("shapes of a kind that is not built: left out", &item, element.line);
                None
            }
        };
        let [contype, conaffinity] = ["contype", "conaffinity"].map(|key| {
            self.numbers(element, class, key).and_then(|v| v.first().map(|x| *x as i64 as u32))
        });
        let rows = self.numbers(element, class, "condim").map_or(3.0, |c| c[0]);
        let friction = self.numbers(element, class, "friction").unwrap_or_default();
        let part = |k: usize, rest: f64| friction.get(k).copied().unwrap_or(rest).max(0.0);
        let torsional = if rows >= 4.0 { part(1, 0.005) } else { 0.0 };
        let rolling = if rows >= 6.0 { part(2, 0.0001) } else { 0.0 };
        let rgba = self.numbers(element, class, "rgba").filter(|c| c.len() == 4);
        let shape = geometry.map(|geometry| Collision { origin: pose, geometry });
        Geom {
            mass: shape.as_ref().and_then(|s| self.geom_mass(element, class, s)),
            shape,
            name,
            masks: [contype.unwrap_or(1), conaffinity.unwrap_or(1)],
            friction: if rows == 1.0 { 0.0 } else { part(0, 1.0) },
            torques: [rolling, torsional],
            group: self.numbers(element, class, "group").map_or(0, |g| g[0] as i64),
            color: rgba.map(|c| [c[0] as f32, c[1] as f32, c[2] as f32]),
        }
    }

    /// Pose of a geom, and half its length where two ends are given.
    pub fn placed(&self, element: &Element, class: &str) -> (Pose, Option<f64>) {
        let ends = self.numbers(element, class, "fromto").filter(|v| v.len() == 6);
        let Some(ends) = ends else {
            return (self.compiler.pose(|key| self.numbers(element, class, key)), None);
        };
        let (from, to) = (vector(&ends), vector(&ends[3..]));
        // The z axis points from the second end to the first, as in MuJoCo.
        let along = (from - to).normalize_or(Vec3::Z);
        let pose = Pose::new(0.5 * (from + to), Quat::from_rotation_arc(Vec3::Z, along));
        (pose, Some(0.5 * from.distance(to)))
    }

    fn mesh_of(&mut self, name: Option<&str>, item: &str, line: u32) -> Option<Geometry> {
        let found = self.meshes.iter().find(|m| Some(m.name.as_str()) == name).cloned();
        match found {
            Some(Mesh { file: Some(path), scale, name, .. }) => {
                Some(Geometry::Mesh { name, path, scale })
            }
            Some(Mesh { points, .. }) if points.len() > 3 => Some(Geometry::Points(points)),
            _ => {
                self.note("a mesh that is not there or cannot be built: left out", item, line);
                None
            }
        }
    }

    /// The mass of a geom in the body's frame, if it counts.
    fn geom_mass(
        &self,
        element: &Element,
        class: &str,
        shape: &Collision,
    ) -> Option<MassProperties> {
        let number = |key: &str| self.numbers(element, class, key).and_then(|v| v.first().copied());
        let unit = self.volume(&shape.geometry)?;
        let mass = match number("mass") {
            Some(mass) => mass,
            None => number("density").unwrap_or(1000.0) * unit.volume,
        };
        if mass <= 0.0 || unit.volume <= 0.0 {
            return None;
        }
        let factor = mass / unit.volume;
        let weighed =
            MassProperties { volume: mass, center: unit.center, inertia: unit.inertia * factor };
        Some(weighed.placed(&shape.origin))
    }

    /// Volume, centre and inertia at unit density.
    fn volume(&self, geometry: &Geometry) -> Option<MassProperties> {
        match geometry {
            Geometry::Box(size) => Some(MassProperties::cuboid(*size)),
            Geometry::Sphere(radius) => Some(MassProperties::ball(*radius)),
            Geometry::Cylinder { radius, length } => {
                Some(MassProperties::cylinder(0.5 * length, *radius))
            }
            Geometry::Capsule { radius, length } => {
                Some(MassProperties::capsule(0.5 * length, *radius))
            }
            Geometry::Ellipsoid(half) => {
                let volume = 4.0 / 3.0 * std::f64::consts::PI * half.x * half.y * half.z;
                let [x, y, z] = (*half * *half).to_array();
                let inertia = Mat3::from_diagonal(Vec3::new(y + z, x + z, x + y) * (0.2 * volume));
                Some(MassProperties { volume, center: Vec3::ZERO, inertia })
            }
            Geometry::Plane => None,
            Geometry::Points(points) => {
                Some(Solid::polytope(&Polytope::from_points(points).ok()?).mass())
            }
            Geometry::Mesh { path, scale, .. } => {
                let mut soup = mesh_file::read_soup(path).ok()?;
                soup.vertices.iter_mut().for_each(|v| *v *= *scale);
                tetrahedra(&soup)
            }
        }
    }
}

/// The mass of a mesh as MuJoCo has it: tetrahedra from the middle of the surface to every
/// triangle, each counted positive. Exact for shapes that are star-shaped from there.
fn tetrahedra(soup: &Soup) -> Option<MassProperties> {
    let corners = |t: &[u32; 3]| t.map(|k| soup.vertices[k as usize]);
    let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(c - a).length();
    let total: f64 = soup.triangles.iter().map(|t| area(corners(t))).sum();
    let weighted = |t: &[u32; 3]| corners(t).iter().sum::<Vec3>() * (area(corners(t)) / 3.0);
    let middle = soup.triangles.iter().map(weighted).sum::<Vec3>() / total;
    let (mut volume, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
    for t in &soup.triangles {
        let p = corners(t).map(|p| p - middle);
        let v = p[0].dot(p[1].cross(p[2])).abs() / 6.0;
        let sum = p[0] + p[1] + p[2];
        volume += v;
        first += sum * (0.25 * v);
        let outer = |p: Vec3| Mat3::from_cols(p * p.x, p * p.y, p * p.z);
        second += (outer(p[0]) + outer(p[1]) + outer(p[2]) + outer(sum)) * (v / 20.0);
    }
    let shift = first / volume;
    let outer = Mat3::from_cols(shift * shift.x, shift * shift.y, shift * shift.z);
    let spread = second - outer * volume;
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    let inertia = Mat3::from_diagonal(Vec3::splat(trace)) - spread;
    let found = MassProperties { volume, center: middle + shift, inertia };
    (volume > 0.0 && volume.is_finite()).then_some(found)
}
