//! Mesh files: .obj, .stl (text and binary), .ply (text and binary), .off, .dae (COLLADA), .glb and
//! .gltf, .msh and .poly.
//!
//! Faces with more than three corners are cut into triangles. Vertices at the same place are made
//! one where the mesh is open without that, as formats that store corners by face need.

mod dae;
mod formula;
mod gltf;
mod msh;
mod obj;
mod off;
mod ply;
mod ply_header;
mod poly;
mod stl;

use std::{fmt, path::Path};

use thiserror::Error;

use crate::{GeometryError, TriMesh, Vec3, outline};

/// Which format a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront: lines `v x y z` and `f 1 2 3 ...`.
    Obj,
    /// Stereolithography, text or binary.
    Stl,
    /// Polygon file format, text or binary of either byte order.
    Ply,
    /// Object file format of Geomview: counts, vertices, faces.
    Off,
    /// COLLADA; scaled to metres and turned so that z is up, as the file says.
    Dae,
    /// glTF with its buffers inside, binary or text; turned from y up to z up.
    Gltf,
    /// Binary mesh of MuJoCo.
    Msh,
    /// Counts, vertices, faces; numbers may be formulas as in `[0; 0; (2/3)^0.5]`.
    Poly,
}

impl Format {
    /// By the ending of the name.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "off" => Some(Self::Off),
            "dae" => Some(Self::Dae),
            "glb" | "gltf" => Some(Self::Gltf),
            "msh" => Some(Self::Msh),
            "poly" => Some(Self::Poly),
            _ => None,
        }
    }
}

/// Where in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, from 1.
    Line(usize),
    /// A byte of a binary file, from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(n) => write!(f, ":{n}"),
            Self::Byte(n) => write!(f, ", byte {n}"),
        }
    }
}

/// Why a mesh file cannot be used, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{file}{place}: {what}; {remedy}")]
pub struct MeshFileError {
    /// The file.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub remedy: String,
    /// What is wrong with the shape, if its text is right.
    pub geometry: Option<Box<GeometryError>>,
}

/// A fault found while parsing; the caller adds the file.
#[derive(Debug)]
struct Fault {
    place: Place,
    what: String,
    remedy: String,
}

impl Fault {
    fn new(place: Place, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { place, what: what.into(), remedy: remedy.into() }
    }
}

/// Vertices and faces as they stand in the file.
#[derive(Default, Debug)]
struct Raw {
    vertices: Vec<Vec3>,
    /// Corners counted from 0, and where the face stands.
    faces: Vec<(Vec<u32>, Place)>,
}

/// Triangles as a file lists them, whatever surface they form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Soup {
    /// Corner points \[m\].
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle; every index is in range.
    pub triangles: Vec<[u32; 3]>,
}

/// Reads a mesh file; the format follows from its name.
pub fn read(path: &Path) -> Result<TriMesh, MeshFileError> {
    let (format, bytes) = contents(path)?;
    parse(format, &path.display().to_string(), &bytes)
}

/// Reads the triangles of a mesh file without asking what surface they form: open, degenerate and
/// inconsistently oriented ones are fine.
pub fn read_soup(path: &Path) -> Result<Soup, MeshFileError> {
    let (format, bytes) = contents(path)?;
    let name = path.display().to_string();
    let raw = raw(format, &bytes, false).map_err(|f| located(&name, f, None))?;
    let (triangles, _) = triangles(&raw).map_err(|(e, place)| broken(&name, e, place))?;
    crate::error::finite(&raw.vertices).map_err(|e| broken(&name, e, Place::File))?;
    if triangles.is_empty() {
        let e = GeometryError::TooFew { what: "triangles", given: 0, needed: 1 };
        return Err(broken(&name, e, Place::File));
    }
    Ok(Soup { vertices: raw.vertices, triangles })
}

impl Soup {
    /// The surface without triangles that have no area, vertices at the same place made one.
    pub fn mended(&self) -> Result<TriMesh, GeometryError> {
        let span = crate::Aabb::of(self.vertices.iter().copied());
        let extent = (span.max - span.min).max_element();
        let real = |t: &&[u32; 3]| {
            let [a, b, c] = t.map(|i| self.vertices[i as usize]);
            let edge = a.distance(b).max(b.distance(c)).max(c.distance(a));
            edge > 0.0 && (b - a).cross(c - a).length() / edge > 1e-11 * extent
        };
        let triangles: Vec<[u32; 3]> = self.triangles.iter().filter(real).copied().collect();
        TriMesh::welded(&self.vertices, &triangles)
    }

    /// The points that triangles use.
    pub fn points(&self) -> Vec<Vec3> {
        let mut used = vec![false; self.vertices.len()];
        self.triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
        self.vertices.iter().zip(used).filter_map(|(v, used)| used.then_some(*v)).collect()
    }
}

/// The format of a file by its name, and what is in it.
fn contents(path: &Path) -> Result<(Format, Vec<u8>), MeshFileError> {
    let name = path.display().to_string();
    let fault =
        |what: String, remedy: &str| located(&name, Fault::new(Place::File, what, remedy), None);
    let format = Format::of(path).ok_or_else(|| {
        let remedy = "use .obj, .stl, .ply, .off, .dae, .glb, .gltf, .msh or .poly";
        fault("unknown kind of mesh file".into(), remedy)
    })?;
    // Reading a pipe might never end.
    if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(fault("it is no plain file".into(), "give the path of a mesh file"));
    }
    let bytes = std::fs::read(path)
        .map_err(|e| fault(format!("cannot be read: {e}"), "give the path of a readable file"))?;
    Ok((format, bytes))
}

fn located(name: &str, f: Fault, geometry: Option<Box<GeometryError>>) -> MeshFileError {
    MeshFileError { file: name.into(), place: f.place, what: f.what, remedy: f.remedy, geometry }
}

fn broken(name: &str, geometry: GeometryError, place: Place) -> MeshFileError {
    let fault = Fault::new(place, geometry.to_string(), remedy(&geometry));
    located(name, fault, Some(Box::new(geometry)))
}

fn raw(format: Format, bytes: &[u8], strict: bool) -> Result<Raw, Fault> {
    let text = || String::from_utf8_lossy(bytes);
    match format {
        Format::Obj => obj::parse(&text(), strict),
        Format::Stl => stl::parse(bytes),
        Format::Ply => ply::parse(bytes),
        Format::Off => off::parse(&text()),
        Format::Dae => dae::parse(&text()),
        Format::Gltf => gltf::parse(bytes),
        Format::Msh => msh::parse(bytes),
        Format::Poly => poly::parse(&text()),
    }
}

/// Parses the contents of a mesh file; `name` is for messages.
pub fn parse(format: Format, name: &str, bytes: &[u8]) -> Result<TriMesh, MeshFileError> {
    let raw = raw(format, bytes, true).map_err(|f| located(name, f, None))?;
    build(&raw).map_err(|(geometry, place)| broken(name, geometry, place))
}

/// Triangles of all faces, and where each stands in the file.
type Triangles = (Vec<[u32; 3]>, Vec<Place>);

fn triangles(raw: &Raw) -> Result<Triangles, (GeometryError, Place)> {
    let mut triangles = vec![];
    let mut places = vec![];
    let count = raw.vertices.len();
    for (corners, place) in &raw.faces {
        if let Some(&v) = corners.iter().find(|&&v| v as usize >= count) {
            let (triangle, vertex) = (triangles.len(), v as usize);
            return Err((GeometryError::NoSuchVertex { triangle, vertex, count }, *place));
        }
        let cut = cut(&raw.vertices, corners);
        places.extend(cut.iter().map(|_| *place));
        triangles.extend(cut);
    }
    Ok((triangles, places))
}

/// The mesh of the triangles of all faces.
fn build(raw: &Raw) -> Result<TriMesh, (GeometryError, Place)> {
    let (triangles, places) = triangles(raw)?;
    let locate = |e: GeometryError| {
        let place = e.triangle().and_then(|t| places.get(t)).copied().unwrap_or(Place::File);
        (e, place)
    };
    let plain = TriMesh::new(raw.vertices.clone(), triangles.clone());
    match plain {
        Ok(mesh) if mesh.is_closed() => Ok(mesh),
        Err(e) => Err(locate(e)),
        // Vertices listed once per face look like cuts in the surface.
        Ok(open) => match TriMesh::welded(&raw.vertices, &triangles) {
            Ok(mesh) => Ok(mesh),
            Err(GeometryError::Orientation { .. }) => Ok(open),
            Err(e) => Err(locate(e)),
        },
    }
}

/// Triangles of a face: ears in the plane of its normal, or a fan where that fails.
fn cut(vertices: &[Vec3], corners: &[u32]) -> Vec<[u32; 3]> {
    if let &[a, b, c] = corners {
        return vec![[a, b, c]];
    }
    let at = |k: usize| vertices[corners[k % corners.len()] as usize];
    let count = corners.len();
    let normal: Vec3 = (0..count).map(|k| (at(k) - at(0)).cross(at(k + 1) - at(0))).sum();
    let (u, v) = normal.normalize_or(Vec3::Z).any_orthonormal_pair();
    let flat: Vec<Vec3> = (0..count).map(|k| Vec3::new(at(k).dot(u), at(k).dot(v), 0.0)).collect();
    match outline::ears(&flat) {
        Ok(ears) => ears.iter().map(|e| [e[0], e[1], e[2]].map(|k| corners[k])).collect(),
        Err(_) => (2..count).map(|k| [corners[0], corners[k - 1], corners[k]]).collect(),
    }
}

fn remedy(error: &GeometryError) -> &'static str {
    match error {
        GeometryError::NoSuchVertex { .. } => "list the vertex, or correct the index",
        GeometryError::DegenerateTriangle { .. } => "remove the triangle or give it three corners",
        GeometryError::Orientation { .. } => {
            "list the corners of every face counter-clockwise, seen from outside"
        }
        GeometryError::TooFew { .. } => "the file must list vertices and at least one face",
        _ => "correct the file",
    }
}

/// A number, or what is wrong with it.
fn number(word: &str, place: Place) -> Result<f64, Fault> {
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(Fault::new(
            place,
            format!("`{}` is not a finite number", shown(word)),
            "write one like 0.25 or 1e-3",
        )),
    }
}

/// A piece of a file, short enough for a message.
fn shown(word: &str) -> String {
    let short: String = word.chars().take(40).collect();
    if short.len() < word.len() { short + "…" } else { short }
}
