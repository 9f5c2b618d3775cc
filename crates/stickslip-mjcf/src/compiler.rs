//! `<compiler>`: what the numbers of the file mean.

use stickslip::geometry::{Mat3, Pose, Quat, Vec3};

use crate::element::Element;

/// What numbers mean.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    pub degrees: bool,
    pub euler: Vec<char>,
    pub autolimits: bool,
    pub mesh_folder: String,
    /// Inertia from shapes: always (`Some(true)`), never, or where there is none.
    pub from_geoms: Option<bool>,
    pub groups: [i64; 2],
    pub least_mass: f64,
    pub least_inertia: f64,
    pub total_mass: Option<f64>,
    pub strip_path: bool,
}

impl Compiler {
    pub fn of(root: &Element) -> Self {
        let elements: Vec<&Element> = root.all("compiler").collect();
        let get = |name: &str| elements.iter().rev().find_map(|e| e.get(name));
        let number = |name: &str| get(name).and_then(|t| t.trim().parse::<f64>().ok());
        let groups = get("inertiagrouprange").and_then(|t| {
            let two: Vec<i64> = t.split_whitespace().filter_map(|w| w.parse().ok()).collect();
            two.try_into().ok()
        });
        Self {
            degrees: get("angle") != Some("radian"),
            euler: get("eulerseq").unwrap_or("xyz").chars().collect(),
            autolimits: get("autolimits") != Some("false"),
            mesh_folder: get("meshdir").or_else(|| get("assetdir")).unwrap_or_default().to_owned(),
            from_geoms: match get("inertiafromgeom") {
                Some("true") => Some(true),
                Some("false") => Some(false),
                _ => None,
            },
            groups: groups.unwrap_or([0, 5]),
            least_mass: number("boundmass").unwrap_or(0.0),
            least_inertia: number("boundinertia").unwrap_or(0.0),
            total_mass: number("settotalmass").filter(|m| *m > 0.0),
            strip_path: get("strippath") == Some("true"),
        }
    }

    /// An angle of the file \[rad\].
    pub fn angle(&self, x: f64) -> f64 {
        if self.degrees { x.to_radians() } else { x }
    }

    /// The rotation that attributes give; `get` looks them up.
    pub fn orientation(&self, get: impl Fn(&str) -> Option<Vec<f64>>) -> Option<Quat> {
        let of = |name: &str, count: usize| get(name).filter(|v| v.len() == count);
        if let Some(q) = of("quat", 4) {
            let turn = Quat::from_xyzw(q[1], q[2], q[3], q[0]);
            return (turn.length() > 1e-12).then(|| turn.normalize());
        }
        if let Some(a) = of("axisangle", 4) {
            let axis = Vec3::new(a[0], a[1], a[2]).try_normalize()?;
            return Some(Quat::from_axis_angle(axis, self.angle(a[3])));
        }
        if let Some(e) = of("euler", 3) {
            return Some(self.euler([e[0], e[1], e[2]]));
        }
        if let Some(a) = of("xyaxes", 6) {
            let x = Vec3::new(a[0], a[1], a[2]).try_normalize()?;
            let y = Vec3::new(a[3], a[4], a[5]);
            let y = (y - x * x.dot(y)).try_normalize()?;
            return Some(Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize());
        }
        let z = of("zaxis", 3).and_then(|z| Vec3::new(z[0], z[1], z[2]).try_normalize())?;
        Some(Quat::from_rotation_arc(Vec3::Z, z))
    }

    /// Turns about the axes of the sequence: small letters about axes that turn along.
    fn euler(&self, angles: [f64; 3]) -> Quat {
        let mut turn = Quat::IDENTITY;
        for (letter, angle) in self.euler.iter().zip(angles) {
            let angle = self.angle(angle);
            let step = match letter.to_ascii_lowercase() {
                'x' => Quat::from_rotation_x(angle),
                'y' => Quat::from_rotation_y(angle),
                _ => Quat::from_rotation_z(angle),
            };
            turn = if letter.is_ascii_lowercase() { turn * step } else { step * turn };
        }
        turn
    }

    /// The pose that `pos` and an orientation give.
    pub fn pose(&self, get: impl Fn(&str) -> Option<Vec<f64>>) -> Pose {
        let at = get("pos").filter(|v| v.len() == 3).map_or(Vec3::ZERO, |v| vector(&v));
        Pose::new(at, self.orientation(&get).unwrap_or(Quat::IDENTITY))
    }
}

pub(crate) fn vector(v: &[f64]) -> Vec3 {
    Vec3::new(v[0], v[1], v[2])
}
