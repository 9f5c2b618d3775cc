//! Reads the keys of one table after checking all of them against their section.

use crate::{
    diagnostic::{Log, Subject},
    node::{Entry, Node, Table, Value},
    place::Place,
    schema::{Field, Kind, Section, World},
    suggest,
};

/// A table whose keys have been checked. Getters answer `None` for a key that is absent or was
/// found to be wrong, which has then been reported.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    pub table: &'a Table,
    pub subject: Subject,
    /// Where the table itself stands.
    pub place: Place,
    pub world: World,
    wrong: Vec<&'a str>,
}

/// A table still to be checked.
#[derive(Clone, Debug)]
pub(crate) struct Unchecked<'a> {
    pub table: &'a Table,
    pub subject: Subject,
    pub place: Place,
    pub world: World,
}

/// What a table describes, as the engine takes it, and where to point when that refuses it.
#[derive(Debug)]
pub(crate) struct Described<T> {
    pub init: T,
    pub subject: Subject,
    pub place: Place,
}

impl<'a> Unchecked<'a> {
    /// The `index`-th table (from 0) of a list of things of this kind, and its name: `kind-1` and so on
    /// where it is given none.
    pub fn named(node: &'a Node, kind: &str, index: usize, world: World) -> Option<(String, Self)> {
        let given = node.table()?.get("name").filter(|n| Kind::Text.check(n, world).is_ok());
        let own = || format!("{kind}-{}", index + 1);
        let name = given.and_then(Node::text).map_or_else(own, String::from);
        let subject = Subject::new(format!("{kind} {name:?}"), format!("{kind}.{name}"));
        Some((name, Self::new(node, subject, world)?))
    }

    /// The table at a node; an empty one if the node is none.
    pub fn new(node: &'a Node, subject: Subject, world: World) -> Option<Self> {
        Some(Self { table: node.table()?, subject, place: node.place.clone(), world })
    }

    /// Checks every key: known, of the right kind, and given if required. `also` are fields
    /// beyond those of the section.
    pub fn check(self, section: &Section, also: &[Field], log: &mut Log<'_>) -> Reader<'a> {
        let Self { table, subject, place, world } = self;
        let mut reader = Reader { table, subject, place, world, wrong: Vec::new() };
        let fields: Vec<&Field> = section.fields.iter().chain(also).collect();
        for entry in &table.entries {
            let good = match fields.iter().find(|f| f.key == entry.key) {
                Some(field) => reader.check_value(field, entry, log),
                None => reader.unknown(entry, section, &fields, log),
            };
            if !good {
                reader.wrong.push(&entry.key);
            }
        }
        for field in fields.iter().filter(|f| f.required() && table.get(f.key).is_none()) {
            let message = format!("`{}` is missing", reader.subject.local(field.key));
            let remedy = format!("it must be {}", field.kind.expected(world));
            log.error(&reader.place, &reader.subject, field.key, message, remedy);
        }
        reader
    }
}

impl<'a> Reader<'a> {
    fn check_value(&self, field: &Field, entry: &Entry, log: &mut Log<'_>) -> bool {
        let Err(wrong) = field.kind.check(&entry.node, self.world) else { return true };
        let key = self.subject.local(field.key);
        let message =
            format!("`{key}` must be {}, but {}", field.kind.expected(self.world), wrong.found);
        let remedy = wrong.suggestion.map_or(String::new(), |s| format!("did you mean \"{s}\"?"));
        log.error(&wrong.place, &self.subject, field.key, message, remedy);
        false
    }

    fn unknown(
        &self,
        entry: &Entry,
        section: &Section,
        fields: &[&Field],
        log: &mut Log<'_>,
    ) -> bool {
        let known: Vec<&str> = fields.iter().map(|f| f.key).collect();
        let message = format!("unknown key `{}`", self.subject.local(&entry.key));
        let what = format!("keys of {}", section.title);
        let remedy = suggest::remedy(&entry.key, &known, &what);
        log.error(&entry.key_place, &self.subject, &entry.key, message, remedy);
        false
    }

    /// Reports an error about a key: at its value, or at the table if it is absent.
    pub fn error(
        &self,
        log: &mut Log<'_>,
        key: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        log.error(&self.place_of(key), &self.subject, key, message, remedy);
    }

    /// Reports a warning likewise.
    pub fn warning(
        &self,
        log: &mut Log<'_>,
        key: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        log.warning(&self.place_of(key), &self.subject, key, message, remedy);
    }

    /// Where the value of a key stands; the table if it is absent.
    pub fn place_of(&self, key: &str) -> Place {
        self.table.get(key).map_or_else(|| self.place.clone(), |n| n.place.clone())
    }

    /// Whether the key is there, right or wrong.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// The value of a key that was found right.
    pub fn node(&self, key: &str) -> Option<&'a Node> {
        self.table.get(key).filter(|_| !self.wrong.contains(&key))
    }

    /// A number.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.node(key)?.number()
    }

    /// A whole number that is not negative.
    pub fn whole(&self, key: &str) -> Option<usize> {
        match self.node(key)?.value {
            Value::Whole(x) => usize::try_from(x).ok(),
            _ => None,
        }
    }

    /// Yes or no.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.node(key)?.value {
            Value::Flag(x) => Some(x),
            _ => None,
        }
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.node(key)?.text()
    }

    /// Numbers of a list.
    pub fn numbers(&self, key: &str) -> Option<Vec<f64>> {
        numbers(self.node(key)?)
    }

    /// Texts of a list, with their places.
    pub fn texts(&self, key: &str) -> Vec<(&'a str, &'a Place)> {
        let items = self.node(key).and_then(Node::list).unwrap_or_default();
        items.iter().filter_map(|n| Some((n.text()?, &n.place))).collect()
    }

    /// A table within this one, still to be checked.
    pub fn inner(&self, key: &str) -> Option<Unchecked<'a>> {
        Unchecked::new(self.node(key)?, self.subject.within(key), self.world)
    }
}

/// The numbers of a list.
pub(crate) fn numbers(node: &Node) -> Option<Vec<f64>> {
    node.list()?.iter().map(Node::number).collect()
}
