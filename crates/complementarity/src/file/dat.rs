//! Siconos' text files: LCP, MLCP and frictional contact, local and global.

use super::text::Tokens;
use super::{Content, Trouble, format};
use crate::problem::{Cone, ConeRows, Dense, Global, Lcp, Matrix, Mlcp, Problem};

/// Which family a .dat file belongs to; the files themselves do not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `n, M, q`.
    Lcp,
    /// `n` equalities and `m` complementarities.
    Mlcp,
    /// `d, nc, W, q, mu`.
    Contact,
    /// `d, nc, M, H, q, b, mu`.
    GlobalContact,
}

impl Family {
    /// From the usual names: `*lcp*`, `*mlcp*`, `GFC3D*`, `gfc2d*`, `GRFC3D*`, anything else is a
    /// local contact problem.
    pub fn from_name(name: &str) -> Self {
        let name = name.to_lowercase();
        if name.contains("mlcp") {
            Self::Mlcp
        } else if name.contains("lcp") {
            Self::Lcp
        } else if (name.starts_with("gfc") || name.starts_with("grfc"))
            && !name.contains("condensed")
        {
            Self::GlobalContact
        } else {
            Self::Contact
        }
    }
}

/// Reads the text of a file of that family.
pub(crate) fn read(text: &str, family: Family) -> Result<Content, Trouble> {
    let mut tokens = Tokens::new(text);
    match family {
        Family::Lcp => {
            let n = tokens.count()?;
            let matrix = tokens.matrix()?;
            Ok(Problem::Lcp(Lcp::new(matrix, tokens.numbers(n)?)?).into())
        }
        Family::Mlcp => mlcp(&mut tokens).map(Content::Problem),
        Family::Contact => {
            let (d, nc) = (tokens.count()?, tokens.count()?);
            let matrix = tokens.matrix()?;
            let q = tokens.numbers(d * nc)?;
            let contacts = coefficients(&mut tokens, d, nc)?;
            Ok(Problem::Cone(Cone::new(matrix, q, contacts)?).into())
        }
        Family::GlobalContact => {
            let (d, nc) = (tokens.count()?, tokens.count()?);
            let (mass, h) = (tokens.matrix()?, tokens.matrix()?);
            let (f, w) = (tokens.numbers(mass.rows())?, tokens.numbers(d * nc)?);
            let contacts = coefficients(&mut tokens, d, nc)?;
            let (mass, h) = (mass.to_sparse(), h.to_sparse());
            Ok(Content::Global(Global::new(mass, h, f, w, contacts)?))
        }
    }
}

fn coefficients(tokens: &mut Tokens<'_>, d: usize, nc: usize) -> Result<Vec<ConeRows>, Trouble> {
    if !matches!(d, 2 | 3 | 5) {
        return Err(format(format!("{d} rows per contact; only 2, 3 and 5 have a meaning")));
    }
    let mu = tokens.numbers(nc)?;
    let rolling = if d == 5 { tokens.numbers(nc)? } else { vec![0.0; nc] };
    Ok(contact_rows(d, &mu, &rolling))
}

/// `nc` contacts of `d` rows each, one after another.
pub(crate) fn contact_rows(d: usize, mu: &[f64], rolling: &[f64]) -> Vec<ConeRows> {
    let one = |k: usize| ConeRows { rows: k * d..(k + 1) * d, mu: mu[k], rolling: rolling[k] };
    (0..mu.len()).map(one).collect()
}

fn mlcp(tokens: &mut Tokens<'_>) -> Result<Problem, Trouble> {
    let (blocks, parts) = (tokens.count()? != 0, tokens.count()? != 0);
    let (n, m) = (tokens.count()?, tokens.count()?);
    let size = n + m;
    let mut lower = vec![0.0; size];
    lower[..n].fill(f64::NEG_INFINITY);
    let upper = vec![f64::INFINITY; size];
    if blocks {
        let mut ends = vec![tokens.count()?];
        while ends.last().is_some_and(|e| *e < size) {
            ends.push(tokens.count()?);
        }
        let kinds = tokens.counts(ends.len() - 1)?;
        for (range, kind) in ends.windows(2).zip(kinds) {
            let rows = lower.get_mut(range[0]..range[1]);
            let rows = rows.ok_or_else(|| format("the blocks of rows do not grow up to n + m"))?;
            rows.fill(if kind == 0 { f64::NEG_INFINITY } else { 0.0 });
        }
        let matrix = tokens.matrix()?;
        let q = tokens.numbers(matrix.cols())?;
        return Ok(Problem::Mlcp(Mlcp::new(matrix, q, lower, upper)?));
    }
    if !parts {
        return Err(format("neither of the two storages is present"));
    }
    let mut dense = Dense::zeros(size, size);
    // A, B, C, D row by row, at their places in [A C; D B]
    for (rows, cols, top, left) in [(n, n, 0, 0), (m, m, n, n), (n, m, 0, n), (m, n, n, 0)] {
        for i in 0..rows {
            for j in 0..cols {
                dense.values[(left + j) * size + top + i] = tokens.number()?;
            }
        }
    }
    let q = tokens.numbers(size)?;
    Ok(Problem::Mlcp(Mlcp::new(Matrix::Dense(dense), q, lower, upper)?))
}
