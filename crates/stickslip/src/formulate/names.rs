//! What contacts are called across steps, for the warm start.

use stickslip_geometry::Vec3;

use super::Name;
use crate::collide::{Contact, Side};

/// Names of contacts with their normal rows alone.
pub(super) fn of(contacts: &[Contact]) -> Vec<Name> {
    let part = |side: &Side| [side.body.index() as u64, u64::from(side.part)];
    let one = |(c, key): (&Contact, u64)| {
        let ([a, b], [d, e]) = (part(&c.a), part(&c.b));
        let rows = [c.normal, Vec3::ZERO, Vec3::ZERO];
        Name { key, pair: self::key([6, a, b, d, e]), point: c.b.point, rows }
    };
    contacts.iter().zip(keys(contacts)).map(one).collect()
}

/// Keys of contacts, those of the same features told apart by their order.
pub(super) fn keys(contacts: &[Contact]) -> Vec<u64> {
    let mut names: Vec<u64> = contacts.iter().map(contact_key).collect();
    for (i, c) in contacts.iter().enumerate().rev() {
        let pair = |o: &usize| (contacts[*o].a.body, contacts[*o].b.body) == (c.a.body, c.b.body);
        let before = (0..i).rev().take_while(pair);
        match before.filter(|&o| names[o] == names[i]).count() {
            0 => {}
            alike => names[i] = key([names[i], alike as u64]),
        }
    }
    names
}

/// A name of a contact that stays the same while the same features are near each other.
pub(super) fn contact_key(c: &Contact) -> u64 {
    use crate::collide::Feature::{Edge, Face, Smooth, Vertex};
    let feature = |f| match f {
        Vertex(i) => u64::from(i) << 2,
        Edge(i) => u64::from(i) << 2 | 1,
        Face(i) => u64::from(i) << 2 | 2,
        Smooth(i) => u64::from(i) << 2 | 3,
    };
    let side = |s: &Side| [s.body.index() as u64, u64::from(s.part), feature(s.feature)];
    let ([a, b, c1], [d, e, f]) = (side(&c.a), side(&c.b));
    key([a, b, c1, d, e, f])
}

/// Mixes numbers into one that is never zero. A collision merely spoils a guess.
pub(super) fn key(parts: impl IntoIterator<Item = u64>) -> u64 {
    let mixed = parts.into_iter().fold(0x9e37_79b9_7f4a_7c15_u64, |h, x| {
        (h ^ x).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29) ^ (h >> 31)
    });
    mixed | 1
}
