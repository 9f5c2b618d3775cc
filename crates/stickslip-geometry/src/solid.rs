//! Shapes with their mass properties, recentred so that the centre of mass is the origin.

use std::sync::Arc;

use crate::{
    Bored, Convex, GeometryError, MassProperties, Mat3, Part, Polygon, Polytope, Pose, Quat, Shape,
    TriMesh, Vec3, error::positive, math::rotation_to, outline,
};

/// A shape in the frame of its centre of mass, and what it weighs at unit density.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// The shape; the centre of mass is its origin.
    pub shape: Shape,
    /// Volume \[m³\], area \[m²\] in 2D; infinite for half-spaces and open surfaces, which
    /// cannot move.
    pub volume: f64,
    /// Inertia at unit density about the centre of mass, along the axes of the frame the user
    /// gave \[m⁵\]; in 2D entry (z,z) \[m⁴\].
    pub inertia: Mat3,
    /// Where the centre of mass was in the frame the user gave \[m\].
    pub center: Vec3,
}

impl Solid {
    /// Whether its mass is finite, so that it can be a moving body.
    pub fn is_movable(&self) -> bool {
        self.volume.is_finite()
    }

    fn one(convex: Convex, mass: MassProperties) -> Self {
        let pose = Pose::new(-mass.center, Quat::IDENTITY);
        Self::of(Shape::Parts(vec![Part { pose, convex }]), mass)
    }

    fn of(shape: Shape, mass: MassProperties) -> Self {
        let MassProperties { volume, center, inertia } = mass;
        Self { shape, volume, inertia, center }
    }

    /// Immovable: infinite volume and inertia.
    fn immovable(shape: Shape) -> Self {
        let inertia = Mat3::from_diagonal(Vec3::INFINITY);
        Self { shape, volume: f64::INFINITY, inertia, center: Vec3::ZERO }
    }

    /// Any polytope; its vertices are moved, so that the part sits at the origin, not turned.
    pub fn polytope(polytope: &Polytope) -> Self {
        let mass = polytope.mass_properties();
        let moved = polytope.translated(-mass.center);
        let mut solid = Self::one(Convex::Polytope(Arc::new(moved)), mass);
        if let Shape::Parts(parts) = &mut solid.shape {
            parts[0].pose = Pose::IDENTITY;
        }
        solid
    }

    /// Polytopes that are symmetric about the origin stay bit for bit where they are.
    fn symmetric(polytope: Polytope) -> Self {
        let mut mass = polytope.mass_properties();
        mass.center = Vec3::ZERO;
        Self::one(Convex::Polytope(Arc::new(polytope)), mass)
    }

    /// A box with those edges \[m\].
    pub fn cuboid(size: Vec3) -> Result<Self, GeometryError> {
        let polytope = Polytope::cuboid(size)?;
        Ok(Self::one(Convex::Polytope(Arc::new(polytope)), MassProperties::cuboid(size)))
    }

    /// A ball.
    pub fn sphere(radius: f64) -> Result<Self, GeometryError> {
        positive("radius", radius)?;
        Ok(Self::one(Convex::Ball { radius }, MassProperties::ball(radius)))
    }

    /// A cylinder along z: a prism with its corners on the circle (`sides` ≥ 3) or a smooth one
    /// (`sides` = 0).
    pub fn cylinder(radius: f64, height: f64, sides: usize) -> Result<Self, GeometryError> {
        if sides > 0 {
            return Ok(Self::symmetric(Polytope::prism(radius, height, sides)?));
        }
        let (half, radius) = (0.5 * positive("height", height)?, positive("radius", radius)?);
        Ok(Self::one(Convex::Cylinder { half, radius }, MassProperties::cylinder(half, radius)))
    }

    /// A cone along z, apex up: a pyramid with the corners of its base on the circle
    /// (`sides` ≥ 3) or a smooth one (`sides` = 0). Its centre is 1/4 of the height above the
    /// base; `center` is measured from half height.
    pub fn cone(radius: f64, height: f64, sides: usize) -> Result<Self, GeometryError> {
        if sides > 0 {
            return Ok(Self::polytope(&Polytope::pyramid(radius, height, sides)?));
        }
        let (half, radius) = (0.5 * positive("height", height)?, positive("radius", radius)?);
        Ok(Self::one(Convex::Cone { half, radius }, MassProperties::cone(half, radius)))
    }

    /// A capsule along z: a cylinder of that height with a half-ball on either end.
    pub fn capsule(radius: f64, height: f64) -> Result<Self, GeometryError> {
        let (half, radius) = (0.5 * positive("height", height)?, positive("radius", radius)?);
        Ok(Self::one(Convex::Capsule { half, radius }, MassProperties::capsule(half, radius)))
    }

    /// A cylinder along z with a coaxial hole right through it, both smooth.
    pub fn tube(inner: f64, outer: f64, height: f64) -> Result<Self, GeometryError> {
        let (half, radius) = (0.5 * positive("height", height)?, positive("outer_radius", outer)?);
        positive("inner_radius", inner)?;
        let hull = MassProperties::cylinder(half, radius);
        Self::bored(Convex::Cylinder { half, radius }, &hull, inner, half)
    }

    /// A box with those edges \[m\] and a smooth round hole right through its middle along z.
    pub fn bored_cuboid(size: Vec3, radius: f64) -> Result<Self, GeometryError> {
        let polytope = Polytope::cuboid(size)?;
        let hull = MassProperties::cuboid(size);
        Self::bored(Convex::Polytope(Arc::new(polytope)), &hull, radius, 0.5 * size.z)
    }

    fn bored(
        hull: Convex,
        mass: &MassProperties,
        radius: f64,
        half: f64,
    ) -> Result<Self, GeometryError> {
        let bored = Bored::new(hull, radius, half)?;
        let mass = bored.mass_properties(mass);
        Ok(Self::one(Convex::Bored(Arc::new(bored)), mass))
    }

    /// The half-space behind the plane through the origin with that outward normal (3D).
    pub fn half_space(normal: Vec3) -> Result<Self, GeometryError> {
        Ok(Self::behind(rotation_to(unit(normal)?)))
    }

    /// The half-plane behind the line through the origin with that outward normal (2D).
    pub fn half_plane(normal: Vec3) -> Result<Self, GeometryError> {
        let n = unit(Vec3::new(normal.x, normal.y, 0.0))?;
        Ok(Self::behind(Quat::from_rotation_z((-n.x).atan2(n.y))))
    }

    fn behind(orientation: Quat) -> Self {
        let pose = Pose::new(Vec3::ZERO, orientation);
        Self::immovable(Shape::Parts(vec![Part { pose, convex: Convex::HalfSpace }]))
    }

    /// A regular tetrahedron with that edge.
    pub fn tetrahedron(edge: f64) -> Result<Self, GeometryError> {
        Ok(Self::symmetric(Polytope::tetrahedron(edge)?))
    }

    /// A regular octahedron with that edge.
    pub fn octahedron(edge: f64) -> Result<Self, GeometryError> {
        Ok(Self::symmetric(Polytope::octahedron(edge)?))
    }

    /// A regular dodecahedron with that edge.
    pub fn dodecahedron(edge: f64) -> Result<Self, GeometryError> {
        Ok(Self::symmetric(Polytope::dodecahedron(edge)?))
    }

    /// A regular icosahedron with that edge.
    pub fn icosahedron(edge: f64) -> Result<Self, GeometryError> {
        Ok(Self::symmetric(Polytope::icosahedron(edge)?))
    }

    /// The convex hull of points.
    pub fn convex(points: &[Vec3]) -> Result<Self, GeometryError> {
        Ok(Self::polytope(&Polytope::from_points(points)?))
    }

    /// A closed mesh that is convex (within [`crate::convexity::MESH_TOLERANCE`]) as one
    /// polytope; another one is an error that says where.
    pub fn mesh(mesh: &TriMesh) -> Result<Self, GeometryError> {
        Ok(Self::polytope(&mesh.to_polytope()?))
    }

    /// A closed mesh as convex parts that fill it exactly: see [`TriMesh::decompose_exactly`].
    pub fn filled(mesh: &TriMesh) -> Result<Self, GeometryError> {
        Self::of_parts(mesh, &mesh.decompose_exactly()?)
    }

    /// A closed mesh as convex parts, approximate ones where exact ones are too many: see
    /// [`TriMesh::decompose`]. Volume, centre and inertia are those of the mesh itself.
    pub fn decomposed(mesh: &TriMesh) -> Result<Self, GeometryError> {
        Self::of_parts(mesh, &mesh.decompose()?)
    }

    fn of_parts(mesh: &TriMesh, parts: &[Polytope]) -> Result<Self, GeometryError> {
        let mass = mesh.mass_properties()?;
        let part = |p: &Polytope| Part {
            pose: Pose::IDENTITY,
            convex: Convex::Polytope(Arc::new(p.translated(-mass.center))),
        };
        Ok(Self::of(Shape::Parts(parts.iter().map(part).collect()), mass))
    }

    /// A mesh as the surface of an immovable body. A closed one is recentred and has the volume
    /// and inertia of what it bounds; an open one stays in its frame and is immovable.
    pub fn surface(mesh: &TriMesh) -> Result<Self, GeometryError> {
        if !mesh.is_closed() {
            return Ok(Self::immovable(Shape::Surface(Arc::new(mesh.clone()))));
        }
        let mass = mesh.mass_properties()?;
        let moved = mesh.mapped(|v| v - mass.center)?;
        Ok(Self::of(Shape::Surface(Arc::new(moved)), mass))
    }

    /// Heights over a rectangle: see [`TriMesh::heightfield`].
    pub fn heightfield(
        heights: &[f64],
        columns: usize,
        size: [f64; 2],
    ) -> Result<Self, GeometryError> {
        Self::surface(&TriMesh::heightfield(heights, columns, size)?)
    }

    /// A simple polygon, in either direction; one that is not convex becomes several parts.
    pub fn polygon(corners: &[Vec3]) -> Result<Self, GeometryError> {
        let parts = outline::convex_parts(corners)?;
        let pieces: Vec<MassProperties> = parts.iter().map(Polygon::mass_properties).collect();
        let mass = MassProperties::sum(&pieces)?;
        let centred = |p: &Polygon| {
            let moved = p.placed(&Pose::new(-mass.center, Quat::IDENTITY));
            Part { pose: Pose::IDENTITY, convex: Convex::Polygon(Arc::new(moved)) }
        };
        Ok(Self::of(Shape::Parts(parts.iter().map(centred).collect()), mass))
    }

    /// A rectangle with those edges \[m\] (2D).
    pub fn rectangle(width: f64, height: f64) -> Result<Self, GeometryError> {
        let polygon = Polygon::rectangle(width, height)?;
        let volume = width * height;
        let (x, y) = (height * height * volume / 12.0, width * width * volume / 12.0);
        let inertia = Mat3::from_diagonal(Vec3::new(x, y, x + y));
        let mass = MassProperties { volume, center: Vec3::ZERO, inertia };
        Ok(Self::one(Convex::Polygon(Arc::new(polygon)), mass))
    }

    /// A regular polygon with its corners on the circle of that radius (2D).
    pub fn regular(sides: usize, radius: f64) -> Result<Self, GeometryError> {
        let polygon = Polygon::regular(sides, radius)?;
        let mut mass = polygon.mass_properties();
        mass.center = Vec3::ZERO;
        Ok(Self::one(Convex::Polygon(Arc::new(polygon)), mass))
    }

    /// A disc (2D).
    pub fn disc(radius: f64) -> Result<Self, GeometryError> {
        positive("radius", radius)?;
        Ok(Self::one(Convex::Ball { radius }, MassProperties::disc(radius)))
    }

    /// Several solids, each at the pose of its own centre of mass, as one. Overlapping parts
    /// count twice in volume, centre and inertia. A part that cannot move makes the whole
    /// immovable and leaves it where it is.
    pub fn compound(parts: &[(Pose, Solid)]) -> Result<Self, GeometryError> {
        if parts.is_empty() {
            return Err(GeometryError::TooFew { what: "parts", given: 0, needed: 1 });
        }
        let placed = |(pose, s): &(Pose, Solid)| {
            let MassProperties { volume, inertia, .. } = s.mass();
            MassProperties { volume, center: Vec3::ZERO, inertia }.placed(pose)
        };
        let mass = match parts.iter().all(|(_, s)| s.is_movable()) {
            true => Some(MassProperties::sum(&parts.iter().map(placed).collect::<Vec<_>>())?),
            false => None,
        };
        let shift = Pose::new(-mass.map_or(Vec3::ZERO, |m| m.center), Quat::IDENTITY);
        let mut found = vec![];
        for (pose, solid) in parts {
            let Shape::Parts(inner) = &solid.shape else {
                return Err(GeometryError::SurfaceInCompound);
            };
            let outer = shift.compose(pose);
            found.extend(
                inner
                    .iter()
                    .map(|p| Part { pose: outer.compose(&p.pose), convex: p.convex.clone() }),
            );
        }
        let shape = Shape::Parts(found);
        Ok(mass.map_or_else(|| Self::immovable(shape.clone()), |m| Self::of(shape.clone(), m)))
    }

    /// Its volume, centre (in the frame the user gave) and inertia.
    pub fn mass(&self) -> MassProperties {
        MassProperties { volume: self.volume, center: self.center, inertia: self.inertia }
    }
}

/// The direction of a vector.
fn unit(v: Vec3) -> Result<Vec3, GeometryError> {
    let length = v.length();
    if v.is_finite() && length > 0.0 && length.is_finite() {
        Ok(v / length)
    } else {
        Err(GeometryError::NoDirection { what: "normal", length })
    }
}
