//! Settings by name, as they come from a scene file, the command line or Python.

use std::collections::BTreeMap;

/// One setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number; whole numbers too.
    Number(f64),
    /// Yes or no.
    Bool(bool),
    /// A word, such as the name of a variant.
    Text(String),
}

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Bool(_) => "true or false",
            Self::Text(_) => "a text",
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(x) => write!(f, "{x}"),
            Self::Bool(x) => write!(f, "{x}"),
            Self::Text(x) => write!(f, "\"{x}\""),
        }
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<usize> for Value {
    fn from(x: usize) -> Self {
        Self::Number(x as f64)
    }
}

impl From<bool> for Value {
    fn from(x: bool) -> Self {
        Self::Bool(x)
    }
}

impl From<&str> for Value {
    fn from(x: &str) -> Self {
        Self::Text(x.to_owned())
    }
}

impl From<String> for Value {
    fn from(x: String) -> Self {
        Self::Text(x)
    }
}

/// Settings, ordered by key. Each solver reads its own keys and refuses the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    map: BTreeMap<String, Value>,
}

/// A setting of the wrong type.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} = {value} is {found}, but it must be {expected}")]
pub struct TypeError {
    /// The key.
    pub key: String,
    /// What was given.
    pub value: String,
    /// Its type.
    pub found: &'static str,
    /// The type it must have.
    pub expected: &'static str,
}

/// The present name of a key that once had another one.
pub fn respelled(key: &str) -> Option<&'static str> {
    (key == "enough").then_some("acceptable_tolerance")
}

impl Options {
    /// No settings: every solver takes its defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same settings with one more.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.set(key, value);
        self
    }

    /// Sets a key, replacing what it had. An old spelling ([`respelled`]) sets the key of today.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.map.insert(respelled(key).unwrap_or(key).to_owned(), value.into());
    }

    /// The value of a key, if set.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key)
    }

    /// All settings, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.map.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// A number.
    pub fn number(&self, key: &str) -> Result<Option<f64>, TypeError> {
        match self.map.get(key) {
            None => Ok(None),
            Some(Value::Number(x)) => Ok(Some(*x)),
            Some(other) => Err(wrong(key, other, "a number")),
        }
    }

    /// A whole number that is not negative.
    pub fn count(&self, key: &str) -> Result<Option<usize>, TypeError> {
        match self.map.get(key) {
            None => Ok(None),
            Some(&Value::Number(x)) if x >= 0.0 && x.fract() == 0.0 && x < 1e15 => {
                Ok(Some(x as usize))
            }
            Some(other) => Err(wrong(key, other, "a whole number >= 0")),
        }
    }

    /// Yes or no.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, TypeError> {
        match self.map.get(key) {
            None => Ok(None),
            Some(Value::Bool(x)) => Ok(Some(*x)),
            Some(other) => Err(wrong(key, other, "true or false")),
        }
    }

    /// A word.
    pub fn text(&self, key: &str) -> Result<Option<&str>, TypeError> {
        match self.map.get(key) {
            None => Ok(None),
            Some(Value::Text(x)) => Ok(Some(x)),
            Some(other) => Err(wrong(key, other, "a text")),
        }
    }
}

fn wrong(key: &str, value: &Value, expected: &'static str) -> TypeError {
    TypeError { key: key.to_owned(), value: value.to_string(), found: value.kind(), expected }
}
