//! The numbers that decide how `separation` works on many bodies.

use crate::settings::SettingsError;

/// Settings of the formulation `separation`. What was measured is in `docs/ablation.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeparationSettings {
    /// Solves with other axes, and linearizations at the end of the step, after which the motion is taken
    /// as it is. Default 12: with 3 the limbs of `ragdolls` end 60 um deep, with 48 nothing is gained.
    pub rounds: usize,
    /// Near pairs above which a scene is a pile: axes stay as they are during a step, and overlap is
    /// taken away by normal impulses alone. Default 20: with 5 falling dominoes leave solves
    /// unsolved, with 80 the solver takes twice the iterations.
    pub pile: usize,
    /// How many times the speed that gravity gives in a step, `g h`, a contact of a pile in motion has.
    /// Default 1.05: bodies at rest approach what holds them at `g h`. Below one an arch of the critical
    /// thickness falls.
    pub motion: f64,
    /// How long bodies must be still to rest \[s\]. Default 0.2: what turns round is still for an instant.
    pub quiet: f64,
    /// How many times the residual of their contacts bodies may move that nothing else moves: levers make
    /// more of it. Default 50: in heaps of a hundred hulls it was 20 for most, and 50 for a small one
    /// balanced on an edge.
    pub levers: f64,
}

impl SeparationSettings {
    /// Names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        if self.rounds == 0 {
            let value = self.rounds.to_string();
            return Err(SettingsError { key: "separation_rounds", value, range: "1 or more" });
        }
        let numbers = [
            ("separation_motion", self.motion),
            ("separation_quiet", self.quiet),
            ("separation_levers", self.levers),
        ];
        match numbers.into_iter().find(|(_, x)| !(*x >= 0.0 && x.is_finite())) {
            Some((key, x)) => Err(SettingsError { key, value: x.to_string(), range: "0 or more" }),
            None => Ok(()),
        }
    }
}

impl Default for SeparationSettings {
    fn default() -> Self {
        Self { rounds: 12, pile: 20, motion: 1.05, quiet: 0.2, levers: 50.0 }
    }
}
