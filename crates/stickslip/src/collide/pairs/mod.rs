//! The narrow phase: one file per kind of pair.

pub(crate) mod ball;
pub(crate) mod bored;
pub(crate) mod capsule;
pub(crate) mod edge_edge;
pub(crate) mod half_space;
pub(crate) mod least;
pub(crate) mod nearest;
pub(crate) mod polygon_polygon;
pub(crate) mod polytope_polytope;
pub(crate) mod revolution;
pub(crate) mod revolution_pairs;
pub(crate) mod revolution_revolution;
pub(crate) mod ring;
pub(crate) mod surface;
pub(crate) mod surface_round;
pub(crate) mod vertex_face;
pub(crate) mod wedges;

use stickslip_geometry::Vec3;

use super::{Contact, Feature, Role, Side, placed::Placed};
use crate::model::BodyId;

/// A contact between the first and the second part of a pair, in the order in which the pair's
/// function takes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// One feature of each.
    pub features: [Feature; 2],
    /// A point on each \[m\].
    pub points: [Vec3; 2],
    /// Unit normal from the first to the second.
    pub normal: Vec3,
    /// Gap along it \[m\].
    pub gap: f64,
    /// See [`Contact::applicability`].
    pub applicability: f64,
    /// Whether a force may arise.
    pub primary: bool,
}

/// Collects the contacts of one pair, the body with the smaller id first.
pub(crate) struct Sink<'a> {
    out: &'a mut Vec<Contact>,
    first: (BodyId, u32),
    second: (BodyId, u32),
    swap: bool,
}

impl<'a> Sink<'a> {
    /// For a function that takes `first` and `second` in this order.
    pub fn new(first: &Placed, second: &Placed, out: &'a mut Vec<Contact>) -> Self {
        Self {
            out,
            first: (first.body, first.part),
            second: (second.body, second.part),
            swap: first.body > second.body,
        }
    }

    /// Adds a contact.
    pub fn push(&mut self, found: &Found) {
        let side = |(body, part): (BodyId, u32), k: usize| Side {
            body,
            part,
            feature: found.features[k],
            point: found.points[k],
        };
        let (first, second) = (side(self.first, 0), side(self.second, 1));
        let (a, b, normal) =
            if self.swap { (second, first, -found.normal) } else { (first, second, found.normal) };
        let role = if found.primary { Role::Primary } else { Role::Secondary };
        let (gap, applicability) = (found.gap, found.applicability);
        self.out.push(Contact { a, b, normal, gap, applicability, role });
    }
}
