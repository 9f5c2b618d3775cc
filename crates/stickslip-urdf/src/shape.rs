//! What collides: from the shapes of a file to convex parts.

use std::collections::BTreeMap;

use stickslip::geometry::{
    GeometryError, MassProperties, Polytope, Pose, Quat, Shape, Solid, TriMesh, Vec3,
    mesh_file::{self, Soup},
    shape::Part,
};

use crate::{Collision, CollisionShape, Geometry, Link, Notes, Options, fit};

/// A hull is flat, and its faces are one, within this fraction of its extent: the precision of
/// files in single precision.
const FILE_TOLERANCE: f64 = 1e-6;
/// A mesh without thickness becomes a plate of this fraction of its extent.
const PLATE: f64 = 1e-3;

/// Makes shapes; meshes that occur twice are read once.
pub(crate) struct Shapes<'a> {
    options: &'a Options,
    known: BTreeMap<String, Option<Solid>>,
    pub notes: Notes,
    /// Hulls that were simplified.
    simplified: usize,
    /// The most that was cut off \[m\], and from whom.
    most_cut: (f64, String),
}

/// Convex parts of a link in its frame, and the volume they enclose; `None` without.
pub(crate) type Found = (Vec<Part>, Option<MassProperties>);

impl<'a> Shapes<'a> {
    pub fn new(options: &'a Options) -> Self {
        let (known, notes, most_cut) = (BTreeMap::new(), Notes::default(), (0.0, String::new()));
        Self { options, known, notes, simplified: 0, most_cut }
    }

    /// What was wrong with shapes, and what was made simpler.
    pub fn finish(mut self) -> Notes {
        if self.simplified > 0 {
            let corners = self.options.hull_corners;
            let what = format!(
                "hulls of more than {corners} corners are simplified (`hull_corners = 0` keeps \
                 them); how many, and the most that is cut off"
            );
            let (error, name) = &self.most_cut;
            let item = format!("{}, {:.2} mm of {name}", self.simplified, 1e3 * error);
            self.notes.remark(&what, item, 0);
        }
        self.notes
    }

    /// The parts of a link; `moves` tells whether infinite ones make sense.
    pub fn of_link(&mut self, link: &Link, moves: bool) -> Found {
        let (mut parts, mut masses) = (Vec::new(), Vec::new());
        if self.options.collision == CollisionShape::None {
            return (parts, None);
        }
        for collision in &link.collisions {
            let item = format!("link {:?}", link.name);
            if collision.geometry == Geometry::Plane && moves {
                let what = "a plane on a link that moves: left out";
                self.notes.fault(what, item, link.line);
                continue;
            }
            let Some(solid) = self.solid(collision, (&item, link.line)) else { continue };
            let Shape::Parts(inner) = &solid.shape else { continue };
            let outer = collision.origin.compose(&Pose::new(solid.center, Quat::IDENTITY));
            parts.extend(
                inner
                    .iter()
                    .map(|p| Part { pose: outer.compose(&p.pose), convex: p.convex.clone() }),
            );
            if solid.is_movable() {
                masses.push(solid.mass().placed(&collision.origin));
            }
        }
        (parts, MassProperties::sum(&masses).ok())
    }

    /// The solid of one shape; `None` after noting why there is none. `item` says whose it is,
    /// with its line.
    pub fn solid(&mut self, collision: &Collision, item: (&str, u32)) -> Option<Solid> {
        let found = match &collision.geometry {
            Geometry::Box(size) => Solid::cuboid(*size),
            Geometry::Sphere(radius) => Solid::sphere(*radius),
            Geometry::Cylinder { radius, length } => {
                Solid::cylinder(*radius, *length, self.options.cylinder_sides)
            }
            Geometry::Capsule { radius, length } if *length == 0.0 => Solid::sphere(*radius),
            Geometry::Capsule { radius, length } => Solid::capsule(*radius, *length),
            Geometry::Plane => Solid::half_space(Vec3::Z),
            Geometry::Ellipsoid(half) => self.hull(&ellipsoid(*half), item),
            Geometry::Points(points) => self.hull(points, item),
            Geometry::Mesh { path, scale, .. } => {
                let key = format!("{} {scale}", path.display());
                if let Some(known) = self.known.get(&key) {
                    return known.clone();
                }
                let solid = self.mesh(path, *scale, item);
                self.known.insert(key, solid.clone());
                return solid;
            }
        };
        match found {
            Ok(solid) => Some(solid),
            Err(error) => {
                let what = "a shape that cannot be: left out";
                self.notes.fault(what, format!("{}: {error}", item.0), item.1);
                None
            }
        }
    }

    fn mesh(&mut self, path: &std::path::Path, scale: Vec3, item: (&str, u32)) -> Option<Solid> {
        let failed = "a mesh that cannot be used: nothing collides with that shape";
        let mut soup = match mesh_file::read_soup(path) {
            Ok(soup) => soup,
            Err(error) => {
                self.notes.fault(failed, format!("{}: {error}", item.0), item.1);
                return None;
            }
        };
        soup.vertices.iter_mut().for_each(|v| *v *= scale);
        if scale.x * scale.y * scale.z < 0.0 {
            soup.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let found = match self.options.collision {
            CollisionShape::Decompose | CollisionShape::Mesh => self.filled(&soup, item),
            CollisionShape::Primitives => fit::primitive(&soup.points()),
            CollisionShape::Hull | CollisionShape::None => self.hull(&soup.points(), item),
        };
        found
            .map_err(|error| {
                let name = format!("{}: {}: {error}", item.0, path.display());
                self.notes.fault(failed, name, item.1);
            })
            .ok()
    }

    /// Convex parts that fill a closed mesh; the hull of another one.
    fn filled(&mut self, soup: &Soup, item: (&str, u32)) -> Result<Solid, GeometryError> {
        let solid = |mesh: TriMesh| Solid::mesh(&mesh).or_else(|_| Solid::decomposed(&mesh));
        soup.mended().and_then(solid).or_else(|error| {
            let what = "a mesh that bounds no solid: its hull is used";
            self.notes.fault(what, format!("{}: {error}", item.0), item.1);
            self.hull(&soup.points(), item)
        })
    }

    fn hull(&mut self, points: &[Vec3], item: (&str, u32)) -> Result<Solid, GeometryError> {
        let hull = match Polytope::from_points_within(points, FILE_TOLERANCE) {
            Err(GeometryError::Flat { extent, .. }) if extent > 0.0 => {
                let what = "a mesh without thickness: a plate of 1/1000 of its length is used";
                self.notes.fault(what, item.0, item.1);
                Polytope::from_points_within(&thickened(points, PLATE * extent), FILE_TOLERANCE)?
            }
            found => found?,
        };
        // Strict reading keeps shapes as they are.
        if self.options.hull_corners == 0 || self.options.strict {
            return Ok(Solid::polytope(&hull));
        }
        let (simple, error) = hull.simplified(self.options.hull_corners);
        if error > 0.0 {
            self.simplified += 1;
            if error > self.most_cut.0 {
                self.most_cut = (error, item.0.to_owned());
            }
        }
        Ok(Solid::polytope(&simple))
    }

    /// The surface of the one mesh of a link that stands still, in the link's frame.
    pub fn surface(&self, link: &Link) -> Option<TriMesh> {
        let [Collision { origin, geometry: Geometry::Mesh { path, scale, .. } }] =
            &link.collisions[..]
        else {
            return None;
        };
        if self.options.collision != CollisionShape::Mesh {
            return None;
        }
        let mut soup = mesh_file::read_soup(path).ok()?;
        soup.vertices.iter_mut().for_each(|v| *v = origin.point(*v * *scale));
        if scale.x * scale.y * scale.z < 0.0 {
            soup.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        soup.mended().ok()
    }
}

/// Points on an ellipsoid: those of a sphere where 12 circles through the poles cross 5 around it.
/// The hull lies inside, by 7 % of the half axes at most (1 - cos² 15°).
fn ellipsoid(half: Vec3) -> Vec<Vec3> {
    let mut points = vec![Vec3::Z * half, -Vec3::Z * half];
    for row in 1..6 {
        let (height, radius) = (std::f64::consts::PI * f64::from(row) / 6.0).sin_cos();
        for k in 0..12 {
            let (y, x) = (std::f64::consts::TAU * f64::from(k) / 12.0).sin_cos();
            points.push(Vec3::new(x * height, y * height, radius) * half);
        }
    }
    points
}

/// Flat points and their copies, `thickness` apart across their plane.
fn thickened(points: &[Vec3], thickness: f64) -> Vec<Vec3> {
    let (_, axes) = fit::principal(points);
    let across = axes.col(0) * (0.5 * thickness);
    // Points on a line need two directions.
    let side = axes.col(1) * (0.5 * thickness);
    points
        .iter()
        .flat_map(|&p| [p + across + side, p + across - side, p - across + side, p - across - side])
        .collect()
}
