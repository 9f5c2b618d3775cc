//! Settings of the exact detector.

use serde::{Deserialize, Serialize};

/// When a contact may carry a force, and which edge pairs are left out.
///
/// Every tolerance of the detector is here; the defaults serve bodies of 1 mm to 100 m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExactSettings {
    /// Angle θ \[rad\] by which the normal cones are widened: features are applicable when their
    /// applicability is at least `-sin θ` (thesis 3.2). Default 10 degrees: more than a body
    /// turns in a usual step, less than the angle between the faces of most polytopes.
    pub theta: f64,
    /// Angle φ \[rad\] of figure 3.7: a vertex that is beside a face by `d` may be below it by
    /// `epsilon + d tan φ` and still end up on it. Default 45 degrees.
    pub phi: f64,
    /// How deep a feature may be below a face and still be pushed out by it \[m\] (thesis 3.3).
    /// Default 1e-6: far above round-off, far below what is seen. A pair that overlaps by more
    /// is pushed along its direction of least depth.
    pub epsilon: f64,
    /// Edges whose directions differ by less than this sine are parallel, and are left to the
    /// vertex-face contacts of their ends. Default 1e-3: below it the normal turns faster than a
    /// linear model of the step can follow.
    pub parallel: f64,
    /// An edge pair whose outward directions give the normal a sign by less than this cosine is
    /// left out: neither body is in front of the other there. Default 1e-6.
    pub ambiguous: f64,
    /// Speed: more pairs of parts than this are shared among threads. Default 64: below it, starting
    /// threads costs more than it saves.
    pub parallel_pairs: usize,
}

impl Default for ExactSettings {
    fn default() -> Self {
        Self {
            theta: 10_f64.to_radians(),
            phi: 45_f64.to_radians(),
            epsilon: 1e-6,
            parallel: 1e-3,
            ambiguous: 1e-6,
            parallel_pairs: 64,
        }
    }
}

impl ExactSettings {
    /// The first field that makes no sense: its name and its range.
    pub fn validate(&self) -> Result<(), String> {
        let quarter = std::f64::consts::FRAC_PI_2;
        let checks = [
            ("theta", self.theta, (0.0..quarter).contains(&self.theta), "0 up to 90 degrees"),
            ("phi", self.phi, (0.0..quarter).contains(&self.phi), "0 up to 90 degrees"),
            ("epsilon", self.epsilon, self.epsilon >= 0.0 && self.epsilon.is_finite(), "0 or more"),
            ("parallel", self.parallel, self.parallel > 0.0 && self.parallel < 1.0, "in (0, 1)"),
            (
                "ambiguous",
                self.ambiguous,
                self.ambiguous >= 0.0 && self.ambiguous < 1.0,
                "in [0, 1)",
            ),
        ];
        match checks.iter().find(|c| !c.2) {
            Some((name, value, _, range)) => Err(format!("{name} is {value}, but must be {range}")),
            None => Ok(()),
        }
    }

    /// The settings as the inner loops want them.
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            applicable: -self.theta.sin(),
            slope: self.phi.tan(),
            epsilon: self.epsilon,
            parallel: self.parallel,
            ambiguous: self.ambiguous,
        }
    }
}

/// [`ExactSettings`] with the trigonometry done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Smallest applicability of a primary contact: ε_θ = -sin θ.
    pub applicable: f64,
    /// tan φ.
    pub slope: f64,
    /// Depth that is still feasible \[m\].
    pub epsilon: f64,
    /// Sine below which edges are parallel.
    pub parallel: f64,
    /// Cosine below which the sign of an edge normal is ambiguous.
    pub ambiguous: f64,
}

impl Rules {
    /// Figure 3.7: `psi` above the plane of a face, `beside` its outline (both \[m\]).
    pub fn feasible(&self, psi: f64, beside: f64) -> bool {
        psi >= -self.epsilon - beside * self.slope
    }

    /// For a pair of convex parts that overlap by `depth` \[m\]: what lies on the direction of
    /// least depth stays feasible.
    pub fn at_depth(mut self, depth: f64) -> Self {
        // Round-off must not decide which of equally deep features is kept.
        self.epsilon = self.epsilon.max(depth * (1.0 + 1e-9));
        self
    }
}
