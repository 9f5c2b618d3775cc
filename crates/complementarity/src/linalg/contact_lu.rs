//! Multifrontal LU of `I + sum_c J_cᵀ W_c J_c` with matrices W that need not be symmetric, as those
//! of sliding contacts. Rows are exchanged inside a front only.

use super::block_lu::Eliminated;
use super::contact_fronts::{ContactFronts, Weights};

/// The factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactLu {
    nodes: Vec<Eliminated>,
    work: Vec<f64>,
}

impl ContactLu {
    /// Factors; false when a pivot vanishes.
    pub(crate) fn factor(&mut self, fronts: &ContactFronts, weights: &impl Weights) -> bool {
        self.nodes.resize_with(fronts.len(), Eliminated::default);
        for k in 0..fronts.len() {
            let (size, own) = fronts.size(k);
            let mut front = std::mem::take(&mut self.work);
            fronts.assemble(k, weights, |child| &self.nodes[child].update, &mut front);
            let sound = self.nodes[k].eliminate(&mut front, size, own);
            self.work = front;
            if !sound {
                return false;
            }
        }
        true
    }

    /// Solves in place, with the fronts that were factored.
    pub(crate) fn solve(&self, fronts: &ContactFronts, x: &mut [f64]) {
        let mut local = vec![];
        for (k, node) in self.nodes.iter().enumerate() {
            node.forward(fronts.unknowns(k), x, &mut local);
        }
        for (k, node) in self.nodes.iter().enumerate().rev() {
            node.backward(fronts.unknowns(k), x, &mut local);
        }
    }
}
