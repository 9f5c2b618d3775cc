//! Pairs of parts that overlap, with the points where forces act.

use std::collections::BTreeMap;

use stickslip_geometry::{Dimension, Shape, Vec3};

use super::{
    bottom::bottom,
    field::Field,
    memory::Memory,
    settings::PenaltyPoints,
    solid::{Placed, Prisms, place},
    surface::{self, Ground},
    volume::{Volume, VolumePoint, shared},
};
use crate::{
    collide::{Contact, Feature, PartId, Role, Side},
    frame::Frame,
    model::{BodyId, Model},
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
    fn new(dimension: Dimension, id: PairId, volume: &Volume, which: PenaltyPoints) -> Self {
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
        Self { id, normal: volume.normal, points, center }
    }

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

/// The distance fields of the surfaces, by body, kept for the run.
pub(super) type Fields = BTreeMap<BodyId, Field>;

/// Pairs of parts that the detector found near each other, the smaller body first, sorted. The part
/// of a surface is zero. A surface has no inside that a detector could see a body in: bodies that
/// sank into one stay near it until they have left it.
pub(super) fn near(frame: &Frame, memory: &Memory) -> Vec<[PartId; 2]> {
    let is_surface = |id: BodyId| matches!(frame.model.body(id).shape, Shape::Surface(_));
    let id = |(body, part): PartId| (body, if is_surface(body) { 0 } else { part });
    let of = |side: &Side| id((side.body, side.part));
    let mut pairs = frame.pairs.to_vec();
    pairs.extend(frame.contacts.iter().map(|c| [of(&c.a), of(&c.b)]));
    let sunk = memory.pairs.keys().filter(|(a, b)| is_surface(a.0) || is_surface(b.0));
    pairs.extend(sunk.map(|&(a, b)| [id(a), id(b)]));
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// All overlapping pairs among those `near`, in the order of their parts. A surface has one part for
/// each direction.
pub(super) fn find(
    (model, state): (&Model, &State),
    near: &[[PartId; 2]],
    (prisms, fields): (&mut Prisms, &mut Fields),
    which: PenaltyPoints,
) -> Vec<Touch> {
    let parts = place(model, state);
    let dimension = model.dimension();
    let place_of = |id: PartId| parts.binary_search_by_key(&id, |p| p.id).ok().map(|k| &parts[k]);
    let mut out = Vec::new();
    for pair in near {
        let [Some(a), Some(b)] = pair.map(place_of) else { continue };
        if !a.aabb.overlaps(&b.aabb) {
            continue;
        }
        let Some(volume) = shared(dimension, prisms, a, b) else { continue };
        out.push(Touch::new(dimension, (a.id, b.id), &volume, which));
    }
    let surfaces = model.ids().filter(|&id| model.body(id).collides);
    for id in surfaces {
        let Shape::Surface(mesh) = &model.body(id).shape else { continue };
        let pose = *state.pose(id);
        let bounds = model.body(id).shape.aabb(dimension, &pose);
        let field = fields.entry(id).or_insert_with(|| Field::new(mesh));
        let mut ground = Ground { field, pose };
        let is_near = |p: &&Placed| {
            let own = (id, 0);
            let pair = if id < p.id.0 { [own, p.id] } else { [p.id, own] };
            near.binary_search(&pair).is_ok() && p.convex.is_bounded() && p.aabb.overlaps(&bounds)
        };
        for part in parts.iter().filter(is_near) {
            for (k, mut volume) in surface::shared(dimension, prisms, &mut ground, part) {
                let own = (id, k);
                let pair = if id < part.id.0 { (own, part.id) } else { (part.id, own) };
                if pair.0 != own {
                    volume.normal = -volume.normal;
                }
                out.push(Touch::new(dimension, pair, &volume, which));
            }
        }
    }
    out.sort_by_key(|touch| touch.id);
    out
}
