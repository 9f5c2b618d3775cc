//! Settings of the formulation `penalty`.

use serde::{Deserialize, Serialize};

use crate::settings::SettingsError;

/// Where penalty forces act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PenaltyPoints {
    /// All points on the bottom of the volume that two bodies share.
    #[default]
    Bottom,
    /// The deepest point alone: the classic method.
    Deepest,
}

/// How bodies that do not slip are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StaticFriction {
    /// A spring and a damper in the tangent plane, from the place where the point came to rest.
    #[default]
    Spring,
    /// The forces that stop all resting points at once, by one linear system.
    LinearSystem,
    /// Dynamic friction alone: bodies on a slope creep.
    None,
}

/// Gains and choices of the penalty method. Gains are per kilogram: they are multiplied with
/// `m1 + m2`, a body that forces do not move counting as [`PenaltySettings::static_mass`] times
/// its partner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltySettings {
    /// Where forces act. Default `bottom`.
    pub points: PenaltyPoints,
    /// Proportional gain per mass `k_p / (m1 + m2)` \[1/s²\]. Default 100.
    pub stiffness: f64,
    /// Derivative gain per mass `k_v / (m1 + m2)` \[1/s\]. Default 50.
    pub damping: f64,
    /// Integral gain per mass `k_i / (m1 + m2)`, per step \[1/s²\]. Default 2.
    pub integral: f64,
    /// Forgetting factor λ of the integral, 0 to 1. Default 0.85; useful from 0.8 to 0.9.
    pub forgetting: f64,
    /// Static friction. Default `spring`.
    pub static_friction: StaticFriction,
    /// Approach speed above which a new contact is an impact, handled by impulses \[m/s\].
    /// Default 1e-6.
    pub impact_speed: f64,
    /// Mass of a static or kinematic body in units of its partner's. Default 4, which gives the
    /// gains 5000, 2500 and 100 for a block of 10 kg on a plane, those of the paper.
    pub static_mass: f64,
}

impl Default for PenaltySettings {
    fn default() -> Self {
        Self {
            points: PenaltyPoints::Bottom,
            stiffness: 100.0,
            damping: 50.0,
            integral: 2.0,
            forgetting: 0.85,
            static_friction: StaticFriction::Spring,
            impact_speed: 1e-6,
            static_mass: 4.0,
        }
    }
}

impl PenaltySettings {
    /// Names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let check = |key, value: f64, ok: bool, range| match ok && value.is_finite() {
            true => Ok(()),
            false => Err(SettingsError { key, value: value.to_string(), range }),
        };
        let not_negative = |key, x: f64| check(key, x, x >= 0.0, "0 or more");
        check("penalty_stiffness", self.stiffness, self.stiffness > 0.0, "more than 0")?;
        not_negative("penalty_damping", self.damping)?;
        not_negative("penalty_integral", self.integral)?;
        let forgetting = self.forgetting;
        check(
            "penalty_forgetting",
            forgetting,
            (0.0..1.0).contains(&forgetting),
            "0 up to below 1",
        )?;
        not_negative("penalty_impact_speed", self.impact_speed)?;
        not_negative("penalty_static_mass", self.static_mass)
    }
}
