//! Shapes.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use stickslip_geometry::{GeometryError, Pose, TriMesh, Vec3, mesh_file};

use crate::{
    convert::{self, Triple, quaternion},
    error::OrRaise,
};

/// A shape with its volume, centre and inertia.
#[pyclass(frozen, module = "stickslip._core")]
pub struct Solid {
    pub inner: stickslip_geometry::Solid,
}

/// Vertices and triangles.
type Mesh<'py> = (Bound<'py, PyArray2<f64>>, Vec<[u32; 3]>);

fn made(solid: Result<stickslip_geometry::Solid, GeometryError>) -> PyResult<Solid> {
    Ok(Solid { inner: solid.or_raise()? })
}

/// What a mesh is to become.
fn solid_of(mesh: &TriMesh, how: &str) -> Result<stickslip_geometry::Solid, GeometryError> {
    match how {
        "decompose" => stickslip_geometry::Solid::decomposed(mesh),
        "surface" => stickslip_geometry::Solid::surface(mesh),
        _ => match stickslip_geometry::Solid::mesh(mesh) {
            Err(GeometryError::MeshNotConvex { .. }) => stickslip_geometry::Solid::filled(mesh),
            found => found,
        },
    }
}

#[pymethods]
impl Solid {
    #[staticmethod]
    #[pyo3(name = "box")]
    fn cuboid(size: Triple) -> PyResult<Self> {
        made(stickslip_geometry::Solid::cuboid(size.into()))
    }

    #[staticmethod]
    fn sphere(radius: f64) -> PyResult<Self> {
        made(stickslip_geometry::Solid::sphere(radius))
    }

    #[staticmethod]
    fn cylinder(radius: f64, height: f64, sides: usize) -> PyResult<Self> {
        made(stickslip_geometry::Solid::cylinder(radius, height, sides))
    }

    #[staticmethod]
    fn cone(radius: f64, height: f64, sides: usize) -> PyResult<Self> {
        made(stickslip_geometry::Solid::cone(radius, height, sides))
    }

    #[staticmethod]
    fn capsule(radius: f64, height: f64) -> PyResult<Self> {
        made(stickslip_geometry::Solid::capsule(radius, height))
    }

    #[staticmethod]
    fn tube(inner_radius: f64, outer_radius: f64, height: f64) -> PyResult<Self> {
        made(stickslip_geometry::Solid::tube(inner_radius, outer_radius, height))
    }

    #[staticmethod]
    fn bored_box(size: Triple, radius: f64) -> PyResult<Self> {
        made(stickslip_geometry::Solid::bored_cuboid(size.into(), radius))
    }

    #[staticmethod]
    fn plane(normal: Triple) -> PyResult<Self> {
        made(stickslip_geometry::Solid::half_space(normal.into()))
    }

    #[staticmethod]
    fn half_plane(normal: Triple) -> PyResult<Self> {
        made(stickslip_geometry::Solid::half_plane(normal.into()))
    }

    #[staticmethod]
    fn tetrahedron(size: f64) -> PyResult<Self> {
        made(stickslip_geometry::Solid::tetrahedron(size))
    }

    #[staticmethod]
    fn octahedron(size: f64) -> PyResult<Self> {
        made(stickslip_geometry::Solid::octahedron(size))
    }

    #[staticmethod]
    fn dodecahedron(size: f64) -> PyResult<Self> {
        made(stickslip_geometry::Solid::dodecahedron(size))
    }

    #[staticmethod]
    fn icosahedron(size: f64) -> PyResult<Self> {
        made(stickslip_geometry::Solid::icosahedron(size))
    }

    #[staticmethod]
    fn convex(points: Vec<Triple>) -> PyResult<Self> {
        made(stickslip_geometry::Solid::convex(&convert::points(points)))
    }

    #[staticmethod]
    fn mesh(
        py: Python<'_>,
        vertices: Vec<Triple>,
        triangles: Vec<[u32; 3]>,
        how: &str,
    ) -> PyResult<Self> {
        let vertices = convert::points(vertices);
        // Decomposition may take seconds.
        made(py.detach(|| solid_of(&TriMesh::welded(&vertices, &triangles)?, how)))
    }

    /// Vertices and triangles of a .obj, .stl, .ply or .poly file.
    #[staticmethod]
    fn read_mesh<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Mesh<'py>> {
        let mesh = mesh_file::read(&path).or_raise()?;
        let vertices = mesh.vertices.iter().flat_map(|v| v.to_array()).collect();
        Ok((convert::table(py, vertices, 3)?, mesh.triangles.clone()))
    }

    #[staticmethod]
    fn heightfield(heights: Vec<f64>, columns: usize, size: [f64; 2]) -> PyResult<Self> {
        made(stickslip_geometry::Solid::heightfield(&heights, columns, size))
    }

    #[staticmethod]
    fn polygon(points: Vec<Triple>) -> PyResult<Self> {
        made(stickslip_geometry::Solid::polygon(&convert::points(points)))
    }

    #[staticmethod]
    fn rectangle(size: [f64; 2]) -> PyResult<Self> {
        made(stickslip_geometry::Solid::rectangle(size[0], size[1]))
    }

    #[staticmethod]
    fn regular(sides: usize, radius: f64) -> PyResult<Self> {
        made(stickslip_geometry::Solid::regular(sides, radius))
    }

    #[staticmethod]
    fn disc(radius: f64) -> PyResult<Self> {
        made(stickslip_geometry::Solid::disc(radius))
    }

    #[staticmethod]
    fn compound(parts: Vec<(Triple, [f64; 4], Bound<'_, Solid>)>) -> PyResult<Self> {
        let parts: Vec<_> = parts
            .iter()
            .map(|(position, turn, solid)| {
                let pose = Pose::new(Vec3::from(*position), quaternion(*turn));
                (pose, solid.get().inner.clone())
            })
            .collect();
        made(stickslip_geometry::Solid::compound(&parts))
    }

    /// Volume [m3], area [m2] in 2D; infinite where the shape has no end.
    #[getter]
    fn volume(&self) -> f64 {
        self.inner.volume
    }

    /// Whether a body of this shape may move.
    #[getter]
    fn movable(&self) -> bool {
        self.inner.is_movable()
    }

    /// Where the centre of mass was in the frame the points were given in [m].
    #[getter]
    fn center<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.inner.center.to_array())
    }

    /// Inertia at unit density about the centre of mass [m5].
    #[getter]
    fn inertia<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        convert::from_columns(py, &self.inner.inertia.to_cols_array(), 3, 3)
    }
}
