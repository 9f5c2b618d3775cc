//! `[[pair]]`.

use stickslip::model::{Mortar, PairOverride};

use super::reader::Unchecked;
use crate::{
    diagnostic::{Log, Subject},
    names::Names,
    node::Node,
    schema::{PAIR, World},
};

/// Two bodies, by their places in the list, and what holds between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReadPair {
    pub bodies: (usize, usize),
    pub values: PairOverride,
}

/// What a pair may set.
const SETS: [&str; 5] =
    ["friction", "restitution", "rolling_friction", "torsional_friction", "tensile_strength"];

/// Reads all pairs.
pub(crate) fn read(list: &[Node], names: &Names, world: World, log: &mut Log<'_>) -> Vec<ReadPair> {
    let mut pairs: Vec<ReadPair> = Vec::new();
    for (k, node) in list.iter().enumerate() {
        let number = k + 1;
        let subject = Subject::new(format!("pair {number}"), format!("pair.{number}"));
        let Some(table) = Unchecked::new(node, subject, world) else { continue };
        let pair = table.check(&PAIR, &[], log);
        let values = PairOverride {
            friction: pair.number("friction"),
            restitution: pair.number("restitution"),
            rolling: pair.number("rolling_friction"),
            torsional: pair.number("torsional_friction"),
            mortar: pair.number("tensile_strength").map(|strength| Mortar {
                strength,
                opening: pair.number("crack_opening").unwrap_or(Mortar::OPENING),
            }),
        };
        if !SETS.iter().any(|key| pair.has(key)) {
            let remedy = "give `friction`, `restitution`, `rolling_friction`, `torsional_friction` or \
                          `tensile_strength`";
            pair.error(log, "", "the pair sets nothing", remedy);
        }
        let found: Vec<usize> = pair
            .texts("bodies")
            .into_iter()
            .filter_map(|(name, place)| names.find(name, (place, &pair.subject, "bodies"), log))
            .collect();
        let &[a, b] = found.as_slice() else { continue };
        if a == b {
            let remedy = "name two different bodies";
            pair.error(log, "bodies", "`bodies` names the same body twice", remedy);
            continue;
        }
        let bodies = (a.min(b), a.max(b));
        if pairs.iter().any(|p| p.bodies == bodies) {
            let message = "this pair has been given before";
            pair.error(log, "bodies", message, "put all its values into one entry");
        }
        pairs.push(ReadPair { bodies, values });
    }
    pairs
}
