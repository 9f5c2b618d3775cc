//! Random scenes: few bodies of any shape, dropped, thrown and joined; on a plane, a box or a
//! heightfield; some start in each other, or with a body that moves as it likes. The same seed is the
//! same scene.

use std::fmt::Write;

/// Random numbers (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In 0..1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
}

/// A body: its name, its TOML, and what can be left out of it.
#[derive(Clone, Debug)]
pub struct Body {
    pub name: String,
    pub fixed: bool,
    shape: String,
    /// Lines that can be left out one by one.
    pub extras: Vec<String>,
    place: String,
}

/// A joint of two bodies, by their numbers.
#[derive(Clone, Debug)]
pub struct Joint {
    pub bodies: [usize; 2],
    text: String,
}

/// A scene that can be made smaller.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub planar: bool,
    /// Size of the bodies \[m\].
    pub size: f64,
    /// Step \[s\].
    pub h: f64,
    pub steps: u64,
    pub formulation: String,
    settings: String,
    pub bodies: Vec<Option<Body>>,
    pub joints: Vec<Joint>,
    /// Whether something puts energy in.
    pub driven: bool,
    /// Whether two bodies overlap at the start.
    pub overlaps: bool,
}

/// Half the side of floors of boxes and of heightfields, in sizes of bodies.
const FLOOR: f64 = 30.0;
const FIELD: f64 = 9.0;

impl Plan {
    /// The scene of a seed.
    pub fn new(seed: u64, formulation: &str, steps: u64) -> Self {
        let mut r = Random::new(seed);
        let planar = r.chance(0.3);
        // From millimetres to metres.
        let size = 10_f64.powf(r.between(-2.5, 0.5));
        let time = (size / 9.81).sqrt();
        let h = if r.chance(0.5) { 0.01 } else { (time * r.between(0.01, 0.08)).min(0.02) };
        let quadratic = formulation != "peg" && r.chance(0.5);
        let friction = if quadratic { "friction = \"quadratic\"\n" } else { "" };
        let mut plan = Self {
            seed,
            planar,
            size,
            h,
            steps,
            formulation: formulation.to_owned(),
            settings: friction.to_owned(),
            bodies: vec![Some(floor(&mut r, planar, size))],
            joints: Vec::new(),
            driven: false,
            overlaps: false,
        };
        let count = 2 + r.below(7);
        for k in 0..count {
            let body = body(&mut r, (planar, size), k);
            plan.bodies.push(Some(body));
        }
        if r.chance(0.3) {
            plan.join(&mut r, count);
        }
        plan.vary(&mut Random::new(seed ^ 0x5eed_0000_0000));
        plan
    }

    /// Every third scene is special.
    fn vary(&mut self, r: &mut Random) {
        match r.below(9) {
            0 if !self.planar => self.bodies[0] = Some(field(r, self.size)),
            1 if self.joints.is_empty() => self.prescribe(r),
            2 if self.joints.is_empty() => self.overlap(r),
            _ => {}
        }
    }

    /// The first body moves level with a speed of its own.
    fn prescribe(&mut self, r: &mut Random) {
        let fast = (9.81 * self.size).sqrt();
        let mut v = vec![fast * r.between(-1.0, 1.0), 0.0];
        if !self.planar {
            v.insert(1, fast * r.between(-1.0, 1.0));
        }
        if let Some(Some(body)) = self.bodies.get_mut(1) {
            body.extras.retain(|line| !line.contains("velocity"));
            body.extras.push(format!("kinematic = true\nvelocity = {}\n", list(&v)));
            self.driven = true;
        }
    }

    /// The second body starts in the first, by less than its size.
    fn overlap(&mut self, r: &mut Random) {
        let mut at = cell(self.planar, self.size, 0);
        at[0] += self.size * r.between(0.1, 0.6);
        if let Some(Some(body)) = self.bodies.get_mut(2) {
            body.place = format!("position = {}\n", list(&at));
            self.overlaps = true;
        }
    }

    fn join(&mut self, r: &mut Random, count: usize) {
        for k in 1..count {
            if !r.chance(0.5) {
                continue;
            }
            let [a, b] = [cell(self.planar, self.size, k - 1), cell(self.planar, self.size, k)];
            let middle: Vec<f64> = a.iter().zip(&b).map(|(x, y)| 0.5 * (x + y)).collect();
            let (mut text, anchor) = (String::new(), list(&middle));
            let kind = if self.planar || r.chance(0.5) { "revolute" } else { "spherical" };
            let _ = writeln!(text, "type = \"{kind}\"\nanchor = {anchor}");
            if kind == "revolute" && !self.planar {
                let _ = writeln!(text, "axis = {}", list(&direction(r)));
            }
            if kind == "revolute" && r.chance(0.3) {
                let speed = r.between(-10.0, 10.0);
                let force = self.size.powi(4) * 1e4;
                let _ = writeln!(
                    text,
                    "motor = {{ target_velocity = {speed:.3}, max_force = {force:.3e} }}"
                );
                self.driven = true;
            }
            self.joints.push(Joint { bodies: [k, k + 1], text });
        }
    }

    /// Half the side of the floor \[m\]; `None` if it was left out.
    pub fn floor(&self) -> Option<f64> {
        let floor = self.bodies.first()?.as_ref()?;
        Some(match floor.shape.as_str() {
            shape if shape.contains("box") => FLOOR * self.size,
            shape if shape.contains("heightfield") => FIELD * self.size,
            _ => f64::INFINITY,
        })
    }

    /// As a scene file.
    pub fn text(&self) -> String {
        let dimension = if self.planar { 2 } else { 3 };
        let mut out = format!(
            "# seed {}\n[simulation]\ndimension = {dimension}\nstep = {:e}\nduration = {:e}\n\
             formulation = \"{}\"\nthreads = 1\n{}",
            self.seed,
            self.h,
            self.h * self.steps as f64,
            self.formulation,
            self.settings
        );
        for body in self.bodies.iter().flatten() {
            let fixed = if body.fixed { "static = true\n" } else { "" };
            let _ = write!(
                out,
                "\n[[body]]\nname = \"{}\"\n{fixed}shape = {}\n{}{}",
                body.name,
                body.shape,
                body.place,
                body.extras.concat()
            );
        }
        let name = |k: usize| self.bodies[k].as_ref().map(|b| b.name.as_str());
        for (k, joint) in self.joints.iter().enumerate() {
            if let [Some(a), Some(b)] = joint.bodies.map(name) {
                let _ = write!(
                    out,
                    "\n[[joint]]\nname = \"j{k}\"\nbodies = [\"{a}\", \"{b}\"]\n{}",
                    joint.text
                );
            }
        }
        out
    }
}

fn list(x: &[f64]) -> String {
    let parts: Vec<String> = x.iter().map(|x| format!("{x:.9e}")).collect();
    format!("[{}]", parts.join(", "))
}

fn direction(r: &mut Random) -> [f64; 3] {
    // Any but zero will do.
    [r.between(-1.0, 1.0), r.between(-1.0, 1.0), r.between(0.1, 1.0)]
}

fn floor(r: &mut Random, planar: bool, s: f64) -> Body {
    let shape = match (planar, r.below(3)) {
        (true, _) => "{ type = \"half-plane\" }".to_owned(),
        (false, 0) => {
            format!("{{ type = \"box\", size = {} }}", list(&[2.0 * FLOOR * s, 2.0 * FLOOR * s, s]))
        }
        (false, _) => "{ type = \"plane\" }".to_owned(),
    };
    let thick = shape.contains("box");
    let place =
        if thick { format!("position = {}\n", list(&[0.0, 0.0, -0.5 * s])) } else { String::new() };
    let mut extras = Vec::new();
    if r.chance(0.5) {
        extras.push(format!("friction = {:.3}\n", r.between(0.0, 1.5)));
    }
    Body { name: "floor".into(), fixed: true, shape, extras, place }
}

/// Hills and hollows below height zero.
fn field(r: &mut Random, s: f64) -> Body {
    let row = |r: &mut Random| list(&[0; 13].map(|_: i32| 0.4 * s * (r.unit() - 1.0)));
    let rows: Vec<String> = (0..13).map(|_| row(r)).collect();
    let size = list(&[2.0 * FIELD * s; 2]);
    let shape =
        format!("{{ type = \"heightfield\", heights = [{}], size = {size} }}", rows.join(", "));
    let (extras, place) = (Vec::new(), String::new());
    Body { name: "floor".into(), fixed: true, shape, extras, place }
}

/// Centre of the cell of a body: cells are so far apart that no two bodies overlap.
fn cell(planar: bool, s: f64, k: usize) -> Vec<f64> {
    let (column, row) = ((k % 3) as f64, (k / 3) as f64);
    match planar {
        true => vec![2.4 * s * (column - 1.0), 1.3 * s + 2.4 * s * row],
        false => vec![2.4 * s * (column - 1.0), 0.3 * s * column, 1.3 * s + 2.4 * s * row],
    }
}

fn body(r: &mut Random, (planar, s): (bool, f64), k: usize) -> Body {
    let at = cell(planar, s, k);
    // Half of the largest extent of a body is below one, of the cell 1.2.
    let jitter: Vec<f64> = at.iter().map(|x| x + 0.15 * s * r.between(-1.0, 1.0)).collect();
    let shape = if planar { planar_shape(r, s) } else { solid_shape(r, s) };
    let mut extras = Vec::new();
    let fast = 3.0 * (9.81 * s).sqrt();
    if planar {
        extras.push(format!("orientation = {:.4}\n", r.between(-3.1, 3.1)));
    } else {
        let turn = r.between(-3.1, 3.1);
        let axis = list(&direction(r));
        extras.push(format!("orientation = {{ axis = {axis}, angle = {turn:.4} }}\n"));
    }
    if r.chance(0.4) {
        let v: Vec<f64> = at.iter().map(|_| fast * r.between(-1.0, 1.0)).collect();
        extras.push(format!("velocity = {}\n", list(&v)));
    }
    if r.chance(0.4) {
        let w = 10_f64.powf(r.between(0.0, 2.0));
        let spin: Vec<f64> = (0..3).map(|_| w * r.between(-1.0, 1.0)).collect();
        let spin = if planar { format!("{:.4}", spin[0]) } else { list(&spin) };
        extras.push(format!("angular_velocity = {spin}\n"));
    }
    if r.chance(0.5) {
        extras.push(format!("friction = {:.3}\n", r.between(0.0, 1.5)));
    }
    if r.chance(0.4) {
        extras.push(format!("restitution = {:.3}\n", r.between(0.0, 0.95)));
    }
    if r.chance(0.3) {
        extras.push(format!("density = {:.3e}\n", 10_f64.powf(r.between(1.5, 4.0))));
    }
    let place = format!("position = {}\n", list(&jitter));
    Body { name: format!("b{k}"), fixed: false, shape, extras, place }
}

fn planar_shape(r: &mut Random, s: f64) -> String {
    let a = s * r.between(0.2, 1.0);
    match r.below(4) {
        0 => format!("{{ type = \"disc\", radius = {:e} }}", 0.8 * a),
        1 => format!(
            "{{ type = \"rectangle\", size = {} }}",
            list(&[1.2 * a, s * r.between(0.1, 1.0)])
        ),
        2 => {
            format!("{{ type = \"regular\", radius = {:e}, sides = {} }}", 0.9 * a, 3 + r.below(6))
        }
        _ => {
            let arms = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.4], [0.4, 0.4], [0.4, 1.0], [0.0, 1.0]];
            let points = arms.map(|p| list(&p.map(|x| x * a))).join(", ");
            format!("{{ type = \"polygon\", points = [{points}] }}")
        }
    }
}

fn solid_shape(r: &mut Random, s: f64) -> String {
    let (a, b) = (s * r.between(0.2, 0.9), s * r.between(0.1, 0.9));
    let regular = ["tetrahedron", "octahedron", "dodecahedron", "icosahedron"];
    match r.below(9) {
        0 | 1 => format!("{{ type = \"box\", size = {} }}", list(&[a, b, s * r.between(0.1, 0.9)])),
        2 => format!("{{ type = \"sphere\", radius = {:e} }}", 0.8 * a),
        3 => format!("{{ type = \"cylinder\", radius = {:e}, height = {b:e} }}", 0.6 * a),
        4 => format!("{{ type = \"cone\", radius = {:e}, height = {b:e} }}", 0.6 * a),
        5 => format!("{{ type = \"capsule\", radius = {:e}, height = {b:e} }}", 0.4 * a),
        6 => {
            let k = r.below(4);
            // Edges so that the corners lie within 0.9 s of the centre.
            let edge = [0.9, 0.9, 0.5, 0.7][k] * a;
            format!("{{ type = \"{}\", size = {edge:e} }}", regular[k])
        }
        7 => {
            let count = 5 + r.below(8);
            let corner = |r: &mut Random| list(&[0, 1, 2].map(|_| 0.55 * a * r.between(-1.0, 1.0)));
            let points: Vec<String> = (0..count).map(|_| corner(r)).collect();
            format!("{{ type = \"convex\", points = [{}] }}", points.join(", "))
        }
        _ => {
            let (size, d) = (list(&[0.8 * a, 0.3 * a, 0.3 * a]), 0.25 * a);
            format!(
                "{{ type = \"compound\", parts = [{{ type = \"box\", size = {size} }}, \
                 {{ type = \"box\", size = {}, position = {} }}] }}",
                list(&[0.3 * a, 0.3 * a, 0.7 * a]),
                list(&[d, 0.0, 0.45 * a])
            )
        }
    }
}
