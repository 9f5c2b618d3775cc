//! The structure as a line drawing: blocks, thrust line, forces and mechanism (SVG).

use std::fmt::Write;

use stickslip::{
    BodyId, Dimension, Model, State,
    geometry::{Convex, Pose, Vec3},
};

use crate::report::{BlockMotion, PairForce, Stability};

/// Width of a drawing \[px\].
const WIDTH: f64 = 720.0;

/// Looks along the shortest side of the structure, with gravity pointing down.
struct View {
    right: Vec3,
    up: Vec3,
    toward: Vec3,
    /// Left, bottom, right, top \[m\].
    window: [f64; 4],
    scale: f64,
    /// Mean radius of a block \[m\].
    block: f64,
}

/// A point of a drawing \[px\].
type Pixel = (f64, f64);

impl View {
    fn new(model: &Model, state: &State) -> Self {
        let (right, up, toward) = axes(model, state);
        let mut view =
            Self { right, up, toward, window: [0.0, 0.0, 1.0, 1.0], scale: 1.0, block: 1.0 };
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let (mut sum, mut count) = (0.0, 0.0);
        for id in model.ids().filter(|&id| model.body(id).radius.is_finite()) {
            let is_block = model.dof(id).is_some();
            if is_block {
                sum += model.body(id).radius;
                count += 1.0;
            }
            // Large supports need not be seen as a whole.
            let all = outlines(model, state, id);
            for p in all.iter().flatten().filter(|_| is_block || model.n_dof() == 0) {
                let (x, y) = view.flat(*p);
                low = [low[0].min(x), low[1].min(y)];
                high = [high[0].max(x), high[1].max(y)];
            }
        }
        if count > 0.0 {
            view.block = sum / count;
        }
        if low[0] < high[0] {
            let air = 0.08 * (high[0] - low[0]).max(high[1] - low[1]) + view.block;
            view.window = [low[0] - air, low[1] - air, high[0] + air, high[1] + air];
        }
        let [l, b, r, t] = view.window;
        view.scale = (WIDTH / (r - l)).min(WIDTH / (t - b));
        view
    }

    fn flat(&self, p: Vec3) -> (f64, f64) {
        (p.dot(self.right), p.dot(self.up))
    }

    fn pixel(&self, p: Vec3) -> Pixel {
        let (x, y) = self.flat(p);
        ((x - self.window[0]) * self.scale, (self.window[3] - y) * self.scale)
    }

    fn size(&self) -> Pixel {
        let [l, b, r, t] = self.window;
        ((r - l) * self.scale, (t - b) * self.scale)
    }
}

/// Right, up, and toward the eye.
fn axes(model: &Model, state: &State) -> (Vec3, Vec3, Vec3) {
    if model.dimension() == Dimension::Two {
        return (Vec3::X, Vec3::Y, Vec3::Z);
    }
    let g = model.gravity();
    let up = if g == Vec3::ZERO { Vec3::Z } else { -g.normalize() };
    let first = if up.x.abs() < 0.8 { Vec3::X } else { Vec3::Y };
    let x = (first - up * up.dot(first)).normalize();
    let y = up.cross(x);
    let extent = |axis: Vec3| {
        let blocks = model.ids().filter(|&id| model.dof(id).is_some());
        let points = blocks.flat_map(|id| outlines(model, state, id)).flatten();
        let (low, high) = points.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p: Vec3| {
            (l.min(p.dot(axis)), h.max(p.dot(axis)))
        });
        high - low
    };
    if extent(x) >= extent(y) { (x, up, -y) } else { (y, up, x) }
}

/// The corners of the parts of a body, or points on their rims, world frame.
fn outlines(model: &Model, state: &State, id: BodyId) -> Vec<Vec<Vec3>> {
    let parts = model.body(id).shape.parts().iter();
    parts.map(|p| corners(&p.convex, &state.pose(id).compose(&p.pose))).collect()
}

fn corners(convex: &Convex, pose: &Pose) -> Vec<Vec3> {
    match convex {
        Convex::Polytope(p) => p.vertices.iter().map(|&v| pose.point(v)).collect(),
        Convex::Polygon(p) => p.vertices.iter().map(|&v| pose.point(v)).collect(),
        Convex::HalfSpace => Vec::new(),
        Convex::Bored(b) => corners(&b.hull, pose),
        // support points of round shapes in the directions of three circles
        round => {
            let circles = (0..48).flat_map(|k| {
                let (s, c) = (f64::from(k) * std::f64::consts::TAU / 48.0).sin_cos();
                [Vec3::new(c, s, 0.0), Vec3::new(c, 0.0, s), Vec3::new(0.0, c, s)]
            });
            circles.map(|d| round.support(pose, d)).collect()
        }
    }
}

/// The convex outline of points in the drawing (Andrew's monotone chain).
fn outline(mut points: Vec<Pixel>) -> Vec<Pixel> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let turn = |o: Pixel, a: Pixel, b: Pixel| (a.0 - o.0) * (b.1 - o.1) - (a.1 - o.1) * (b.0 - o.0);
    let half = |points: &mut dyn Iterator<Item = Pixel>| {
        let mut chain: Vec<Pixel> = Vec::new();
        for p in points {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut all = half(&mut points.iter().copied());
    all.extend(half(&mut points.iter().rev().copied()));
    all
}

fn polygon(points: &[Pixel], style: &str, out: &mut String) {
    let text: Vec<String> = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
    let _ = writeln!(out, "<polygon points=\"{}\" {style}/>", text.join(" "));
}

fn line(a: Pixel, b: Pixel, style: &str, out: &mut String) {
    let _ = writeln!(
        out,
        "<line x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\" {style}/>",
        a.0, a.1, b.0, b.1
    );
}

/// The structure with its thrust line, the forces in its joints and, dashed, the mechanism of its
/// collapse: where it cannot rest that of its own weight, else the first that was asked for.
pub fn picture(model: &Model, state: &State, found: &Stability) -> String {
    let view = View::new(model, state);
    let mut body = String::new();
    bodies(&view, model, state, &mut body);
    let mechanism = shown_mechanism(found);
    displaced(&view, model, state, mechanism, &mut body);
    forces(&view, &found.forces, &mut body);
    thrust(&view, model, &found.forces, &mut body);
    svg(view.size(), &body)
}

fn svg((w, h): Pixel, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.0} {h:.0}\" width=\"{w:.0}\" \
         height=\"{h:.0}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// The mechanism that a drawing shows.
pub fn shown_mechanism(found: &Stability) -> &[BlockMotion] {
    let load = found.load.iter().map(|l| &l.mechanism);
    let tilt = found.tilt.iter().map(|t| &t.mechanism);
    let push = found.push.iter().map(|p| &p.mechanism);
    let mut all = [&found.mechanism].into_iter().chain(load).chain(tilt).chain(push);
    all.find(|m| !m.is_empty()).map_or(&[], Vec::as_slice)
}

fn bodies(view: &View, model: &Model, state: &State, out: &mut String) {
    let mut shades: Vec<(f64, String)> = Vec::new();
    for id in model.ids() {
        let is_block = model.dof(id).is_some();
        let fill = if is_block { "#d9cfbd" } else { "#c3c8cf" };
        let style = format!("fill=\"{fill}\" stroke=\"#5b554a\" stroke-width=\"0.8\"");
        for (part, points) in model.body(id).shape.parts().iter().zip(outlines(model, state, id)) {
            let mut text = String::new();
            if part.convex == Convex::HalfSpace {
                let pose = state.pose(id).compose(&part.pose);
                let n = pose.vector(model.dimension().half_space_normal());
                ground(view, pose.position, n, &mut text);
                shades.push((f64::NEG_INFINITY, text));
                continue;
            }
            let depth = points.iter().map(|p| p.dot(view.toward)).fold(f64::NEG_INFINITY, f64::max);
            polygon(&outline(points.iter().map(|&p| view.pixel(p)).collect()), &style, &mut text);
            shades.push((depth, text));
        }
    }
    shades.sort_by(|a, b| a.0.total_cmp(&b.0));
    shades.iter().for_each(|s| out.push_str(&s.1));
}

fn ground(view: &View, at: Vec3, normal: Vec3, out: &mut String) {
    let (n, (x, y)) = (view.flat(normal), view.pixel(at));
    if n.0.hypot(n.1) < 0.1 {
        return;
    }
    let far = 4.0 * WIDTH;
    // pixels grow downward
    let (down, along) = ((-n.0 * far, n.1 * far), (n.1 * far, n.0 * far));
    let corners = [
        (x - along.0, y - along.1),
        (x + along.0, y + along.1),
        (x + along.0 + down.0, y + along.1 + down.1),
        (x - along.0 + down.0, y - along.1 + down.1),
    ];
    polygon(&corners, "fill=\"#e6e9ed\" stroke=\"#8a929c\" stroke-width=\"0.8\"", out);
}

fn displaced(view: &View, model: &Model, state: &State, moves: &[BlockMotion], out: &mut String) {
    let style = "fill=\"none\" stroke=\"#c0392b\" stroke-width=\"1.1\" stroke-dasharray=\"4 3\"";
    let scale = 0.35 * view.block;
    for m in moves {
        let Some(id) = model.find(&m.body) else { continue };
        let (v, w) = (Vec3::from_array(m.velocity), Vec3::from_array(m.angular_velocity));
        let x = state.pose(id).position;
        for points in outlines(model, state, id) {
            let moved = points.iter().map(|&p| view.pixel(p + (v + w.cross(p - x)) * scale));
            polygon(&outline(moved.collect()), style, out);
        }
    }
}

fn forces(view: &View, forces: &[PairForce], out: &mut String) {
    let size = |f: &PairForce| Vec3::from_array(f.force).length();
    let largest = forces.iter().map(size).fold(0.0, f64::max);
    if largest == 0.0 {
        return;
    }
    let scale = 1.2 * view.block / largest;
    for pair in forces {
        for corner in &pair.corners {
            let (p, f) = (Vec3::from_array(corner.point), Vec3::from_array(corner.force));
            if f.length() > 1e-3 * largest {
                let style = "stroke=\"#7f9cc0\" stroke-width=\"0.8\"";
                line(view.pixel(p), view.pixel(p + f * scale), style, out);
            }
        }
        let (p, f) = (Vec3::from_array(pair.point), Vec3::from_array(pair.force) * (0.5 * scale));
        line(view.pixel(p - f), view.pixel(p + f), "stroke=\"#1f4e8c\" stroke-width=\"1.6\"", out);
        let (x, y) = view.pixel(p);
        let _ = writeln!(out, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"2\" fill=\"#1f4e8c\"/>");
    }
}

/// Joins the centres of pressure of every block that is held in two joints.
fn thrust(view: &View, model: &Model, forces: &[PairForce], out: &mut String) {
    for id in model.ids().filter(|&id| model.dof(id).is_some()) {
        let name = &model.body(id).name;
        let joints: Vec<&PairForce> =
            forces.iter().filter(|f| &f.a == name || &f.b == name).collect();
        if let [a, b] = joints[..] {
            let [p, q] = [a, b].map(|f| view.pixel(Vec3::from_array(f.point)));
            line(p, q, "stroke=\"#1a7f4b\" stroke-width=\"2.2\" stroke-linecap=\"round\"", out);
        }
    }
}

/// The resultants in all joints from one pole, turned to the right. Those of an arch end on its load
/// line: the differences of neighbours are the weights of the stones.
pub fn force_diagram(model: &Model, state: &State, found: &Stability) -> String {
    let view = View::new(model, state);
    let flat = |f: &PairForce| {
        let (x, y) = view.flat(Vec3::from_array(f.force));
        if x < 0.0 { (-x, -y) } else { (x, y) }
    };
    let ends: Vec<(f64, f64)> = found.forces.iter().map(flat).collect();
    let (low, high) = ends.iter().fold((0.0_f64, 0.0_f64), |(l, h), e| (l.min(e.1), h.max(e.1)));
    let wide = ends.iter().map(|e| e.0).fold(0.0, f64::max);
    let size = 320.0;
    let scale = (size - 40.0) / (high - low).max(wide).max(f64::MIN_POSITIVE);
    let pixel = |(x, y): (f64, f64)| (20.0 + x * scale, 20.0 + (high - y) * scale);
    let mut body = String::new();
    let pole = pixel((0.0, 0.0));
    for &end in &ends {
        line(pole, pixel(end), "stroke=\"#1f4e8c\" stroke-width=\"0.9\"", &mut body);
        let (x, y) = pixel(end);
        let _ = writeln!(body, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"2\" fill=\"#c0392b\"/>");
    }
    svg((size.max(40.0 + wide * scale), 40.0 + (high - low) * scale), &body)
}
