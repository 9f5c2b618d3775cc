//! `shape = { type = "mesh", file = "..." }`.

use std::path::Path;

use stickslip::geometry::{
    Convex, GeometryError, Part, Polytope, Solid, TriMesh, Vec3,
    mesh_file::{self, MeshFileError},
};

use super::{
    reader::{Reader, numbers},
    shape::ShapeContext,
};
use crate::{builtin, diagnostic::Log};

/// The solid or surface of a mesh file; `None` after reporting why not.
pub(crate) fn read(
    reader: &Reader<'_>,
    context: ShapeContext<'_>,
    log: &mut Log<'_>,
) -> Option<Solid> {
    let file = reader.text("file")?;
    let scale = scale(reader)?;
    let decompose = reader.flag("decompose").unwrap_or(false);
    let mesh = match load(file, context.folder) {
        Some(Ok(mesh)) => mesh,
        Some(Err(error)) => {
            let key = reader.subject.local("file");
            let message = format!("`{key}`: {}{}: {}", error.file, error.place, error.what);
            reader.error(log, "file", message, error.remedy);
            return None;
        }
        None => {
            let remedy = "give an absolute path";
            reader.error(log, "file", "a scene without file has no folder to look in", remedy);
            return None;
        }
    };
    match solid(&mesh, scale, decompose, context.fixed) {
        Ok(solid) => {
            warn_beyond(reader, &mesh, scale, &solid, log);
            Some(solid)
        }
        Err(error) => {
            let message = format!("`{}` {file:?}: {error}", reader.subject.local("file"));
            reader.error(log, "file", message, remedy(&error, context.fixed));
            None
        }
    }
}

/// Tells how far the parts of a curved mesh reach beyond it: bodies may overlap by as much.
fn warn_beyond(reader: &Reader<'_>, mesh: &TriMesh, scale: Vec3, solid: &Solid, log: &mut Log<'_>) {
    let parts = solid.shape.parts();
    let Ok(moved) = mesh.mapped(|v| v * scale - solid.center) else { return };
    if parts.len() < 2 || !moved.is_closed() {
        return;
    }
    let placed = |p: &Part| match &p.convex {
        Convex::Polytope(polytope) => Some(polytope.placed(&p.pose)),
        _ => None,
    };
    let polytopes: Vec<Polytope> = parts.iter().filter_map(placed).collect();
    let beyond = moved.overshoot(&polytopes);
    if beyond > 1e-6 * moved.extent() {
        let message = format!("its convex parts reach {beyond:.1e} m or more beyond the mesh");
        let remedy = "split the mesh into convex files yourself where that is too much";
        reader.warning(log, "decompose", message, remedy);
    }
}

/// The mesh of that file: on disk, or one that comes with the program, so that copies of built-in
/// scenes work wherever they are. `None` where there is no folder to look in.
fn load(file: &str, folder: Option<&Path>) -> Option<Result<TriMesh, MeshFileError>> {
    let path = match folder {
        Some(folder) => Some(folder.join(file)),
        None => Path::new(file).is_absolute().then(|| file.into()),
    };
    if let Some(path) = path.as_ref().filter(|p| p.exists()) {
        return Some(mesh_file::read(path));
    }
    match builtin::mesh(file) {
        Some(text) => Some(mesh_file::parse(mesh_file::Format::Obj, file, text.as_bytes())),
        None => path.map(|path| mesh_file::read(&path)),
    }
}

/// The factors along the axes; `None` if they are given and wrong.
fn scale(reader: &Reader<'_>) -> Option<Vec3> {
    if !reader.has("scale") {
        return Some(Vec3::ONE);
    }
    let node = reader.node("scale")?;
    match node.number() {
        Some(factor) => Some(Vec3::splat(factor)),
        None => numbers(node).map(|s| Vec3::new(s[0], s[1], s[2])),
    }
}

/// Convex meshes become polytopes. Others become a surface if the body does not move, else convex parts
/// that fill them exactly; approximate parts only on request.
fn solid(
    mesh: &TriMesh,
    scale: Vec3,
    decompose: bool,
    fixed: bool,
) -> Result<Solid, GeometryError> {
    let mesh = mesh.mapped(|v| v * scale)?;
    if mesh.is_closed() {
        mesh.check_solid()?;
    }
    match Solid::mesh(&mesh) {
        Ok(convex) => Ok(convex),
        Err(_) if decompose => Solid::decomposed(&mesh),
        Err(_) if fixed => Solid::surface(&mesh),
        Err(GeometryError::MeshNotConvex { .. }) => Solid::filled(&mesh),
        Err(error) => Err(error),
    }
}

fn remedy(error: &GeometryError, fixed: bool) -> &'static str {
    match error {
        GeometryError::NoExactParts { .. } => {
            "write `decompose = true` for approximate parts, or split the mesh into convex files"
        }
        GeometryError::InsideOut { .. } => "turn its faces round: counter-clockwise from outside",
        GeometryError::Orientation { .. } => "make all faces counter-clockwise from outside",
        GeometryError::Open { .. } if !fixed => "close it, or write `static = true`",
        GeometryError::DegenerateTriangle { .. } => "remove triangles without area",
        _ => "",
    }
}
