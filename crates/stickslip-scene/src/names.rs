//! The bodies of a scene by name.

use crate::{
    diagnostic::{Log, Subject},
    place::Place,
    read::body::ReadBody,
    suggest,
};

/// Names of bodies, in the order of the file.
#[derive(Debug)]
pub(crate) struct Names {
    names: Vec<String>,
}

impl Names {
    /// The names of these bodies; one that is used twice is reported.
    pub fn new(bodies: &[ReadBody<'_>], log: &mut Log<'_>) -> Self {
        let mut first = std::collections::BTreeMap::new();
        for body in bodies {
            if first.contains_key(&body.name) {
                let message = format!("the name `{}` is taken by an earlier body", body.name);
                let remedy = "give every body its own name";
                log.error(&body.place, &body.subject, "name", message, remedy);
            }
            first.entry(&body.name).or_insert(());
        }
        Self { names: bodies.iter().map(|b| b.name.clone()).collect() }
    }

    /// The place in the list of the body of that name, reporting if there is none; `about` says
    /// where the name stands and for which key.
    pub fn find(
        &self,
        name: &str,
        about: (&Place, &Subject, &str),
        log: &mut Log<'_>,
    ) -> Option<usize> {
        let found = self.names.iter().position(|n| n == name);
        if found.is_none() {
            let known: Vec<&str> = self.names.iter().map(String::as_str).collect();
            let message = format!("`{}` names no body: `{name}`", about.1.local(about.2));
            let remedy = suggest::remedy(name, &known, "bodies");
            log.error(about.0, about.1, about.2, message, remedy);
        }
        found
    }
}
