//! The scene as written: a tree of values that know where they stand.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::place::Place;

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    pub place: Place,
}

/// What a scene file may hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
    Date(String),
    /// A whole number that no machine integer holds.
    Huge(String),
    List(Vec<Node>),
    Table(Table),
}

/// Keys and values, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
}

/// One key and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

impl Table {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|e| e.key == key).map(|e| &e.node)
    }

    /// The value of a key, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|e| e.key == key).map(|e| &mut e.node)
    }

    /// Sets a key, replacing what it had.
    pub fn set(&mut self, key: &str, node: Node) {
        let key_place = node.place.clone();
        let entry = Entry { key: key.into(), key_place, node };
        match self.entries.iter_mut().find(|e| e.key == key) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }
}

impl Node {
    /// The number, whole or not.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Number(x) => Some(x),
            Value::Whole(x) => Some(x as f64),
            _ => None,
        }
    }

    /// The text.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(x) => Some(x),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(x) => Some(x),
            _ => None,
        }
    }

    /// The keys of a table.
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(x) => Some(x),
            _ => None,
        }
    }

    /// What it is, for "... but is ...".
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Text(x) => format!("the text {:?}", shortened(x)),
            Value::Whole(x) => format!("{x}"),
            Value::Number(x) => format!("{x}"),
            Value::Flag(x) => format!("{x}"),
            Value::Date(x) => format!("the date {x}"),
            Value::Huge(x) => format!("the huge number {}", shortened(x)),
            Value::List(x) if x.len() == 1 => "a list of 1 item".into(),
            Value::List(x) => format!("a list of {} items", x.len()),
            Value::Table(_) => "a table".into(),
        }
    }
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        None => text.into(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// A fault in the grammar of the text.
pub(crate) struct SyntaxError {
    pub place: Place,
    pub message: String,
}

/// The tree of a TOML text; all faults of its grammar.
pub(crate) fn parse(text: &str) -> Result<Table, Vec<SyntaxError>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(convert_table(table.get_ref(), &|span| Place::Text(span)));
    }
    let fault = |e: toml::de::Error| SyntaxError {
        place: Place::Text(e.span().unwrap_or(0..0)),
        message: e.message().trim().replace('\n', ", "),
    };
    Err(errors.into_iter().map(fault).collect())
}

/// A single value of an option; `None` if the text is not a TOML value.
pub(crate) fn parse_value(text: &str, place: &Place) -> Option<Node> {
    let value = DeValue::parse(text).ok()?;
    Some(convert(&value, &|_| place.clone()))
}

/// The keys of a dotted path, quoted ones included; `None` if the text is no TOML key.
pub(crate) fn parse_path(text: &str) -> Option<Vec<String>> {
    let document = format!("{text} = 0");
    let table = DeTable::parse(&document).ok()?;
    let (mut table, mut path) = (table.get_ref(), Vec::new());
    loop {
        let (key, value) = match (table.iter().next(), table.len()) {
            (Some(entry), 1) => entry,
            _ => return None,
        };
        path.push(key.get_ref().to_string());
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => return Some(path),
        }
    }
}

type Locate<'a> = &'a dyn Fn(std::ops::Range<usize>) -> Place;

fn convert_table(table: &DeTable<'_>, locate: Locate<'_>) -> Table {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let key: &Spanned<std::borrow::Cow<'_, str>> = key;
        (
            key.span().start,
            Entry {
                key: key.get_ref().to_string(),
                key_place: locate(key.span()),
                node: convert(value, locate),
            },
        )
    };
    let mut entries: Vec<_> = table.iter().map(entry).collect();
    entries.sort_by_key(|(start, _)| *start);
    Table { entries: entries.into_iter().map(|(_, e)| e).collect() }
}

fn convert(value: &Spanned<DeValue<'_>>, locate: Locate<'_>) -> Node {
    let found = match value.get_ref() {
        DeValue::String(x) => Value::Text(x.to_string()),
        DeValue::Integer(x) => match i64::from_str_radix(x.as_str(), x.radix()) {
            Ok(number) => Value::Whole(number),
            Err(_) => Value::Huge(x.to_string()),
        },
        // The grammar has been checked; what still does not parse is caught as not finite.
        DeValue::Float(x) => Value::Number(x.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(x) => Value::Flag(*x),
        DeValue::Datetime(x) => Value::Date(x.to_string()),
        DeValue::Array(x) => Value::List(x.iter().map(|v| convert(v, locate)).collect()),
        DeValue::Table(x) => Value::Table(convert_table(x, locate)),
    };
    Node { value: found, place: locate(value.span()) }
}
