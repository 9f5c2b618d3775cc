//! MatrixMarket: the matrix in `NAME.mtx`, the constant in `NAME_b.mtx`, bounds of a mixed problem
//! in `NAME_lower.mtx` and `NAME_upper.mtx`.

use super::{Trouble, format};
use crate::problem::{Csc, Dense, Matrix};

/// Rows or columns that a short file may claim.
const SPARSE: usize = 1_000_000;

/// Reads `coordinate` or `array` storage, real or integer, general, symmetric or skew-symmetric.
pub(crate) fn read(text: &str) -> Result<Matrix, Trouble> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default().to_lowercase();
    let words: Vec<&str> = header.split_whitespace().collect();
    let &["%%matrixmarket", "matrix", storage, field, symmetry] = words.as_slice() else {
        return Err(format("line 1 is not a MatrixMarket header"));
    };
    let mirror = match symmetry {
        "general" => None,
        "symmetric" => Some(1.0),
        "skew-symmetric" => Some(-1.0),
        other => return Err(format(format!("symmetry {other:?} is not supported"))),
    };
    if !matches!(field, "real" | "integer" | "double" | "pattern") {
        return Err(format(format!("entries of type {field:?} are not supported")));
    }
    let body = lines.filter(|l| !l.trim_start().starts_with('%'));
    let mut tokens = body.flat_map(str::split_whitespace);
    let mut number = || -> Result<f64, Trouble> {
        let token = tokens.next().ok_or_else(|| format("the file ends too early"))?;
        token.parse().map_err(|_| format(format!("{token:?} is no number")))
    };
    let size = |x: f64| ((0.0..1e8).contains(&x) && x.fract() == 0.0).then_some(x as usize);
    let bad = || format("the sizes make no sense");
    let rows = size(number()?).ok_or_else(bad)?;
    let cols = size(number()?).ok_or_else(bad)?;
    // A number takes two bytes at least; columns may be empty, but not that many.
    let most = text.len() / 2 + 1;
    let claims =
        || format(format!("it claims a matrix of {rows} by {cols}, for which it is too short"));
    if storage == "array" {
        let listed = if mirror.is_some() { cols.saturating_sub(1) } else { cols };
        if rows.saturating_mul(listed) / 2 > most {
            return Err(claims());
        }
        return array((rows, cols), mirror, number);
    }
    if rows.max(cols) > most + SPARSE {
        return Err(claims());
    }
    let count = size(number()?).ok_or_else(bad)?;
    let mut entries = vec![];
    for _ in 0..count {
        let (i, j) = (number()?, number()?);
        let x = if field == "pattern" { 1.0 } else { number()? };
        let inside = |x: f64, n: usize| size(x).filter(|k| (1..=n).contains(k)).map(|k| k - 1);
        let (Some(i), Some(j)) = (inside(i, rows), inside(j, cols)) else {
            return Err(format(format!("entry ({i}, {j}) lies outside the matrix")));
        };
        entries.push((i, j, x));
        if let (Some(sign), true) = (mirror, i != j) {
            entries.push((j, i, sign * x));
        }
    }
    Ok(Matrix::Sparse(Csc::from_triplets(rows, cols, &entries)))
}

/// All entries, column by column; of a symmetric matrix those on and below the diagonal.
fn array(
    (rows, cols): (usize, usize),
    mirror: Option<f64>,
    mut number: impl FnMut() -> Result<f64, Trouble>,
) -> Result<Matrix, Trouble> {
    let mut dense = Dense::zeros(rows, cols);
    for j in 0..cols {
        for i in if mirror.is_some() { j..rows } else { 0..rows } {
            let x = number()?;
            dense.values[j * rows + i] = x;
            if let (Some(sign), true) = (mirror, i != j && i < cols) {
                dense.values[i * rows + j] = sign * x;
            }
        }
    }
    Ok(Matrix::Dense(dense))
}

/// A vector is a matrix of one column.
pub(crate) fn read_vector(text: &str) -> Result<Vec<f64>, Trouble> {
    let a = read(text)?;
    if a.cols() != 1 {
        return Err(format(format!("a vector must have one column, not {}", a.cols())));
    }
    Ok(a.to_dense().values)
}

/// Coordinate storage.
pub(crate) fn write(a: &Csc) -> String {
    let mut out = String::from("%%MatrixMarket matrix coordinate real general\n");
    out += &format!("{} {} {}\n", a.rows, a.cols, a.index.len());
    for (i, j, x) in a.to_triplets() {
        out += &format!("{} {} {x:.17e}\n", i + 1, j + 1);
    }
    out
}

/// Array storage.
pub(crate) fn write_vector(x: &[f64]) -> String {
    let mut out = format!("%%MatrixMarket matrix array real general\n{} 1\n", x.len());
    x.iter().for_each(|x| out += &format!("{x:.17e}\n"));
    out
}
