//! What an experiment found.

use stickslip_record::plot::{Curve, PlotOptions};

/// Whether a claim holds in our run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Our numbers agree.
    Reproduced,
    /// They do not.
    Differs,
}

impl Verdict {
    /// From the comparison of numbers.
    pub fn of(holds: bool) -> Self {
        if holds { Self::Reproduced } else { Self::Differs }
    }

    /// The word on the page.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Differs => "differs",
        }
    }
}

/// A claim of the paper beside our figure.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What the paper says.
    pub paper: String,
    /// What we measured.
    pub ours: String,
    /// How the two compare.
    pub verdict: Verdict,
}

/// A table, also written as CSV.
#[derive(Clone, Debug)]
pub struct Table {
    /// File name without ending.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// Column heads, with units.
    pub head: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

/// A plot, also written as CSV.
#[derive(Clone, Debug)]
pub struct Figure {
    /// File name without ending.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The lines.
    pub curves: Vec<Curve>,
    /// Axes.
    pub options: PlotOptions,
}

/// A drawing of a scene, SVG.
#[derive(Clone, Debug)]
pub struct Picture {
    /// File name without ending.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The SVG text.
    pub svg: String,
}

/// Everything on the page of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Name on the command line.
    pub name: String,
    /// Heading.
    pub title: String,
    /// Paper and section.
    pub source: String,
    /// What was done, in a few sentences.
    pub about: String,
    /// Parameters: as printed, or our choice where the paper leaves them open.
    pub setup: Vec<String>,
    /// Seeds of random numbers, if any.
    pub seeds: Vec<u64>,
    /// Claims.
    pub claims: Vec<Claim>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Plots.
    pub figures: Vec<Figure>,
    /// Drawings.
    pub pictures: Vec<Picture>,
    /// Whether it is a quick run.
    pub quick: bool,
    /// Time of all its runs, one after the other \[s\].
    pub seconds: f64,
}

impl Report {
    /// A report that says what it is about.
    pub fn about(text: &str) -> Self {
        Self { about: text.into(), ..Self::default() }
    }

    /// Adds a parameter.
    pub fn set(&mut self, text: impl Into<String>) {
        self.setup.push(text.into());
    }

    /// Adds a claim and whether it holds.
    pub fn claim(&mut self, paper: &str, ours: String, holds: bool) {
        self.claims.push(Claim { paper: paper.into(), ours, verdict: Verdict::of(holds) });
    }

    /// Adds a table.
    pub fn table(&mut self, name: &str, caption: &str, head: &[&str], rows: Vec<Vec<String>>) {
        let head = head.iter().map(|h| (*h).to_owned()).collect();
        self.tables.push(Table { name: name.into(), caption: caption.into(), head, rows });
    }

    /// Adds a plot; its title carries the seeds.
    pub fn figure(&mut self, name: &str, caption: &str, curves: Vec<Curve>, options: PlotOptions) {
        self.figures.push(Figure { name: name.into(), caption: caption.into(), curves, options });
    }

    /// Adds a drawing.
    pub fn picture(&mut self, name: &str, caption: String, svg: String) {
        self.pictures.push(Picture { name: name.into(), caption, svg });
    }

    /// Claims that hold and all of them.
    pub fn score(&self) -> (usize, usize) {
        let held = self.claims.iter().filter(|c| c.verdict == Verdict::Reproduced).count();
        (held, self.claims.len())
    }
}

/// A number for a table, four digits: plain where that is short, else with a power of ten.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".into()
    } else if !x.is_finite() {
        "-".into()
    } else if (1e-3..1e6).contains(&size) {
        let decimals = (3.0 - size.log10().floor()).max(0.0) as usize;
        let text = format!("{x:.decimals$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    } else {
        format!("{x:.2e}")
    }
}

/// A curve over time or anything else.
pub fn curve(label: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Curve {
    Curve { label: label.into(), time: x, value: y }
}

/// Axes of a plot over time.
pub fn over_time(title: &str, label: &str, log: bool) -> PlotOptions {
    PlotOptions { title: title.into(), label: label.into(), log, ..PlotOptions::default() }
}

/// Axes of a plot over something else, values marked by dots.
pub fn over(title: &str, x: &str, label: &str, (log_x, log): (bool, bool)) -> PlotOptions {
    let x_label = x.into();
    PlotOptions { x_label, log_x, dots: true, ..over_time(title, label, log) }
}

#[cfg(test)]
mod tests {
    use super::number;

    /// Four digits, no trailing zeros, powers of ten where plain numbers would be long.
    #[test]
    fn numbers_are_short() {
        for (x, text) in [
            (0.0, "0"),
            (0.01, "0.01"),
            (13.27932, "13.28"),
            (8648.518, "8649"),
            (-0.0014567, "-0.001457"),
            (1.0, "1"),
            (100.0, "100"),
            (6.83e-16, "6.83e-16"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(number(x), text);
        }
    }
}
