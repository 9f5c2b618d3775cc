//! The bodies of a scene by name.

use std::collections::BTreeMap;

use crate::{
    diagnostic::{Log, Subject},
    place::Place,
    read::{body::ReadBody, import::ReadImport},
    suggest,
};

/// Names of bodies, in the order of the file.
#[derive(Debug)]
pub(crate) struct Names {
    names: Vec<String>,
}

impl Names {
    /// The names of these bodies; one that is used twice is reported.
    pub fn new(bodies: &[ReadBody<'_>], imports: &[ReadImport], log: &mut Log<'_>) -> Self {
        let mut first: BTreeMap<&str, &Place> = BTreeMap::new();
        for body in bodies {
            if let Some(earlier) = first.get(body.name.as_str()) {
                let line = log.line(earlier).map_or_else(String::new, |n| format!(" in line {n}"));
                let message = format!("the name `{}` is taken by the body{line}", body.name);
                let remedy = "give every body its own name";
                log.error(&body.name_place, &body.subject, "name", message, remedy);
            } else {
                first.insert(&body.name, &body.place);
            }
        }
        let mut names: Vec<String> = bodies.iter().map(|b| b.name.clone()).collect();
        for import in imports {
            if let Some(name) = import.bodies.iter().find(|b| names.contains(b)) {
                let message = format!("its link `{name}` has the name of another body");
                let remedy = "give the import a `prefix`";
                log.error(&import.place, &import.subject, "file", message, remedy);
            }
            names.extend(import.bodies.iter().cloned());
        }
        Self { names }
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
            let (place, subject, key) = about;
            // Joints and forces may name the world as well.
            let path = &subject.path;
            let may = (path.starts_with("joint.") || path.starts_with("force.")) && key == "bodies";
            let world = may.then_some("world");
            let known: Vec<&str> = self.names.iter().map(String::as_str).chain(world).collect();
            let message = format!("`{}` names no body: `{name}`", subject.local(key));
            log.error(place, subject, key, message, suggest::remedy(name, &known, "bodies"));
        }
        found
    }
}
