//! Default classes, and attributes looked up through them.

use std::collections::BTreeMap;

use crate::element::Element;

/// Tags of actuators, which share their defaults.
pub(crate) const ACTUATORS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "plugin",
];

type Attributes = BTreeMap<String, String>;

/// Attributes of each class by tag, those of outer classes included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defaults {
    classes: BTreeMap<String, BTreeMap<String, Attributes>>,
}

fn shared(tag: &str) -> &str {
    if ACTUATORS.contains(&tag) { "actuator" } else { tag }
}

impl Defaults {
    pub fn of(root: &Element) -> Self {
        let mut found = Self::default();
        found.classes.insert("main".into(), BTreeMap::new());
        for element in root.all("default") {
            let inherited = found.classes["main"].clone();
            found.read(element, "main", inherited);
        }
        found
    }

    fn read(&mut self, element: &Element, outer: &str, inherited: BTreeMap<String, Attributes>) {
        let name = element.get("class").unwrap_or(outer).to_owned();
        let mut own = inherited;
        for child in element.children.iter().filter(|c| c.tag != "default") {
            let attributes = own.entry(shared(&child.tag).to_owned()).or_default();
            attributes.extend(child.attributes.iter().cloned());
        }
        for child in element.all("default") {
            self.read(child, &name, own.clone());
        }
        self.classes.insert(name, own);
    }

    /// An attribute of an element: its own, or that of its class or of the class around it.
    pub fn get<'a>(&'a self, element: &'a Element, class: &str, name: &str) -> Option<&'a str> {
        if let Some(own) = element.get(name) {
            return Some(own);
        }
        let class = element.get("class").unwrap_or(class);
        let of = self.classes.get(class).or_else(|| self.classes.get("main"))?;
        of.get(shared(&element.tag))?.get(name).map(String::as_str)
    }
}
