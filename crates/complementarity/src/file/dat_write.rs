//! Writes Siconos' text files, with all digits.

use std::fmt::Write;

use super::Content;
use crate::problem::{Csc, Dense, Matrix, Mlcp, Problem};

/// The text of a problem; `None` for what the format cannot say: finite bounds other than zero,
/// rows outside contacts, contacts of different sizes or not one after another.
pub(crate) fn write(content: &Content) -> Option<String> {
    match content {
        Content::Problem(Problem::Lcp(p)) => {
            Some(format!("{}\n{}{}", p.b.len(), matrix(&p.matrix), line(&p.b)))
        }
        Content::Problem(Problem::Mlcp(p)) => mlcp(p),
        Content::Problem(Problem::Cone(p)) => {
            let d = super::uniform(&p.contacts, p.b.len())?;
            let head = format!("{d}\n{}\n", p.contacts.len());
            Some(head + &matrix(&p.matrix) + &line(&p.b) + &coefficients(content, d))
        }
        Content::Contacts(_) => None,
        Content::Global(g) => {
            let d = super::uniform(&g.contacts, g.w.len())?;
            let head = format!("{d}\n{}\n", g.contacts.len());
            let vectors = line(&g.f) + &line(&g.w);
            Some(head + &sparse(&g.mass) + &sparse(&g.h) + &vectors + &coefficients(content, d))
        }
    }
}

fn coefficients(content: &Content, d: usize) -> String {
    let contacts = content.cones();
    let mut out = line(&contacts.iter().map(|c| c.mu).collect::<Vec<_>>());
    if d == 5 {
        out += &line(&contacts.iter().map(|c| c.rolling).collect::<Vec<_>>());
    }
    out
}

/// Blocks of rows that are all equations or all complementarities, in the order of the problem.
fn mlcp(p: &Mlcp) -> Option<String> {
    let kind = |i: usize| match (p.lower[i], p.upper[i]) {
        (f64::NEG_INFINITY, f64::INFINITY) => Some(false),
        (0.0, f64::INFINITY) => Some(true),
        _ => None,
    };
    let kinds: Vec<bool> = (0..p.b.len()).map(kind).collect::<Option<_>>()?;
    let n = kinds.iter().filter(|k| !**k).count();
    let (mut ends, mut of_block) = (String::from("0"), String::new());
    for (i, k) in kinds.iter().enumerate() {
        if kinds.get(i + 1) != Some(k) {
            let _ = write!(ends, " {}", i + 1);
            let _ = write!(of_block, "{} ", u8::from(*k));
        }
    }
    let head = format!("1\n0\n{n}\n{}\n{ends}\n{}\n", kinds.len() - n, of_block.trim_end());
    Some(head + &matrix(&p.matrix) + &line(&p.b))
}

fn matrix(a: &Matrix) -> String {
    match a {
        Matrix::Dense(a) => dense(a),
        other => sparse(&other.to_sparse()),
    }
}

/// Storage 0, column by column.
fn dense(a: &Dense) -> String {
    let mut text = format!("0\n{}\n{}\n{} {}\n", a.rows, a.cols, a.rows, a.cols);
    a.values.chunks(a.rows.max(1)).for_each(|column| text += &line(column));
    text
}

/// Storage 2: compressed columns as CSparse prints them, but with all digits.
fn sparse(a: &Csc) -> String {
    let norm = (0..a.cols).map(|j| a.col(j).map(|e| e.1.abs()).sum::<f64>()).fold(0.0, f64::max);
    let nnz = a.index.len();
    let mut text = format!("2\n{}\n{}\n2\nCSparse, compressed columns\n", a.rows, a.cols);
    let _ = writeln!(text, "{}-by-{}, nzmax: {nnz} nnz: {nnz}, 1-norm: {norm:e}", a.rows, a.cols);
    for j in 0..a.cols {
        let (first, end) = (a.start[j] as i64, a.start[j + 1] as i64);
        let _ = writeln!(text, "    col {j} : locations {first} to {}", end - 1);
        a.col(j).for_each(|(i, x)| {
            let _ = writeln!(text, "      {i} : {x:.17e}");
        });
    }
    text
}

/// Numbers with all their digits.
fn line(x: &[f64]) -> String {
    x.iter().map(|x| format!("{x:.17e}")).collect::<Vec<_>>().join(" ") + "\n"
}
