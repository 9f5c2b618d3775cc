//! `.nl` files, text and binary (Gay, Writing .nl files, 2005).

mod binary;
mod expression;
mod lines;

use self::lines::Lines;
use crate::tape::Tape;

/// What a file says.
#[derive(Clone, Debug, Default)]
pub struct Nl {
    /// Options of the first line, which a `.sol` file repeats.
    pub options: Vec<i64>,
    /// All expressions.
    pub tape: Tape,
    /// Root of the nonlinear part of each constraint.
    pub roots: Vec<u32>,
    /// Linear part of each constraint: variable and coefficient.
    pub linear: Vec<Vec<(usize, f64)>>,
    /// What is asked of each constraint.
    pub constraints: Vec<Asked>,
    /// Lower bounds of the variables.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
    /// Where to start.
    pub start: Vec<f64>,
    /// Number of objectives.
    pub objectives: usize,
}

/// What is asked of a constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asked {
    /// `low <= body <= high`, at least one of them finite.
    Between(f64, f64),
    /// Nothing.
    Nothing,
    /// `body = value`.
    Equal(f64),
    /// Complementary to that variable.
    Complements(usize),
}

/// A file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {text}")]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub text: String,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Of text, counted from one.
    Line(usize),
    /// Of a binary file: what would be this line, counted from one, were it text.
    Record(usize),
    /// Of a binary file, counted from zero.
    Byte(usize),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(k) => write!(f, "line {k}"),
            Self::Record(k) => write!(f, "record {k}"),
            Self::Byte(k) => write!(f, "byte {k}"),
        }
    }
}

/// A problem larger than this is refused: its file would not fit the header.
const MOST: usize = 50_000_000;

impl Nl {
    /// Reads a file, text or binary.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        if bytes.first() == Some(&b'b') {
            return Self::read(&binary::text(bytes)?).map_err(|error| match error.place {
                Place::Line(k) => ReadError { place: Place::Record(k), ..error },
                _ => error,
            });
        }
        // comments may be in any encoding
        Self::read(&String::from_utf8_lossy(bytes))
    }

    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        let mut lines = Lines::new(text);
        let mut nl = Self::header(&mut lines)?;
        let n = nl.lower.len();
        // places of defined variables on the tape
        let mut defined: Vec<Option<u32>> = vec![];
        while let Some(line) = lines.next_line() {
            let Some(kind) = line.chars().next() else { continue };
            let rest = line.get(kind.len_utf8()..).unwrap_or("");
            match kind {
                'C' => {
                    let i = lines.index(rest, nl.roots.len(), "constraint")?;
                    nl.roots[i] = expression::read(&mut lines, &mut nl.tape, (n, &defined))?;
                }
                // objectives are read and left alone
                'O' => {
                    expression::read(&mut lines, &mut nl.tape, (n, &defined))?;
                }
                'V' => nl.define(&mut lines, rest, &mut defined)?,
                'J' => {
                    let row = lines.index(rest, nl.linear.len(), "constraint")?;
                    nl.linear[row] = lines.pairs(lines.count(rest, 1)?, n)?;
                }
                'G' => {
                    lines.pairs(lines.count(rest, 1)?, n)?;
                }
                'x' => {
                    for (i, x) in lines.pairs(lines.count(rest, 0)?, n)? {
                        nl.start[i] = x;
                    }
                }
                'd' => lines.skip(lines.count(rest, 0)?)?,
                'k' | 'K' => lines.skip(lines.count(rest, 0)?)?,
                'S' => lines.skip(lines.count(rest, 1)?)?,
                'r' => nl.ranges(&mut lines)?,
                'b' => nl.bounds(&mut lines)?,
                'F' => return Err(lines.wrong("functions of one's own (F) are not supported")),
                'L' => return Err(lines.wrong("logical constraints (L) are not supported")),
                _ => return Err(lines.wrong(&format!("no segment begins with {kind:?}"))),
            }
        }
        Ok(nl)
    }

    /// The first ten lines.
    fn header(lines: &mut Lines<'_>) -> Result<Self, ReadError> {
        let first = lines.needed("the header")?;
        let Some(rest) = first.strip_prefix('g') else {
            return Err(lines.wrong("an .nl file begins with g (text) or b (binary)"));
        };
        let mut words = rest.split_whitespace().map(|w| w.parse::<i64>().unwrap_or(0));
        let count = words.next().unwrap_or(0).clamp(0, 9) as usize;
        let options: Vec<i64> = words.take(count).collect();
        let second = lines.needed("the header")?;
        let (n, m, objectives) =
            (lines.count(second, 0)?, lines.count(second, 1)?, lines.count(second, 2)?);
        if n > MOST || m > MOST {
            return Err(lines.wrong("more variables or constraints than can be"));
        }
        if n > lines.len() || m > lines.len() {
            return Err(
                lines.wrong(&format!("{n} variables and {m} constraints in so short a file"))
            );
        }
        lines.skip(8)?;
        let mut tape = Tape::default();
        let zero = tape.push(crate::tape::Node::Number(0.0));
        Ok(Self {
            options,
            tape,
            roots: vec![zero; m],
            linear: vec![vec![]; m],
            constraints: vec![Asked::Nothing; m],
            lower: vec![f64::NEG_INFINITY; n],
            upper: vec![f64::INFINITY; n],
            start: vec![0.0; n],
            objectives,
        })
    }

    /// `V i j k`: j linear terms, then an expression.
    fn define(
        &mut self,
        lines: &mut Lines<'_>,
        rest: &str,
        defined: &mut Vec<Option<u32>>,
    ) -> Result<(), ReadError> {
        use crate::tape::{Binary, Node};
        let n = self.lower.len();
        let i = lines.count(rest, 0)?;
        let k = i.checked_sub(n).filter(|k| *k < lines.len());
        let Some(k) = k else {
            return Err(lines.wrong(&format!("defined variable {i}: the first is {n}")));
        };
        let terms = lines.terms(lines.count(rest, 1)?)?;
        let mut root = expression::read(lines, &mut self.tape, (n, defined))?;
        for (j, c) in terms {
            let x = expression::variable(lines, &mut self.tape, j, (n, defined))?;
            let factor = self.tape.push(Node::Number(c));
            let term = self.tape.push(Node::Binary(Binary::Multiply, x, factor));
            root = self.tape.push(Node::Binary(Binary::Add, root, term));
        }
        if defined.len() <= k {
            defined.resize(k + 1, None);
        }
        defined[k] = Some(root);
        Ok(())
    }

    /// Segment r.
    fn ranges(&mut self, lines: &mut Lines<'_>) -> Result<(), ReadError> {
        let n = self.lower.len();
        for i in 0..self.constraints.len() {
            let line = lines.needed("the bounds of a constraint (r)")?;
            let inf = f64::INFINITY;
            self.constraints[i] = match lines.count(line, 0)? {
                0 => Asked::Between(lines.number(line, 1)?, lines.number(line, 2)?),
                1 => Asked::Between(-inf, lines.number(line, 1)?),
                2 => Asked::Between(lines.number(line, 1)?, inf),
                3 => Asked::Nothing,
                4 => Asked::Equal(lines.finite(line, 1)?),
                5 => {
                    let k = lines.count(line, 2)?;
                    if k == 0 || k > n {
                        return Err(lines.wrong(&format!("complements variable {k} of {n}")));
                    }
                    Asked::Complements(k - 1)
                }
                code => {
                    return Err(lines.wrong(&format!("{code} is no code of segment r (0 to 5)")));
                }
            };
        }
        Ok(())
    }

    /// Segment b.
    fn bounds(&mut self, lines: &mut Lines<'_>) -> Result<(), ReadError> {
        for i in 0..self.lower.len() {
            let line = lines.needed("the bounds of a variable (b)")?;
            let inf = f64::INFINITY;
            let (l, u) = match lines.count(line, 0)? {
                0 => (lines.number(line, 1)?, lines.number(line, 2)?),
                1 => (-inf, lines.number(line, 1)?),
                2 => (lines.number(line, 1)?, inf),
                3 => (-inf, inf),
                4 => (lines.finite(line, 1)?, lines.finite(line, 1)?),
                code => {
                    return Err(lines.wrong(&format!("{code} is no code of segment b (0 to 4)")));
                }
            };
            if l > u {
                return Err(lines.wrong(&format!("variable {i} has bounds {l} > {u}")));
            }
            (self.lower[i], self.upper[i]) = (l, u);
        }
        Ok(())
    }
}
