//! Scenes as line drawings: seen along z in the plane, from the front and a little from above in
//! space. Faces farther away are drawn first.

use stickslip::{
    Dimension, Simulator,
    geometry::{Convex, Pose, Shape, Vec3},
};

/// Colors of moving bodies, by turn.
const COLORS: [&str; 7] =
    ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#8899aa"];
const STATIC: &str = "#c9c9c1";

/// What part of the scene a drawing shows, in drawing coordinates \[m\].
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Left, right.
    pub x: (f64, f64),
    /// Bottom, top.
    pub y: (f64, f64),
}

/// A filled outline.
struct Shade {
    depth: f64,
    text: String,
}

struct View {
    dimension: Dimension,
    window: Window,
    scale: f64,
}

impl View {
    /// World to drawing, and how near it is to the eye.
    fn flat(&self, p: Vec3) -> (f64, f64, f64) {
        match self.dimension {
            Dimension::Two => (p.x, p.y, p.z),
            // Turned by 30 degrees about z, then tilted by 20 degrees.
            Dimension::Three => {
                let (s, c) = (0.5, 0.866_025_403_784_438_6);
                let (x, y) = (c * p.x - s * p.y, s * p.x + c * p.y);
                let (st, ct) = (0.342, 0.94);
                (x, ct * p.z + st * y, st * p.z - ct * y)
            }
        }
    }

    fn pixel(&self, p: Vec3) -> (f64, f64) {
        let (x, y, _) = self.flat(p);
        ((x - self.window.x.0) * self.scale, (self.window.y.1 - y) * self.scale)
    }

    fn polygon(&self, corners: &[Vec3], color: &str, light: f64) -> Shade {
        let text: Vec<String> = corners
            .iter()
            .map(|&p| {
                let (x, y) = self.pixel(p);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let depth = corners.iter().map(|&p| self.flat(p).2).sum::<f64>() / corners.len() as f64;
        let text = format!(
            "<polygon points=\"{}\" fill=\"{color}\" fill-opacity=\"{light:.2}\" \
             stroke=\"#333a44\" stroke-width=\"1\" stroke-linejoin=\"round\"/>\n",
            text.join(" ")
        );
        Shade { depth, text }
    }

    fn circle(&self, center: Vec3, radius: f64, color: &str) -> Shade {
        let (x, y) = self.pixel(center);
        let text = format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"{color}\" \
             stroke=\"#333a44\" stroke-width=\"1\"/>\n",
            radius * self.scale
        );
        Shade { depth: self.flat(center).2, text }
    }

    fn convex(&self, convex: &Convex, pose: &Pose, color: &str, out: &mut Vec<Shade>) {
        match convex {
            Convex::Polygon(p) => {
                let corners: Vec<Vec3> = p.vertices.iter().map(|&v| pose.point(v)).collect();
                out.push(self.polygon(&corners, color, 0.85));
            }
            Convex::Polytope(p) => {
                for face in &p.faces {
                    let toward = self.flat(pose.vector(face.normal)).2;
                    if toward <= 0.0 {
                        continue;
                    }
                    let corner = |&v: &u32| pose.point(p.vertices[v as usize]);
                    let corners: Vec<Vec3> = face.vertices.iter().map(corner).collect();
                    let light = 0.45 + 0.5 * pose.vector(face.normal).z.max(0.0);
                    out.push(self.polygon(&corners, color, light));
                }
            }
            Convex::Ball { radius } => out.push(self.circle(pose.position, *radius, color)),
            Convex::HalfSpace => {
                let n = pose.vector(self.dimension.half_space_normal());
                let [t, o] = self.dimension.tangents(n, Vec3::X);
                let far = (self.window.x.1 - self.window.x.0) * 2.0;
                let corners = match self.dimension {
                    Dimension::Two => {
                        let (a, b) = (pose.position - t * far, pose.position + t * far);
                        vec![a, b, b - n * far, a - n * far]
                    }
                    Dimension::Three => [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                        .map(|(x, y)| pose.position + (t * x + o * y) * far)
                        .to_vec(),
                };
                let mut ground = self.polygon(&corners, color, 0.4);
                ground.depth = f64::NEG_INFINITY;
                out.push(ground);
            }
            Convex::Bored(b) => self.convex(&b.hull, pose, color, out),
            smooth => {
                for z in smooth.kinks() {
                    out.push(self.circle(pose.point(Vec3::Z * z), smooth.radius_at(z), color));
                }
            }
        }
    }
}

/// The window around all bodies that have an end.
pub fn around(sim: &Simulator) -> Window {
    let dimension = sim.model.dimension();
    let view = View { dimension, window: Window { x: (0.0, 1.0), y: (0.0, 1.0) }, scale: 1.0 };
    let (mut x, mut y) = ((f64::INFINITY, f64::NEG_INFINITY), (f64::INFINITY, f64::NEG_INFINITY));
    for id in sim.model.ids() {
        let body = sim.model.body(id);
        if !body.radius.is_finite() {
            continue;
        }
        let bounds = body.shape.aabb(dimension, sim.state.pose(id));
        for k in 0..8 {
            let pick = |bit: usize, low: f64, high: f64| if k >> bit & 1 == 0 { low } else { high };
            let corner = Vec3::new(
                pick(0, bounds.min.x, bounds.max.x),
                pick(1, bounds.min.y, bounds.max.y),
                pick(2, bounds.min.z, bounds.max.z),
            );
            let (u, v, _) = view.flat(corner);
            x = (x.0.min(u), x.1.max(u));
            y = (y.0.min(v), y.1.max(v));
        }
    }
    let air = 0.05 * (x.1 - x.0).max(y.1 - y.0).max(1e-9);
    Window { x: (x.0 - air, x.1 + air), y: (y.0 - air, y.1 + air) }
}

/// The scene as it stands, 360 pixels wide.
pub fn snapshot(sim: &Simulator, window: Window) -> String {
    let width = 360.0;
    let scale = width / (window.x.1 - window.x.0);
    let height = ((window.y.1 - window.y.0) * scale).min(720.0);
    let view = View { dimension: sim.model.dimension(), window, scale };
    let mut shades = Vec::new();
    let mut moving = 0;
    for id in sim.model.ids() {
        let body = sim.model.body(id);
        let color = match sim.model.dof(id) {
            None => STATIC,
            Some(_) => {
                moving += 1;
                COLORS[(moving - 1) % COLORS.len()]
            }
        };
        if let Shape::Parts(parts) = &body.shape {
            for part in parts {
                let pose = sim.state.pose(id).compose(&part.pose);
                view.convex(&part.convex, &pose, color, &mut shades);
            }
        }
    }
    // Far ones first; in the plane in the order of the bodies.
    shades.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    let body: String = shades.into_iter().map(|s| s.text).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}
