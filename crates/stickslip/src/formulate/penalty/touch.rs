//! Pairs of parts that overlap, with the points where forces act.

use stickslip_geometry::{Shape, Vec3};

use super::{
    bottom::bottom,
    settings::PenaltyPoints,
    solid::{PartId, Prisms, near_pairs, place},
    volume::{VolumePoint, shared},
};
use crate::{
    collide::{Contact, Feature, Role, Side},
    formulate::FormulateError,
    model::Model,
    state::State,
};

/// Two parts, the one of the smaller body first.
pub(super) type PairId = (PartId, PartId);

/// Two parts that overlap.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub id: PairId,
    /// From A to B.
    pub normal: Vec3,
    /// Where forces act, the deepest first.
    pub points: Vec<VolumePoint>,
    /// Centre of the points where forces act: where an impact is applied.
    pub center: Vec3,
}

impl Touch {
    /// Depth of the deepest point \[m\].
    pub fn depth(&self) -> f64 {
        self.points.first().map_or(0.0, |p| p.depth)
    }

    /// Velocity of B's material relative to A's at a point \[m/s\].
    pub fn velocity(&self, state: &State, at: Vec3) -> Vec3 {
        let of = |id| state.twist(id).at(at - state.pose(id).position);
        of(self.id.1.0) - of(self.id.0.0)
    }

    /// A contact for those who look on.
    pub fn contact(&self, k: usize, at: Vec3, depth: f64) -> Contact {
        let side =
            |(body, part)| Side { body, part, feature: Feature::Smooth(k as u32), point: at };
        let (a, b) = (side(self.id.0), side(self.id.1));
        let (normal, gap) = (self.normal, -depth);
        Contact { a, b, normal, gap, applicability: 1.0, role: Role::Primary }
    }
}

/// All overlapping pairs, in the order of their parts.
pub(super) fn find(
    model: &Model,
    state: &State,
    prisms: &mut Prisms,
    which: PenaltyPoints,
) -> Vec<Touch> {
    let parts = place(model, state);
    let dimension = model.dimension();
    let mut out = Vec::new();
    for (i, j) in near_pairs(model, &parts) {
        let (a, b) = (&parts[i], &parts[j]);
        let Some(volume) = shared(dimension, prisms, a, b) else { continue };
        let chosen = match which {
            PenaltyPoints::Bottom => bottom(dimension, volume.normal, &volume.points),
            PenaltyPoints::Deepest => {
                let deepest = (0..volume.points.len())
                    .max_by(|&i, &j| volume.points[i].depth.total_cmp(&volume.points[j].depth));
                deepest.into_iter().collect()
            }
        };
        let points: Vec<VolumePoint> = chosen.into_iter().map(|k| volume.points[k]).collect();
        let center = points.iter().map(|p| p.at).sum::<Vec3>() / points.len().max(1) as f64;
        out.push(Touch { id: (a.id, b.id), normal: volume.normal, points, center });
    }
    out
}

/// Surfaces have no inside for the method to push out of.
pub(super) fn check(model: &Model) -> Result<(), FormulateError> {
    let surface = |b: &&crate::model::Body| b.collides && matches!(b.shape, Shape::Surface(_));
    match model.bodies().iter().find(surface) {
        None => Ok(()),
        Some(body) => Err(FormulateError::Unsupported {
            formulation: super::NAME,
            what: format!("the surface of triangles of {:?}; use convex parts", body.name),
        }),
    }
}
