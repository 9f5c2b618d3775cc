//! The locally non-convex contact model: one vertex against a convex piece of another body.
//!
//! ```text
//! 0 <= lambda  ⟂  max(psi_1, ..., psi_n) >= 0
//! ```
//!
//! One force per vertex, and it arises only where the vertex would be behind every face near it.
//! Nguyen and Trinkle 2010 (dvc3D), eq. 14-21; Williams 2014, eq. 4.1-4.4. These are the U and I
//! constraints of [`peg`](super::Peg) without its X constraints: no vertex enters a body, but two
//! corners may pass through each other (Williams, figure 4.4). Edge pairs are unilateral.

use complementarity::ProblemClass;

use super::{FormulateError, Formulation, Frame, Peg, Solve, StepMotion};
use crate::settings::Settings;

/// The LNC formulation.
#[derive(Debug)]
pub struct Lnc(Peg);

impl Default for Lnc {
    fn default() -> Self {
        Self(Peg::vertices_only("lnc"))
    }
}

impl Formulation for Lnc {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        self.0.class(settings)
    }

    fn sees_free_motion(&self) -> bool {
        false
    }

    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        self.0.plan(frame, solve)
    }
}
