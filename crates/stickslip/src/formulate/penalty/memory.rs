//! What the method remembers of a pair while it stays in contact.
//!
//! ```text
//!            touches, s_n < -ε              impulses applied
//!  apart ───────────────────────▶ impact ───────────────────▶ penalty
//!    ▲ └──── touches, s_n >= -ε ────────────────────────────▶  │ ▲
//!    └───────────────────────── no longer touches ─────────────┘ └ impact again only when a
//!                                                                  third body hits one of the two
//! ```
//!
//! Drumwright 2007, figure 2. A pair is in the memory if and only if it is in the state "penalty".

use std::collections::BTreeMap;

use stickslip_geometry::Vec3;

use super::touch::{PairId, Touch};
use crate::{model::BodyId, state::State};

/// A pair in the state "penalty".
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// `I`: the largest depths of the past steps, each forgotten by λ per step \[m\].
    pub integral: f64,
    /// Where points came to rest.
    pub anchors: BTreeMap<u64, Anchor>,
}

/// A point that does not slip: where it sits on either body, body frames \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub a: Vec3,
    pub b: Vec3,
    /// Whether the point has slipped since it was set here: its spring is stretched to the limit
    /// and must not pull the body back when the slip ends.
    pub slid: bool,
}

impl Anchor {
    pub fn new(state: &State, id: PairId, at: Vec3) -> Self {
        let local = |body| state.pose(body).inverse_point(at);
        Self { a: local(id.0.0), b: local(id.1.0), slid: false }
    }

    /// How far B's material has moved from A's since, world frame \[m\].
    pub fn stretch(&self, state: &State, id: PairId) -> Vec3 {
        state.pose(id.1.0).point(self.b) - state.pose(id.0.0).point(self.a)
    }

    /// Moves the side on A so that the stretch becomes `stretch`.
    pub fn slide(&mut self, state: &State, id: PairId, stretch: Vec3) {
        let b = state.pose(id.1.0).point(self.b);
        self.a = state.pose(id.0.0).inverse_point(b - stretch);
        self.slid = true;
    }
}

/// All pairs in the state "penalty".
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub pairs: BTreeMap<PairId, Kept>,
    /// Number of the step that it belongs to the end of.
    pub step: u64,
}

impl Memory {
    /// Forgets everything unless `step` follows the last one, and pairs that parted in any case.
    pub fn begin(&mut self, step: u64, touches: &[Touch]) {
        if step != self.step {
            self.pairs.clear();
        }
        let still: std::collections::BTreeSet<PairId> = touches.iter().map(|t| t.id).collect();
        self.pairs.retain(|id, _| still.contains(id));
    }

    /// Pairs that have just begun to touch.
    pub fn fresh<'a>(&'a self, touches: &'a [Touch]) -> impl Iterator<Item = usize> + 'a {
        (0..touches.len()).filter(|&i| !self.pairs.contains_key(&touches[i].id))
    }

    /// After the forces of a step are known: depths enter the integrals, and points that slip or
    /// left lose their anchors.
    pub fn end(&mut self, step: u64, touches: &[Touch], forgetting: f64) {
        self.step = step + 1;
        for touch in touches {
            let Some(kept) = self.pairs.get_mut(&touch.id) else { continue };
            // Eq. 2: the newest depth has weight one in the next step.
            kept.integral = forgetting * kept.integral + touch.depth();
            let here: Vec<u64> = touch.points.iter().map(|p| p.id).collect();
            kept.anchors.retain(|id, _| here.contains(id));
        }
    }

    /// For saving: the step, then of every pair its parts, integral and anchors. Nothing where
    /// nothing is remembered.
    pub fn words(&self) -> Vec<u64> {
        if self.pairs.is_empty() {
            return Vec::new();
        }
        let mut out = vec![self.step];
        for (((a, part_a), (b, part_b)), kept) in &self.pairs {
            out.extend([
                a.index() as u64,
                u64::from(*part_a),
                b.index() as u64,
                u64::from(*part_b),
            ]);
            out.extend([kept.integral.to_bits(), kept.anchors.len() as u64]);
            for (id, anchor) in &kept.anchors {
                out.extend([*id, u64::from(anchor.slid)]);
                out.extend(anchor.a.to_array().map(f64::to_bits));
                out.extend(anchor.b.to_array().map(f64::to_bits));
            }
        }
        out
    }

    /// From what [`Memory::words`] gave; `None` where that is something else.
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let Some((&step, mut rest)) = words.split_first() else { return Some(Self::default()) };
        let mut pairs = BTreeMap::new();
        while let [a, part_a, b, part_b, integral, anchors, more @ ..] = rest {
            let side = |body: u64, part: u64| {
                Some((BodyId::new(usize::try_from(body).ok()?), u32::try_from(part).ok()?))
            };
            let id = (side(*a, *part_a)?, side(*b, *part_b)?);
            let length = usize::try_from(*anchors).ok()?.checked_mul(ANCHOR_WORDS)?;
            let (mine, others) = more.split_at_checked(length)?;
            let anchors = mine.chunks_exact(ANCHOR_WORDS).map(anchor).collect();
            pairs.insert(id, Kept { integral: f64::from_bits(*integral), anchors });
            rest = others;
        }
        rest.is_empty().then_some(Self { pairs, step })
    }
}

/// Words of an anchor: its point, whether it slid, and a place on either body.
const ANCHOR_WORDS: usize = 8;

fn anchor(words: &[u64]) -> (u64, Anchor) {
    let place = |at: usize| Vec3::from_array([0, 1, 2].map(|i| f64::from_bits(words[at + i])));
    (words[0], Anchor { a: place(2), b: place(5), slid: words[1] != 0 })
}
