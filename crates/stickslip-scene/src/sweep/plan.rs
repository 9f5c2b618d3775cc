//! What a sweep file asks for: a scene, a grid of settings, seeds.

use std::path::Path;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::SweepError;
use crate::{NoValue, Override};

/// The runs of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Scene file or built-in scene; relative to the sweep file.
    pub scene: String,
    /// Keys and the values each takes, as TOML.
    pub grid: Vec<(String, Vec<String>)>,
    /// Seeds; each shifts the moving bodies by other random amounts.
    pub seeds: Vec<u64>,
    /// Largest shift along each axis \[m\].
    pub jitter: f64,
}

/// One run: a value for every key, and a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Key and value, as TOML.
    pub values: Vec<(String, String)>,
    /// The seed.
    pub seed: u64,
}

impl Point {
    /// A text that names it, the same for the same run.
    pub fn label(&self) -> String {
        let values: Vec<String> = self.values.iter().map(|(k, v)| format!("{k}={v}")).collect();
        format!("{} seed={}", values.join(" "), self.seed).trim().to_owned()
    }

    /// The changes to the scene.
    pub fn overrides(&self) -> Result<Vec<Override>, NoValue> {
        let set = |(k, v): &(String, String)| Override::parse(&format!("{k}={v}"));
        self.values.iter().map(set).collect()
    }

    /// What the table of results shows for each key.
    pub fn shown(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(key, value)| (key.as_str(), value.trim_matches('"')))
    }
}

impl Plan {
    /// Reads a sweep file.
    pub fn read(path: &Path) -> Result<Self, SweepError> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|e| SweepError::Plan(format!("{name}: cannot be read: {e}")))?;
        let mut plan = Self::parse(&text).map_err(|e| SweepError::Plan(format!("{name}: {e}")))?;
        // A scene beside the sweep file.
        if let Some(beside) = path.parent().map(|folder| folder.join(&plan.scene))
            && beside.is_file()
        {
            plan.scene = beside.display().to_string();
        }
        Ok(plan)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let table = DeTable::parse(text).map_err(|e| e.to_string())?;
        let mut plan =
            Self { scene: String::new(), grid: Vec::new(), seeds: vec![0], jitter: 1e-6 };
        for (key, value) in entries(table.get_ref()) {
            let shown = || &text[value.span()];
            match (key.as_str(), value.get_ref()) {
                ("scene", DeValue::String(name)) => plan.scene = name.to_string(),
                ("jitter", _) => {
                    plan.jitter = shown()
                        .parse()
                        .ok()
                        .filter(|x: &f64| *x >= 0.0 && x.is_finite())
                        .ok_or_else(|| format!("jitter is {}, but must be 0 or more", shown()))?;
                }
                ("seeds", DeValue::Array(items)) => {
                    let seed = |v: &Spanned<DeValue>| text[v.span()].parse::<u64>().ok();
                    plan.seeds =
                        items.iter().map(seed).collect::<Option<_>>().ok_or_else(|| {
                            format!("seeds is {}, but must be a list of whole numbers", shown())
                        })?;
                }
                ("grid", DeValue::Table(grid)) => flatten("", grid, text, &mut plan.grid)?,
                (key, _) => {
                    return Err(format!(
                        "{key} = {}: there are: scene (a text), grid (a table of lists), seeds (a list), jitter (a number)",
                        shown()
                    ));
                }
            }
        }
        if plan.scene.is_empty() {
            return Err("scene is missing: a scene file or the name of a built-in scene".into());
        }
        if plan.seeds.is_empty() {
            return Err("seeds is empty".into());
        }
        Ok(plan)
    }

    /// Every combination, the last key changing fastest, the seed faster still.
    pub fn points(&self) -> Vec<Point> {
        let mut all = vec![Vec::new()];
        for (key, values) in &self.grid {
            all = all
                .into_iter()
                .flat_map(|point: Vec<(String, String)>| {
                    values.iter().map(move |v| {
                        let mut next = point.clone();
                        next.push((key.clone(), v.clone()));
                        next
                    })
                })
                .collect();
        }
        let seeds = &self.seeds;
        all.into_iter()
            .flat_map(|values| {
                seeds.iter().map(move |&seed| Point { values: values.clone(), seed })
            })
            .collect()
    }
}

/// Keys and values in the order of the text.
fn entries<'a, 'b>(table: &'a DeTable<'b>) -> Vec<(String, &'a Spanned<DeValue<'b>>)> {
    let mut found: Vec<_> =
        table.iter().map(|(k, v)| (k.span().start, k.get_ref().to_string(), v)).collect();
    found.sort_by_key(|f| f.0);
    found.into_iter().map(|(_, k, v)| (k, v)).collect()
}

/// Lists of a table and of the tables in it, by dotted key.
fn flatten(
    path: &str,
    table: &DeTable,
    text: &str,
    out: &mut Vec<(String, Vec<String>)>,
) -> Result<(), String> {
    for (key, value) in entries(table) {
        let full = if path.is_empty() { key } else { format!("{path}.{key}") };
        match value.get_ref() {
            DeValue::Array(items) if !items.is_empty() => {
                let values = items.iter().map(|v| text[v.span()].to_owned()).collect();
                out.push((full, values));
            }
            DeValue::Table(inner) => flatten(&full, inner, text, out)?,
            _ => {
                let shown = &text[value.span()];
                return Err(format!("grid.{full} is {shown}, but must be a list of values"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys in the order of the file, every combination once, seeds fastest.
    #[test]
    fn grid_is_the_product_of_its_lists() {
        let text = "scene = \"peg-in-hole\"\nseeds = [1, 2]\n[grid]\nstep = [0.01, 0.005]\n\
                    body.peg.friction = [0.1, 0.2, 0.3]\nformulation = [\"peg\"]\n";
        let plan = Plan::parse(text).unwrap();
        let points = plan.points();
        assert_eq!(points.len(), 12);
        assert_eq!(points[0].label(), "step=0.01 body.peg.friction=0.1 formulation=\"peg\" seed=1");
        assert_eq!(points[1].seed, 2);
        assert_eq!(points[11].values[1].1, "0.3");
    }

    /// Mistakes are named.
    #[test]
    fn mistakes_are_named() {
        for (text, word) in [
            ("seeds = [1]", "scene is missing"),
            ("scene = \"x\"\n[grid]\nstep = 0.01", "grid.step"),
            ("scene = \"x\"\nseeds = [-1]", "seeds"),
            ("scene = \"x\"\njitter = \"a\"", "jitter"),
            ("scene = \"x\"\ncolor = 1", "color"),
        ] {
            let error = Plan::parse(text).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
