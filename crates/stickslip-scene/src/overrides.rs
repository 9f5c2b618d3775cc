//! `--set key=value`: changes to the tree before it is checked.

use std::sync::Arc;

use crate::{
    diagnostic::{Log, Subject},
    node::{Node, Table, Value, parse_path, parse_value},
    place::Place,
    read::body::default_name,
    schema::{SIMULATION, TOP, respelled},
    suggest,
};

/// One change to a scene, named by the option that asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// How messages name it, such as `--set step=0.002`.
    pub label: String,
    /// Dotted path of the key: `simulation.step`, `step` for short, `body.peg.friction`.
    pub path: String,
    /// The value as TOML; text that is no TOML value is taken as a text.
    pub value: String,
}

/// Text without `=`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--set {0}: there is no `=`; write key=value, such as --set step=0.002")]
pub struct NoValue(pub String);

impl Override {
    /// What `--set key=value` asks for.
    pub fn parse(text: &str) -> Result<Self, NoValue> {
        let (path, value) = text.split_once('=').ok_or_else(|| NoValue(text.into()))?;
        if path.trim().is_empty() {
            return Err(NoValue(text.into()));
        }
        let label = format!("--set {text}");
        Ok(Self { label, path: path.trim().into(), value: value.trim().into() })
    }

    /// What an option of its own, such as `--step 0.002`, asks for.
    pub fn option(option: &str, path: &str, value: &str) -> Self {
        Self { label: format!("{option} {value}"), path: path.into(), value: value.into() }
    }
}

/// Gives keys of the text that have an old spelling the present one, with a warning.
pub(crate) fn respell(top: &mut Table, log: &mut Log<'_>) {
    let Some(Value::Table(table)) = top.get_mut("simulation").map(|n| &mut n.value) else { return };
    for k in 0..table.entries.len() {
        let Some(new) = respelled(&table.entries[k].key) else { continue };
        // Both spellings at once: the old one stays, and is an unknown key.
        if table.get(new).is_none() {
            let entry = &mut table.entries[k];
            warn_respelled(&entry.key_place, &entry.key, new, log);
            entry.key = new.into();
        }
    }
}

fn warn_respelled(place: &Place, old: &str, new: &str, log: &mut Log<'_>) {
    let subject = Subject::new("[simulation]", "simulation");
    let message = format!("`{old}` is an old spelling");
    log.warning(place, &subject, new, message, format!("write `{new}`"));
}

/// Applies the changes in their order, reporting those that name nothing.
pub(crate) fn apply(top: &mut Table, overrides: &[Override], log: &mut Log<'_>) {
    for change in overrides {
        let place = Place::Given(Arc::from(change.label.as_str()));
        let mut path = keys(&change.path);
        if let Some(new) = path.last().and_then(|key| respelled(key))
            && path.len() == 2
            && path[0] == "simulation"
        {
            warn_respelled(&place, &path[1], new, log);
            path[1] = new.into();
        }
        let value = parse_value(&change.value, &place).unwrap_or_else(|| Node {
            value: Value::Text(change.value.clone()),
            place: place.clone(),
        });
        if let Err((message, remedy)) = set(top, &path, value, &place) {
            log.error(&place, &Subject::default(), &path.join("."), message, remedy);
        }
    }
}

/// The keys of a path; a short one is of `[simulation]`.
fn keys(path: &str) -> Vec<String> {
    let mut keys =
        parse_path(path).unwrap_or_else(|| path.split('.').map(|k| k.trim().into()).collect());
    let known = |key: &str| SIMULATION.fields.iter().any(|f| f.key == key);
    let short = keys.len() == 1 && (known(&keys[0]) || respelled(&keys[0]).is_some());
    if short {
        keys.insert(0, "simulation".into());
    }
    keys
}

type Fault = (String, String);

fn set(top: &mut Table, path: &[String], value: Node, place: &Place) -> Result<(), Fault> {
    let (first, rest) = match path {
        [first, rest @ ..] if !rest.is_empty() => (first.as_str(), rest),
        [only] => return Err(not_a_setting(only)),
        _ => return Err(not_a_setting("")),
    };
    if ["body", "joint", "force", "motor", "pair", "import"].contains(&first) {
        let list = match top.get_mut(first).map(|n| &mut n.value) {
            Some(Value::List(list)) => list,
            _ => return Err((format!("the scene has no [[{first}]]"), String::new())),
        };
        let (name, inner) = (&rest[0], &rest[1..]);
        let entry = find(list, first, name)?;
        if inner.is_empty() {
            let remedy = format!("write {first}.{name}.KEY=VALUE");
            return Err((format!("`{first}.{name}` is not a single value"), remedy));
        }
        return descend(entry, inner, value, place);
    }
    if !TOP.fields.iter().any(|f| f.key == first) {
        return Err(not_a_setting(first));
    }
    if top.get(first).is_none() {
        top.set(first, Node { value: Value::Table(Table::default()), place: place.clone() });
    }
    match top.get_mut(first) {
        Some(node) => descend(node, rest, value, place),
        None => Err(not_a_setting(first)),
    }
}

fn not_a_setting(key: &str) -> Fault {
    let known: Vec<&str> = SIMULATION.fields.iter().chain(TOP.fields).map(|f| f.key).collect();
    (format!("there is no setting `{key}`"), suggest::remedy(key, &known, "settings"))
}

/// The entry of that name, or of that number counted from 1.
fn find<'a>(list: &'a mut [Node], kind: &str, name: &str) -> Result<&'a mut Node, Fault> {
    let names: Vec<String> = list
        .iter()
        .enumerate()
        .map(|(k, node)| {
            // A motor goes by the name of its joint.
            let key = if kind == "motor" { "joint" } else { "name" };
            let given = node.table().and_then(|t| t.get(key)).and_then(Node::text);
            match (given, kind) {
                (Some(name), _) => name.to_owned(),
                (None, "body") => default_name(k),
                (None, _) => format!("{kind}-{}", k + 1),
            }
        })
        .collect();
    let numbered = name.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let index = names.iter().position(|n| n == name).or(numbered);
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let missing = || {
        let remedy = suggest::remedy(name, &known, "names");
        (format!("no {kind} is named `{name}`"), remedy)
    };
    index.and_then(|k| list.get_mut(k)).ok_or_else(missing)
}

/// Sets a key below a table, making the tables in between.
fn descend(node: &mut Node, path: &[String], value: Node, place: &Place) -> Result<(), Fault> {
    let described = node.describe();
    let Value::Table(table) = &mut node.value else {
        let message = format!("`{}` cannot be set: what should hold it is {described}", path[0]);
        return Err((message, String::new()));
    };
    let (key, rest) = (&path[0], &path[1..]);
    if rest.is_empty() {
        table.set(key, value);
        return Ok(());
    }
    if table.get(key).is_none() {
        table.set(key, Node { value: Value::Table(Table::default()), place: place.clone() });
    }
    match table.get_mut(key) {
        Some(inner) => descend(inner, rest, value, place),
        None => Ok(()),
    }
}
