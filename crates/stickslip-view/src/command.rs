//! What a client may ask for, and the bounds of it.

use serde::Deserialize;

/// One message of a client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "command", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Command {
    Play,
    Pause,
    Step,
    Reset,
    Settings(Change),
    /// All settings and aims of motors as the scene has them.
    Restore,
    Motor {
        joint: usize,
        target: f64,
    },
    /// Seconds of the run in a second of the clock.
    Speed {
        speed: f64,
    },
    Drag {
        body: usize,
        point: [f64; 3],
        target: [f64; 3],
    },
    Release,
}

/// What of the settings is to change.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Change {
    pub step: Option<f64>,
    pub formulation: Option<String>,
    pub solver: Option<String>,
    /// \[m/s²\]
    pub gravity: Option<[f64; 3]>,
    /// Of every contact.
    pub friction: Option<f64>,
    /// Of every contact.
    pub restitution: Option<f64>,
    /// Whether depth is measured and spurious contacts are counted.
    pub judge: Option<bool>,
}

/// Steps that a client may ask for \[s\].
pub(crate) const STEPS: [f64; 2] = [1e-7, 1.0];
/// Largest number of gravity \[m/s²\].
pub(crate) const GRAVITY: f64 = 1e4;
/// Coefficients of friction.
const FRICTIONS: [f64; 2] = [0.0, 100.0];
/// Coefficients of restitution.
const RESTITUTIONS: [f64; 2] = [0.0, 1.0];
/// Seconds of the run in a second of the clock.
const SPEEDS: [f64; 2] = [1e-3, 1e3];
/// Largest aim of a motor \[rad, m, rad/s or m/s\].
const AIM: f64 = 1e5;
/// The farthest point to pull a body to \[m\].
const FARTHEST: f64 = 1e6;

impl Command {
    /// Why a command of a client is not obeyed.
    pub fn refused(&self) -> Option<String> {
        match self {
            Self::Settings(change) => change.refused(),
            Self::Speed { speed } => outside("a speed", *speed, SPEEDS, ""),
            Self::Motor { target, .. } => outside("the aim of a motor", *target, [-AIM, AIM], ""),
            Self::Drag { point, target, .. } => {
                let near = |x: &f64| x.abs() <= FARTHEST;
                let all = point.iter().chain(target).all(near);
                (!all).then(|| format!("pulled beyond {FARTHEST} m"))
            }
            Self::Play | Self::Pause | Self::Step => None,
            Self::Reset | Self::Restore | Self::Release => None,
        }
    }
}

impl Change {
    fn refused(&self) -> Option<String> {
        let step = self.step.and_then(|h| outside("a step", h, STEPS, " s"));
        let friction = self.friction.and_then(|mu| outside("friction", mu, FRICTIONS, ""));
        let restitution =
            self.restitution.and_then(|e| outside("restitution", e, RESTITUTIONS, ""));
        let mut g = self.gravity.into_iter().flatten();
        let gravity = g.find_map(|x| outside("gravity", x, [-GRAVITY, GRAVITY], " m/s²"));
        let mut names = [&self.formulation, &self.solver].into_iter().flatten();
        let name = names.any(|n| n.len() > 100).then(|| "a name that is no name".to_owned());
        step.or(friction).or(restitution).or(gravity).or(name)
    }
}

/// Says that a number is not between two others; NaN is not.
fn outside(what: &str, value: f64, [low, high]: [f64; 2], unit: &str) -> Option<String> {
    let inside = (low..=high).contains(&value);
    (!inside).then(|| format!("{what} of {value}{unit}: it must be between {low} and {high}{unit}"))
}
