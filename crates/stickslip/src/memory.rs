//! What the stages carry from one step to the next, beyond the state: with it a run can be
//! stopped and taken up again without changing a bit.

use crate::{fault::Stage, solve::WarmStart, step::Pipeline};

/// The memory of a pipeline between two steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// The last solution, by name of the unknown: where the solver starts.
    pub unknowns: Vec<(u64, f64)>,
    /// What the formulation remembers, as opaque serialised state.
    pub formulation: Vec<u64>,
    /// What the integrator remembers, likewise.
    pub integrator: Vec<u64>,
}

/// A memory that belongs to another method or scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stage \"{stage}\" cannot take up a memory of {words} words: it is of another method")]
pub struct StrangeMemory {
    /// The stage that refused it.
    pub stage: Stage,
    /// Length of what it was given.
    pub words: usize,
}

impl Pipeline {
    /// What is carried over to the next step.
    pub fn memory(&self) -> Memory {
        Memory {
            unknowns: self.warm_start.entries(),
            formulation: self.formulation.memory(),
            integrator: self.integrator.memory(),
        }
    }

    /// Goes on from what [`Pipeline::memory`] gave, in place of what it remembers now.
    pub fn recall(&mut self, memory: &Memory) -> Result<(), StrangeMemory> {
        let refused = |stage, words: &[u64]| StrangeMemory { stage, words: words.len() };
        self.warm_start = WarmStart::from_entries(memory.unknowns.iter().copied());
        if !self.formulation.recall(&memory.formulation) {
            return Err(refused(Stage::Formulate, &memory.formulation));
        }
        if !self.integrator.recall(&memory.integrator) {
            return Err(refused(Stage::Integrate, &memory.integrator));
        }
        Ok(())
    }
}
