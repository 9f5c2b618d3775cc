//! Where pictures of a scene are taken from.

use serde::{Deserialize, Serialize};
use stickslip_geometry::Dimension;

/// A point of view. What it leaves open is chosen such that the whole motion is in the picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Camera {
    /// Where the camera is \[m\]; 3D only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// What is in the middle of the picture \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<[f64; 3]>,
    /// Vertical field of view \[degrees\]; 3D only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fov: Option<f64>,
    /// Height of the picture \[m\]; 2D only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Name of a body with which the camera moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<String>,
}

impl Camera {
    /// Field of view of pictures that ask for none \[degrees\].
    pub const FOV: f64 = 38.0;

    /// The key that is wrong and what would be right. Names of bodies are the caller's to check.
    pub fn check(&self, dimension: Dimension) -> Result<(), (&'static str, String)> {
        let finite = |x: Option<[f64; 3]>| x.is_none_or(|x| x.iter().all(|x| x.is_finite()));
        for (key, point) in [("position", self.position), ("target", self.target)] {
            if !finite(point) {
                return Err((key, "it must be finite".into()));
            }
        }
        if self.position.is_some() && self.position == self.target {
            return Err(("target", "it is where the camera is; move one of them".into()));
        }
        if let Some(fov) = self.fov.filter(|x| !(*x >= 1.0 && *x <= 170.0)) {
            return Err(("fov", format!("it is {fov}, but must be from 1 to 170 degrees")));
        }
        if let Some(height) = self.height.filter(|x| !(*x > 0.0 && x.is_finite())) {
            return Err(("height", format!("it is {height}, but must be more than 0")));
        }
        match dimension {
            Dimension::Two if self.position.is_some() => {
                Err(("position", "in 2D give `target` and `height`".into()))
            }
            Dimension::Two if self.fov.is_some() => Err(("fov", "in 2D give `height`".into())),
            Dimension::Three if self.height.is_some() => {
                Err(("height", "in 3D give `position` or `fov`".into()))
            }
            _ => Ok(()),
        }
    }
}
