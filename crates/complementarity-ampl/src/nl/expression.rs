//! Expressions: operators before their operands, one to a line.

use super::ReadError;
use super::lines::Lines;
use crate::tape::{Binary, Node, Tape, Unary};

/// Number of variables, and the places of defined ones.
type Known<'a> = (usize, &'a [Option<u32>]);

/// An operator that waits for its operands.
struct Waiting {
    operator: Operator,
    needs: usize,
    has: Vec<u32>,
}

#[derive(Clone, Copy)]
enum Operator {
    Unary(Unary),
    Binary(Binary),
    /// Any number of operands.
    Fold(Binary),
    If,
}

/// Reads one expression; its place on the tape. Without recursion: a file may nest as deep as it
/// likes.
pub(super) fn read(
    lines: &mut Lines<'_>,
    tape: &mut Tape,
    known: Known<'_>,
) -> Result<u32, ReadError> {
    let mut stack: Vec<Waiting> = vec![];
    loop {
        let line = lines.needed("the end of an expression")?;
        let rest = line.get(1..).unwrap_or("");
        let mut ready = match line.as_bytes().first() {
            Some(b'n' | b's' | b'l') => {
                let x = lines.finite(rest, 0)?;
                tape.push(Node::Number(x))
            }
            Some(b'v') => variable(lines, tape, lines.count(rest, 0)?, known)?,
            Some(b'o') => {
                let (operator, needs) = operator(lines, lines.count(rest, 0)?)?;
                let needs = if needs == 0 { operands(lines)? } else { needs };
                stack.push(Waiting { operator, needs, has: vec![] });
                continue;
            }
            Some(b'f') => return Err(lines.wrong("functions of one's own (f) are not supported")),
            _ => return Err(lines.wrong(&format!("{line:?} is no part of an expression"))),
        };
        loop {
            let Some(last) = stack.last_mut() else { return Ok(ready) };
            last.has.push(ready);
            if last.has.len() < last.needs {
                break;
            }
            let Some(full) = stack.pop() else { return Ok(ready) };
            ready = finish(tape, &full);
        }
    }
}

/// A variable, or the place of a defined one.
pub(super) fn variable(
    lines: &Lines<'_>,
    tape: &mut Tape,
    i: usize,
    (n, defined): Known<'_>,
) -> Result<u32, ReadError> {
    if i < n {
        return Ok(tape.push(Node::Variable(i)));
    }
    let place = defined.get(i - n).copied().flatten();
    place.ok_or_else(|| lines.wrong(&format!("variable {i} is used before it is defined")))
}

/// How many operands a sum or a minimum has: the line after it.
fn operands(lines: &mut Lines<'_>) -> Result<usize, ReadError> {
    let line = lines.needed("the number of operands")?;
    let count = lines.count(line, 0)?;
    if count == 0 { Err(lines.wrong("an operator without operands")) } else { Ok(count) }
}

fn finish(tape: &mut Tape, full: &Waiting) -> u32 {
    match (full.operator, full.has.as_slice()) {
        (Operator::Unary(op), [a, ..]) => tape.push(Node::Unary(op, *a)),
        (Operator::Binary(op), [a, b, ..]) => tape.push(Node::Binary(op, *a, *b)),
        (Operator::If, [c, a, b, ..]) => tape.push(Node::If(*c, *a, *b)),
        (Operator::Fold(op), [first, rest @ ..]) => {
            rest.iter().fold(*first, |sum, x| tape.push(Node::Binary(op, sum, *x)))
        }
        // cannot be: operators are finished when they have all their operands
        _ => tape.push(Node::Number(f64::NAN)),
    }
}

/// The operator of a code, and how many operands it needs; 0 for a list.
fn operator(lines: &Lines<'_>, code: usize) -> Result<(Operator, usize), ReadError> {
    let unary = |op| Ok((Operator::Unary(op), 1));
    let binary = |op| Ok((Operator::Binary(op), 2));
    let fold = |op| Ok((Operator::Fold(op), 0));
    match code {
        0 => binary(Binary::Add),
        1 => binary(Binary::Subtract),
        2 => binary(Binary::Multiply),
        3 => binary(Binary::Divide),
        4 => binary(Binary::Remainder),
        5 => binary(Binary::Power),
        6 => binary(Binary::Less),
        11 => fold(Binary::Min),
        12 => fold(Binary::Max),
        13 => unary(Unary::Floor),
        14 => unary(Unary::Ceil),
        15 => unary(Unary::Abs),
        16 => unary(Unary::Minus),
        20 => binary(Binary::Or),
        21 => binary(Binary::And),
        22 => binary(Binary::Below),
        23 => binary(Binary::AtMost),
        24 => binary(Binary::Equal),
        28 => binary(Binary::AtLeast),
        29 => binary(Binary::Above),
        30 => binary(Binary::Unequal),
        34 => unary(Unary::Not),
        35 => Ok((Operator::If, 3)),
        37 => unary(Unary::Tanh),
        38 => unary(Unary::Tan),
        39 => unary(Unary::Sqrt),
        40 => unary(Unary::Sinh),
        41 => unary(Unary::Sin),
        42 => unary(Unary::Log10),
        43 => unary(Unary::Log),
        44 => unary(Unary::Exp),
        45 => unary(Unary::Cosh),
        46 => unary(Unary::Cos),
        47 => unary(Unary::Atanh),
        48 => binary(Binary::Atan2),
        49 => unary(Unary::Atan),
        50 => unary(Unary::Asinh),
        51 => unary(Unary::Asin),
        52 => unary(Unary::Acosh),
        53 => unary(Unary::Acos),
        54 => fold(Binary::Add),
        _ => Err(lines.wrong(&format!("operator o{code} is not supported"))),
    }
}
