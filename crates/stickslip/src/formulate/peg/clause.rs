//! U-, I- and X-constraints: at least one of some gaps must not be negative.

use crate::formulate::ConstraintKind;

/// `max(psi_1, ..., psi_n) >= 0` with a force at one of the contacts (4.14), or at every primary
/// one (4.12-4.13).
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// Unilateral (one contact), inter-contact or cross-contact.
    pub kind: ConstraintKind,
    /// The contacts, ascending.
    pub literals: Vec<usize>,
    /// Which of them pushes: an element of `literals`.
    pub active: usize,
    /// Which of them the maximum is written from: `max = psi_base + sum c`.
    pub base: usize,
    /// Contacts that push as well, where two took turns as the active one.
    pub other_active: Vec<usize>,
    /// Active alternatives tried in this step.
    pub seen: Vec<usize>,
}

impl Clause {
    pub fn new(kind: ConstraintKind, literals: Vec<usize>) -> Self {
        let first = literals.first().copied().unwrap_or(0);
        Self {
            kind,
            literals,
            active: first,
            base: first,
            other_active: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// The contacts other than the base.
    pub fn beside_base(&self) -> impl Iterator<Item = usize> + '_ {
        self.literals.iter().copied().filter(|&k| k != self.base)
    }

    /// The contacts that push.
    pub fn active_ones(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.active).chain(self.other_active.iter().copied())
    }

    /// The largest value of a contact.
    pub fn widest(&self, value: &dyn Fn(usize) -> f64) -> f64 {
        self.literals.iter().fold(f64::NEG_INFINITY, |m, &k| m.max(value(k)))
    }

    /// The contact with the largest value.
    pub fn largest(&self, value: impl Fn(usize) -> f64) -> usize {
        let better = |best: usize, k: usize| if value(k) > value(best) { k } else { best };
        self.literals.iter().copied().fold(self.literals[0], better)
    }
}
