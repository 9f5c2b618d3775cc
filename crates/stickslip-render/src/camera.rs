//! Where a picture is taken from.
//!
//! A point `p` with camera coordinates `(x, y, z)` (right, up, forward from the eye \[m\]) is
//! drawn at
//!
//! ```text
//! perspective:   X = X0 + f x / z,   Y = Y0 - f y / z,   nearness 1 / z,   f = (rows / 2) / tan(fov / 2)
//! orthographic:  X = X0 + s x,       Y = Y0 - s y,       nearness -z,      s = rows / height
//! ```
//!
//! in pixels from the upper left corner. The nearness of a plane is linear in `X` and `Y`.

use stickslip::geometry::Vec3;
pub use stickslip::model::Camera as CameraChoice;

use crate::RenderError;

/// How wide the camera sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Things far away look smaller.
    Perspective {
        /// Vertical angle of view \[degrees\].
        fov: f64,
    },
    /// For scenes in the plane.
    Orthographic {
        /// Height of the picture in the scene \[m\].
        height: f64,
    },
}

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is \[m\].
    pub position: Vec3,
    /// What is in the middle of the picture \[m\].
    pub target: Vec3,
    /// What is up in the picture.
    pub up: Vec3,
    /// How wide it sees.
    pub lens: Lens,
}

/// Reads `auto`, `position:target`, `position:target:fov` or `follow=body`.
pub fn read_camera(text: &str) -> Result<CameraChoice, RenderError> {
    let wrong = |reason: String| RenderError::Camera { text: text.to_owned(), reason };
    if text == "auto" {
        return Ok(CameraChoice::default());
    }
    if let Some(body) = text.strip_prefix("follow=") {
        return Ok(CameraChoice { follow: Some(body.to_owned()), ..CameraChoice::default() });
    }
    let number = |part: &str| {
        let value: Result<f64, _> = part.trim().parse();
        value.map_err(|_| wrong(format!("{part:?} is not a number")))
    };
    let point = |part: &str| -> Result<[f64; 3], RenderError> {
        let numbers: Vec<f64> = part.split(',').map(number).collect::<Result<_, _>>()?;
        let found = numbers.len();
        numbers.try_into().map_err(|_| wrong(format!("{part:?} has {found} numbers, not 3")))
    };
    let parts: Vec<&str> = text.split(':').collect();
    let (position, target, fov) = match parts[..] {
        [position, target] => (point(position)?, point(target)?, None),
        [position, target, fov] => (point(position)?, point(target)?, Some(number(fov)?)),
        _ => return Err(wrong(format!("it has {} parts", parts.len()))),
    };
    let (position, target) = (Some(position), Some(target));
    let choice = CameraChoice { position, target, fov, ..CameraChoice::default() };
    check_camera(&choice).map(|()| choice).map_err(|reason| wrong(reason.to_string()))
}

/// Whether its numbers make a camera.
pub(crate) fn check_camera(choice: &CameraChoice) -> Result<(), RenderError> {
    let points = choice.position.iter().chain(&choice.target).flatten();
    if let Some(&value) = points.clone().find(|x| !(-1e9..=1e9).contains(*x)) {
        let what = "a coordinate of the camera";
        return Err(RenderError::Range { what, value, range: "finite and within 1e9 m" });
    }
    if let (Some(position), Some(target)) = (choice.position, choice.target) {
        let value = Vec3::from(position).distance(Vec3::from(target));
        if !(1e-9..).contains(&value) {
            let what = "the distance from the camera to its target";
            return Err(RenderError::Range { what, value, range: "more than 0" });
        }
    }
    if let Some(value) = choice.fov.filter(|x| !(1.0..=170.0).contains(x)) {
        let what = "the angle of view";
        return Err(RenderError::Range { what, value, range: "from 1 to 170 degrees" });
    }
    match choice.height.filter(|x| !(1e-9..=1e9).contains(x)) {
        Some(value) => {
            let what = "the height of the picture";
            Err(RenderError::Range { what, value, range: "more than 0 m, at most 1e9 m" })
        }
        None => Ok(()),
    }
}

/// A camera ready to draw with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub eye: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
    /// Pixels per unit of `x / z`, or per metre.
    pub scale: f64,
    /// Middle of the picture \[pixels\].
    pub middle: [f64; 2],
    /// Orthographic.
    pub flat: bool,
    /// Nothing nearer than this is drawn \[m\].
    pub near: f64,
}

impl View {
    pub fn new(camera: &Camera, width: usize, height: usize) -> Self {
        let forward = (camera.target - camera.position).normalize_or(Vec3::Y);
        let mut right = forward.cross(camera.up).normalize_or_zero();
        if right == Vec3::ZERO {
            // Straight up or down.
            right = forward.cross(Vec3::Y).normalize_or(Vec3::X);
        }
        let rows = height as f64;
        let (scale, flat) = match camera.lens {
            Lens::Perspective { fov } => (0.5 * rows / (0.5 * fov.to_radians()).tan(), false),
            Lens::Orthographic { height } => (rows / height, true),
        };
        Self {
            eye: camera.position,
            right,
            up: right.cross(forward),
            forward,
            scale,
            middle: [0.5 * width as f64, 0.5 * rows],
            flat,
            near: 2e-3 * camera.position.distance(camera.target),
        }
    }

    /// Camera coordinates of a direction.
    pub fn direction(&self, d: Vec3) -> Vec3 {
        Vec3::new(self.right.dot(d), self.up.dot(d), self.forward.dot(d))
    }

    /// Camera coordinates of a point.
    pub fn see(&self, p: Vec3) -> Vec3 {
        self.direction(p - self.eye)
    }

    /// Where camera coordinates are in the picture, and their nearness.
    pub fn screen(&self, c: Vec3) -> [f64; 3] {
        let (s, near) = if self.flat { (self.scale, -c.z) } else { (self.scale / c.z, 1.0 / c.z) };
        [self.middle[0] + s * c.x, self.middle[1] - s * c.y, near]
    }

    /// The point of the world at a place of the picture.
    pub fn world(&self, x: f64, y: f64, nearness: f64) -> Vec3 {
        let (across, down) = ((x - self.middle[0]) / self.scale, (y - self.middle[1]) / self.scale);
        if self.flat {
            return self.eye + self.right * across - self.up * down - self.forward * nearness;
        }
        self.eye + (self.right * across - self.up * down + self.forward) / nearness
    }

    /// Towards the eye from a point.
    pub fn back(&self, p: Vec3) -> Vec3 {
        if self.flat { -self.forward } else { (self.eye - p).normalize_or_zero() }
    }

    /// Nearness `n0 + nx X + ny Y` of the plane through `p` with normal `n`.
    pub fn plane(&self, p: Vec3, n: Vec3) -> [f64; 3] {
        let (height, d) = (n.dot(p - self.eye), self.direction(n));
        // n . (x, y, 1) z = height, or n . (x, y, z) = height.
        let (over, constant) = match self.flat {
            true => (d.z, -height / d.z),
            false => (height, d.z / height),
        };
        let (a, b) = (d.x / (over * self.scale), -d.y / (over * self.scale));
        [constant - a * self.middle[0] - b * self.middle[1], a, b]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn cameras() -> [Camera; 2] {
        let (position, target) = (Vec3::new(3.0, -4.0, 2.0), Vec3::new(0.1, 0.2, 0.3));
        [Lens::Perspective { fov: 40.0 }, Lens::Orthographic { height: 3.0 }].map(|lens| Camera {
            position,
            target,
            up: Vec3::Z,
            lens,
        })
    }

    /// The target is in the middle; a point is found again from its place in the picture.
    #[test]
    fn projecting_and_back_is_the_same_point() {
        for camera in cameras() {
            let view = View::new(&camera, 320, 200);
            let [x, y, _] = view.screen(view.see(camera.target));
            assert!((x - 160.0).abs() < 1e-9 && (y - 100.0).abs() < 1e-9, "{x} {y}");
            let p = Vec3::new(-0.5, 0.7, 1.1);
            let [x, y, near] = view.screen(view.see(p));
            assert!(view.world(x, y, near).distance(p) < 1e-12);
        }
    }

    /// Nearness on a plane is linear in the picture: it meets every point of the plane.
    #[test]
    fn planes_have_linear_nearness() {
        for camera in cameras() {
            let view = View::new(&camera, 320, 200);
            let (p, n) = (Vec3::new(0.3, 0.1, -0.2), Vec3::new(0.1, -0.2, 1.0).normalize());
            let [n0, nx, ny] = view.plane(p, n);
            for d in [Vec3::new(1.0, 0.4, 0.0), Vec3::new(-0.3, 0.8, 0.0), Vec3::ZERO] {
                let q = p + d - n * n.dot(d);
                let [x, y, near] = view.screen(view.see(q));
                let found = n0 + nx * x + ny * y;
                assert!((found - near).abs() < 1e-12, "{found} {near}");
            }
        }
    }

    #[test]
    fn cameras_are_read() {
        let read = read_camera;
        let fixed = |fov| CameraChoice {
            position: Some([3.0, -4.0, 2.0]),
            target: Some([0.0; 3]),
            fov,
            ..CameraChoice::default()
        };
        assert_eq!(read("3,-4,2:0,0,0").unwrap(), fixed(None));
        assert_eq!(read("3, -4, 2:0,0,0:50").unwrap(), fixed(Some(50.0)));
        assert_eq!(read("follow=a b").unwrap().follow.as_deref(), Some("a b"));
        assert_eq!(read("auto").unwrap(), CameraChoice::default());
        let wrong = [
            "",
            "1,2:0,0,0",
            "1,2,3",
            "1,2,x:0,0,0",
            "0,0,0:0,0,0",
            "1,2,3:0,0,0:500",
            "nan,0,0:1,0,0",
            "inf,0,0:1,0,0",
        ];
        for text in wrong {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
