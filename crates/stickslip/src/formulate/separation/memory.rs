//! Contacts and their forces as words, for a run that is stopped and taken up again.

use stickslip_geometry::Vec3;

use crate::{
    collide::{Contact, Feature, PartId, Role, Side},
    formulate::{ConstraintKind, ContactForce},
    model::BodyId,
};

/// Layout: words of a contact with its force.
pub(super) const CONTACT_WORDS: usize = 26;

/// A part of a body as one word.
pub(super) fn part_word((body, part): PartId) -> u64 {
    (body.index() as u64) << 32 | u64::from(part)
}

/// From what [`part_word`] gave.
pub(super) fn part_from(word: u64) -> PartId {
    (BodyId::new((word >> 32) as usize), word as u32)
}

/// A contact and its force.
pub(super) fn contact_words(c: &Contact, force: &ContactForce) -> [u64; CONTACT_WORDS] {
    let vector = |v: Vec3| v.to_array().map(f64::to_bits);
    let side = |s: &Side| {
        let (kind, number) = match s.feature {
            Feature::Vertex(i) => (0, i),
            Feature::Edge(i) => (1, i),
            Feature::Face(i) => (2, i),
            Feature::Smooth(i) => (3, i),
        };
        let [x, y, z] = vector(s.point);
        [part_word((s.body, s.part)), kind, u64::from(number), x, y, z]
    };
    let mut words = [0; CONTACT_WORDS];
    words[..6].copy_from_slice(&side(&c.a));
    words[6..12].copy_from_slice(&side(&c.b));
    words[12..15].copy_from_slice(&vector(c.normal));
    words[15] = c.gap.to_bits();
    words[16] = c.applicability.to_bits();
    words[17] = u64::from(c.role == Role::Primary);
    words[18] = force.normal.to_bits();
    words[19..22].copy_from_slice(&vector(force.friction));
    words[22] = match force.kind {
        ConstraintKind::Unilateral => 0,
        ConstraintKind::Inter => 1,
        ConstraintKind::Cross => 2,
    };
    words[23..26].copy_from_slice(&vector(force.torque));
    words
}

/// From what [`contact_words`] gave; the number of the contact is for the caller to set.
pub(super) fn contact_from(w: &[u64; CONTACT_WORDS]) -> Option<(Contact, ContactForce)> {
    let vector = |at: usize| Vec3::from_array([0, 1, 2].map(|i| f64::from_bits(w[at + i])));
    let side = |at: usize| {
        let number = u32::try_from(w[at + 2]).ok()?;
        let feature = match w[at + 1] {
            0 => Feature::Vertex(number),
            1 => Feature::Edge(number),
            2 => Feature::Face(number),
            3 => Feature::Smooth(number),
            _ => return None,
        };
        let (body, part) = part_from(w[at]);
        Some(Side { body, part, feature, point: vector(at + 3) })
    };
    let contact = Contact {
        a: side(0)?,
        b: side(6)?,
        normal: vector(12),
        gap: f64::from_bits(w[15]),
        applicability: f64::from_bits(w[16]),
        role: if w[17] == 1 { Role::Primary } else { Role::Secondary },
    };
    let kind = match w[22] {
        0 => ConstraintKind::Unilateral,
        1 => ConstraintKind::Inter,
        2 => ConstraintKind::Cross,
        _ => return None,
    };
    let (normal, friction, torque) = (f64::from_bits(w[18]), vector(19), vector(23));
    Some((contact, ContactForce { contact: 0, kind, normal, friction, torque }))
}
