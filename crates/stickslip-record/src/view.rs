//! What the viewer needs to know of a model: the fixed part of the replay format
//! (`viewer/FORMAT.md`).

use serde::{Deserialize, Serialize};
use stickslip::{
    Dimension, Model, Motion,
    geometry::{Convex, Part, Polytope, Pose, Shape, Vec3},
    model::{Camera, Joint, JointKind},
};

/// The scene as the viewer draws it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewModel {
    /// Name of the scene.
    pub scene: String,
    /// What happens, in one line; empty where nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Where pictures are taken from; `None` for a view of the whole motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<Camera>,
    /// What tells this recording from others beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// 2 or 3.
    pub dimension: u8,
    /// Step \[s\].
    pub step: f64,
    /// Gravity \[m/s²\].
    pub gravity: [f64; 3],
    /// Name of the formulation.
    pub formulation: String,
    /// Name of the solver.
    pub solver: String,
    /// Every different piece once.
    pub shapes: Vec<ViewShape>,
    /// Bodies.
    pub bodies: Vec<ViewBody>,
    /// Joints.
    #[serde(default)]
    pub joints: Vec<ViewJoint>,
}

/// A piece in its own frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ViewShape {
    /// Polyhedron.
    Polytope {
        /// Corners \[m\].
        vertices: Vec<[f64; 3]>,
        /// Corners of each face, counter-clockwise from outside.
        faces: Vec<Vec<u32>>,
    },
    /// Planar polygon.
    Polygon {
        /// Corners \[m\], counter-clockwise.
        vertices: Vec<[f64; 3]>,
    },
    /// Ball or disc.
    Ball {
        /// Radius \[m\].
        radius: f64,
    },
    /// Capsule along z.
    Capsule {
        /// Half the length of its segment \[m\].
        half: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// Cylinder along z.
    Cylinder {
        /// Half its height \[m\].
        half: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// Cone along z, apex up.
    Cone {
        /// Half its height \[m\].
        half: f64,
        /// Radius of the base \[m\].
        radius: f64,
    },
    /// Half-space.
    HalfSpace,
    /// Surface.
    Mesh {
        /// Corners \[m\].
        vertices: Vec<[f64; 3]>,
        /// Corners of each triangle.
        triangles: Vec<[u32; 3]>,
    },
}

/// A piece of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewPart {
    /// Index of the shape.
    pub shape: usize,
    /// Place in the body frame \[m\].
    pub position: [f64; 3],
    /// Quaternion w, x, y, z.
    pub orientation: [f64; 4],
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewBody {
    /// Name.
    pub name: String,
    /// `dynamic`, `kinematic` or `static`.
    pub motion: String,
    /// Mass \[kg\].
    pub mass: f64,
    /// Red, green, blue in 0..=1, or the viewer's choice.
    pub color: Option<[f32; 3]>,
    /// Whether it is drawn.
    pub visible: bool,
    /// Pieces.
    pub parts: Vec<ViewPart>,
}

/// A joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewJoint {
    /// Name.
    pub name: String,
    /// Kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// The two bodies; -1 is the world.
    pub bodies: [i64; 2],
    /// The anchor in the frame of each body \[m\].
    pub anchors: [[f64; 3]; 2],
    /// Axis in the frame of the first body.
    pub axis: Option<[f64; 3]>,
}

impl ViewModel {
    /// Whether its parts fit together, as those of a file that was changed may not.
    #[cfg(feature = "files")]
    pub(crate) fn check(&self) -> Result<(), String> {
        let wrong = |what: String| Err(format!("the description of the scene is damaged: {what}"));
        if self.bodies.is_empty() || !matches!(self.dimension, 2 | 3) {
            return wrong(format!("{} bodies in {}D", self.bodies.len(), self.dimension));
        }
        let inside = |shape: &ViewShape| match shape {
            ViewShape::Polytope { vertices, faces } => {
                faces.iter().flatten().all(|&i| (i as usize) < vertices.len())
            }
            ViewShape::Mesh { vertices, triangles } => {
                triangles.iter().flatten().all(|&i| (i as usize) < vertices.len())
            }
            _ => true,
        };
        if !self.shapes.iter().all(inside) {
            return wrong("a shape has faces without corners".into());
        }
        let mut parts = self.bodies.iter().flat_map(|b| &b.parts);
        if let Some(part) = parts.find(|p| p.shape >= self.shapes.len()) {
            return wrong(format!("shape {} of {}", part.shape, self.shapes.len()));
        }
        let known = |b: i64| b >= -1 && b < self.bodies.len() as i64;
        match self.joints.iter().find(|j| !j.bodies.iter().all(|&b| known(b))) {
            Some(joint) => wrong(format!("joint {:?} has unknown bodies", joint.name)),
            None => Ok(()),
        }
    }

    /// Describes a model. `step` is h \[s\].
    pub fn new(scene: &str, model: &Model, step: f64, stages: [&str; 2]) -> Self {
        let mut shapes = Shapes::default();
        let bodies = model.bodies().iter().map(|body| ViewBody {
            name: body.name.clone(),
            motion: match body.motion {
                Motion::Dynamic => "dynamic",
                Motion::Kinematic => "kinematic",
                Motion::Static => "static",
            }
            .to_owned(),
            mass: body.mass,
            color: body.color,
            visible: body.visible,
            parts: shapes.parts(&body.shape),
        });
        let bodies = bodies.collect();
        Self {
            scene: scene.to_owned(),
            description: model.description().to_owned(),
            camera: model.camera().cloned(),
            label: None,
            dimension: if model.dimension() == Dimension::Two { 2 } else { 3 },
            step,
            gravity: model.gravity().to_array(),
            formulation: stages[0].to_owned(),
            solver: stages[1].to_owned(),
            shapes: shapes.out,
            bodies,
            joints: model.joints().iter().map(|joint| view_joint(model, joint)).collect(),
        }
    }
}

/// Its anchors, and its axis where turning about or sliding along one is what it does.
fn view_joint(model: &Model, joint: &Joint) -> ViewJoint {
    let axis = match joint.kind {
        JointKind::Revolute
        | JointKind::Prismatic
        | JointKind::Cylindrical
        | JointKind::Planar
        | JointKind::Universal
            if model.dimension() == Dimension::Three =>
        {
            Some(joint.axis(2).to_array())
        }
        _ => None,
    };
    ViewJoint {
        name: joint.name.clone(),
        kind: joint.kind.name().to_owned(),
        bodies: joint.bodies.map(|b| b.map_or(-1, |id| id.index() as i64)),
        anchors: joint.frames.map(|frame| frame.position.to_array()),
        axis,
    }
}

/// Finds equal shapes, so that the viewer draws them together.
#[derive(Default)]
struct Shapes {
    out: Vec<ViewShape>,
}

impl Shapes {
    fn parts(&mut self, shape: &Shape) -> Vec<ViewPart> {
        match shape {
            Shape::Parts(parts) => parts.iter().map(|part| self.part(part)).collect(),
            Shape::Surface(mesh) => {
                let vertices = points(&mesh.vertices);
                let triangles = mesh.triangles.clone();
                vec![self.place(ViewShape::Mesh { vertices, triangles }, &Pose::IDENTITY)]
            }
        }
    }

    fn part(&mut self, part: &Part) -> ViewPart {
        let shape = match &part.convex {
            Convex::Polytope(p) => polytope(p),
            Convex::Polygon(p) => ViewShape::Polygon { vertices: points(&p.vertices) },
            Convex::Ball { radius } => ViewShape::Ball { radius: *radius },
            Convex::Capsule { half, radius } => ViewShape::Capsule { half: *half, radius: *radius },
            Convex::Cylinder { half, radius } => {
                ViewShape::Cylinder { half: *half, radius: *radius }
            }
            Convex::Cone { half, radius } => ViewShape::Cone { half: *half, radius: *radius },
            Convex::Bored(b) => {
                let surface = b.tessellated(64);
                let (vertices, triangles) = (points(&surface.vertices), surface.triangles);
                ViewShape::Mesh { vertices, triangles }
            }
            // A smooth shape that the viewer does not know is shown as a polytope.
            other => other.tessellated(32, 1.0).map_or(ViewShape::HalfSpace, |p| polytope(&p)),
        };
        self.place(shape, &part.pose)
    }

    fn place(&mut self, shape: ViewShape, pose: &Pose) -> ViewPart {
        let known = self.out.iter().position(|other| *other == shape);
        let index = known.unwrap_or_else(|| {
            self.out.push(shape);
            self.out.len() - 1
        });
        ViewPart { shape: index, position: pose.position.to_array(), orientation: quaternion(pose) }
    }
}

/// Orientation as w, x, y, z.
pub(crate) fn quaternion(pose: &Pose) -> [f64; 4] {
    let q = pose.orientation;
    [q.w, q.x, q.y, q.z]
}

fn polytope(p: &Polytope) -> ViewShape {
    let faces = p.faces.iter().map(|f| f.vertices.clone()).collect();
    ViewShape::Polytope { vertices: points(&p.vertices), faces }
}

fn points(vertices: &[Vec3]) -> Vec<[f64; 3]> {
    vertices.iter().map(|v| v.to_array()).collect()
}
