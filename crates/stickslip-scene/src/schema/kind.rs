//! What a value must be.

use super::World;
use crate::{
    node::{Node, Value},
    place::Place,
    suggest,
};

/// Where a number must lie; it must be finite but for a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// Anywhere.
    Any,
    /// Above zero.
    Positive,
    /// Above zero, or `inf`: no bound.
    Bound,
    /// Above zero, and such that volumes and inertias are within the range of numbers.
    Size,
    /// Zero or above.
    NotNegative,
    /// From zero to one.
    Unit,
}

impl Range {
    fn holds(self, x: f64) -> bool {
        (x.is_finite() || self == Self::Bound)
            && match self {
                Self::Any => true,
                Self::Positive | Self::Bound => x > 0.0,
                Self::Size => (1e-50..=1e50).contains(&x),
                Self::NotNegative => x >= 0.0,
                Self::Unit => (0.0..=1.0).contains(&x),
            }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Any => "a finite number",
            Self::Positive => "a number above 0",
            Self::Bound => "a number above 0, or inf",
            Self::Size => "a number above 0 (1e-50 to 1e50)",
            Self::NotNegative => "a number of 0 or more",
            Self::Unit => "a number from 0 to 1",
        }
    }
}

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A number.
    Number(Range),
    /// A whole number from the first to the second.
    Whole(i64, i64),
    /// `true` or `false`.
    Flag,
    /// Any text that is not empty.
    Text,
    /// One of these words.
    Choice(fn() -> Vec<&'static str>),
    /// A number or this word.
    NumberOr(Range, &'static str),
    /// 2 or 3 whole numbers, none else.
    Dimension,
    /// As many numbers as the world has dimensions, each within the range.
    Vector(Range),
    /// A vector that is not zero.
    Direction,
    /// About an axis: one number in 2D, three in 3D.
    Spin,
    /// One number in 2D; a table in 3D.
    Orientation,
    /// One number in 2D; three, or three rows of three, in 3D.
    Inertia,
    /// This many numbers, each within the range.
    Numbers(usize, Range),
    /// One number of zero or more, or one for each direction: six, or three in 2D.
    Gains,
    /// One number or three, above zero.
    Scale,
    /// At least this many points.
    Points(usize),
    /// At least two rows of equally many numbers, two or more.
    Grid,
    /// A list of texts.
    Names,
    /// Exactly two different texts.
    TwoNames,
    /// `#rgb` or `#rrggbb`.
    Color,
    /// `"free"`, `"locked"` or two limits.
    Freedom,
    /// A number, or points `[time, number]` at rising times.
    Aim,
    /// A table of numbers under any keys.
    NumberTable,
    /// A table of texts under any keys.
    TextTable,
    /// A table; its own section says what is in it.
    Table,
    /// A list of tables.
    Tables,
}

/// A value that is not what it must be: where, and what it is instead.
#[derive(Debug)]
pub(crate) struct Mismatch {
    pub place: Place,
    pub found: String,
    /// A word that is close to the one given.
    pub suggestion: Option<String>,
}

type Check = Result<(), Mismatch>;

impl Kind {
    /// For "must be ...".
    pub fn expected(self, world: World) -> String {
        let n = world.numbers();
        match self {
            Self::Number(range) => range.expected().into(),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Flag => "true or false".into(),
            Self::Text => "a text that is not empty".into(),
            Self::Choice(words) => one_of(&words()),
            Self::NumberOr(range, word) => format!("{:?} or {}", word, range.expected()),
            Self::Dimension => "2 or 3".into(),
            Self::Vector(Range::Any) => format!("{n} finite numbers in {}", world.name()),
            Self::Vector(range) => format!("{n} numbers, each {}", range.expected()),
            Self::Direction => format!("{n} finite numbers, not all zero"),
            Self::Spin => match world {
                World::Plane => "a finite number in 2D".into(),
                World::Space => "3 finite numbers in 3D".into(),
            },
            Self::Orientation => match world {
                World::Plane => "an angle, a finite number in 2D".into(),
                World::Space => "{ axis, angle }, { quaternion } or { euler }".into(),
            },
            Self::Inertia => match world {
                World::Plane => "a number above 0 in 2D".into(),
                World::Space => "3 numbers above 0, or 3 rows of 3 finite numbers".into(),
            },
            Self::Numbers(n, Range::Any) => format!("{n} finite numbers"),
            Self::Numbers(n, range) => format!("{n} numbers, each {}", range.expected()),
            Self::Gains => match world {
                World::Plane => "a number of 0 or more, or 3 of them in 2D".into(),
                World::Space => "a number of 0 or more, or 6 of them in 3D".into(),
            },
            Self::Scale => "a number above 0, or 3 of them".into(),
            Self::Points(least) => format!("a list of at least {least} points of {n} numbers"),
            Self::Grid => "at least 2 rows of equally many (2 or more) finite numbers".into(),
            Self::Names => "a list of names".into(),
            Self::TwoNames => "a list of two names".into(),
            Self::Color => "a color such as \"#4477aa\"".into(),
            Self::Freedom => "\"free\", \"locked\" or two limits such as [-1.0, 1.0]".into(),
            Self::Aim => "a finite number, or a list of [time, number] at rising times".into(),
            Self::NumberTable => "a table of finite numbers".into(),
            Self::TextTable => "a table of texts".into(),
            Self::Table => "a table".into(),
            Self::Tables => "a list of tables".into(),
        }
    }

    /// Whether the value is what it must be.
    pub fn check(self, node: &Node, world: World) -> Check {
        match self {
            Self::Number(range) => number(node, range),
            Self::Whole(least, most) => {
                ensure(node, matches!(node.value, Value::Whole(x) if x >= least && x <= most))
            }
            Self::Flag => ensure(node, matches!(node.value, Value::Flag(_))),
            Self::Text => ensure(node, node.text().is_some_and(|t| !t.trim().is_empty())),
            Self::Choice(words) => choice(node, &words()),
            Self::NumberOr(range, word) => match node.text() {
                Some(_) => choice(node, &[word]),
                None => number(node, range),
            },
            Self::Dimension => ensure(node, matches!(node.value, Value::Whole(2 | 3))),
            Self::Vector(range) => numbers(node, world.numbers(), range),
            Self::Direction => direction(node, world.numbers()),
            Self::Spin => match world {
                World::Plane => number(node, Range::Any),
                World::Space => numbers(node, 3, Range::Any),
            },
            Self::Orientation => match world {
                World::Plane => number(node, Range::Any),
                World::Space => ensure(node, node.table().is_some()),
            },
            Self::Inertia => match world {
                World::Plane => number(node, Range::Positive),
                World::Space => inertia(node),
            },
            Self::Numbers(n, range) => numbers(node, n, range),
            Self::Gains => match node.list() {
                Some(_) => numbers(node, 3 * (world.numbers() - 1), Range::NotNegative),
                None => number(node, Range::NotNegative),
            },
            Self::Scale => match node.list() {
                Some(_) => numbers(node, 3, Range::Size),
                None => number(node, Range::Size),
            },
            Self::Points(least) => points(node, least, world.numbers()),
            Self::Grid => grid(node),
            Self::Names => names(node),
            Self::TwoNames => {
                names(node)?;
                ensure(node, node.list().is_some_and(|l| l.len() == 2))
            }
            Self::Color => ensure(node, node.text().is_some_and(|t| color(t).is_some())),
            Self::Freedom => match node.text() {
                Some(_) => choice(node, &["free", "locked"]),
                None => numbers(node, 2, Range::Any),
            },
            Self::Aim => aim(node),
            Self::NumberTable => entries(node, |x| x.number().is_some_and(f64::is_finite)),
            Self::TextTable => entries(node, |x| x.text().is_some()),
            Self::Table => ensure(node, node.table().is_some()),
            Self::Tables => tables(node),
        }
    }
}

fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("{w:?}")).collect();
    match quoted.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

fn mismatch(node: &Node) -> Mismatch {
    Mismatch {
        place: node.place.clone(),
        found: format!("is {}", node.describe()),
        suggestion: None,
    }
}

fn ensure(node: &Node, holds: bool) -> Check {
    if holds { Ok(()) } else { Err(mismatch(node)) }
}

fn number(node: &Node, range: Range) -> Check {
    ensure(node, node.number().is_some_and(|x| range.holds(x)))
}

fn choice(node: &Node, words: &[&str]) -> Check {
    match node.text() {
        Some(word) if words.contains(&word) => Ok(()),
        Some(word) => {
            let suggestion = suggest::closest(word, words.iter().copied()).map(String::from);
            Err(Mismatch { suggestion, ..mismatch(node) })
        }
        None => Err(mismatch(node)),
    }
}

/// An item of a list that is wrong: the place is its own.
fn item(list: &[Node], holds: impl Fn(&Node) -> bool) -> Check {
    match list.iter().position(|x| !holds(x)) {
        None => Ok(()),
        Some(k) => {
            let found = format!("has {} as item {}", list[k].describe(), k + 1);
            Err(Mismatch { found, ..mismatch(&list[k]) })
        }
    }
}

fn numbers(node: &Node, n: usize, range: Range) -> Check {
    let list = node.list().filter(|l| l.len() == n).ok_or_else(|| mismatch(node))?;
    item(list, |x| x.number().is_some_and(|x| range.holds(x)))
}

fn direction(node: &Node, n: usize) -> Check {
    numbers(node, n, Range::Any)?;
    let zero = node.list().is_some_and(|l| l.iter().all(|x| x.number() == Some(0.0)));
    match zero {
        false => Ok(()),
        true => Err(Mismatch { found: "is zero".into(), ..mismatch(node) }),
    }
}

fn inertia(node: &Node) -> Check {
    let rows = node.list().filter(|l| l.len() == 3).ok_or_else(|| mismatch(node))?;
    if rows.iter().all(|r| r.list().is_some()) {
        return rows.iter().try_for_each(|r| numbers(r, 3, Range::Any));
    }
    numbers(node, 3, Range::Positive)
}

fn points(node: &Node, least: usize, n: usize) -> Check {
    let list = node.list().filter(|l| l.len() >= least).ok_or_else(|| mismatch(node))?;
    for (k, point) in list.iter().enumerate() {
        numbers(point, n, Range::Any).map_err(|wrong| {
            let found = format!("has a point {} that {}", k + 1, wrong.found);
            Mismatch { found, ..wrong }
        })?;
    }
    Ok(())
}

fn grid(node: &Node) -> Check {
    let rows = node.list().filter(|l| l.len() >= 2).ok_or_else(|| mismatch(node))?;
    let columns = rows[0].list().map_or(0, <[Node]>::len);
    ensure(node, columns >= 2)?;
    for (k, row) in rows.iter().enumerate() {
        numbers(row, columns, Range::Any).map_err(|wrong| {
            let found = format!("has a row {} that {}", k + 1, wrong.found);
            Mismatch { found, ..wrong }
        })?;
    }
    Ok(())
}

fn names(node: &Node) -> Check {
    let list = node.list().ok_or_else(|| mismatch(node))?;
    item(list, |x| x.text().is_some())
}

fn aim(node: &Node) -> Check {
    if node.number().is_some() {
        return number(node, Range::Any);
    }
    points(node, 1, 2)?;
    let list = node.list().unwrap_or_default();
    let time = |k: usize| list[k].list().and_then(|p| p[0].number()).unwrap_or(0.0);
    match (1..list.len()).find(|&k| time(k) <= time(k - 1)) {
        None => Ok(()),
        Some(k) => {
            let found =
                format!("has a point {} at {} after one at {}", k + 1, time(k), time(k - 1));
            Err(Mismatch { found, ..mismatch(&list[k]) })
        }
    }
}

fn entries(node: &Node, holds: impl Fn(&Node) -> bool) -> Check {
    let table = node.table().ok_or_else(|| mismatch(node))?;
    match table.entries.iter().find(|e| !holds(&e.node)) {
        None => Ok(()),
        Some(e) => {
            let found = format!("has {} for `{}`", e.node.describe(), e.key);
            Err(Mismatch { found, ..mismatch(&e.node) })
        }
    }
}

fn tables(node: &Node) -> Check {
    let list = node.list().ok_or_else(|| mismatch(node))?;
    item(list, |x| x.table().is_some())
}

/// Red, green and blue in 0..=1 of `#rgb` or `#rrggbb`.
pub(crate) fn color(text: &str) -> Option<[f32; 3]> {
    let digits: Option<Vec<u32>> =
        text.strip_prefix('#')?.chars().map(|c| c.to_digit(16)).collect();
    let level = |high: u32, low: u32| (16 * high + low) as f32 / 255.0;
    match *digits?.as_slice() {
        [r, g, b] => Some([level(r, r), level(g, g), level(b, b)]),
        [r, s, g, h, b, c] => Some([level(r, s), level(g, h), level(b, c)]),
        _ => None,
    }
}
