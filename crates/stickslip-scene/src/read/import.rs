//! `[[import]]`.

use super::{pose::placement, reader::Unchecked};
use crate::{
    diagnostic::{Log, Subject},
    node::Node,
    schema::{IMPORT, World},
};

/// Checks the imports and refuses them: no reader for other scene formats exists yet.
pub(crate) fn refuse(list: &[Node], world: World, log: &mut Log<'_>) {
    for (k, node) in list.iter().enumerate() {
        let number = k + 1;
        let subject = Subject::new(format!("import {number}"), format!("import.{number}"));
        let Some(table) = Unchecked::new(node, subject, world) else { continue };
        let import = table.check(&IMPORT, &[], log);
        placement(&import, log);
        let remedy = "write its bodies as [[body]] entries";
        import.error(log, "file", "imports are not supported yet", remedy);
    }
}
