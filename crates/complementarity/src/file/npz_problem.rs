//! LCPs in .npz archives.
//!
//! Ours is that of [`super::layout`]. Others, of LCPs: CSC (`M_x`, `M_i`, `M_p`, `q`), dense (`A`,
//! `b`), triplets (`Ai`, `Aj`, `Av`, `b`, `n`). A right-hand side `b_ok` (with its solution `x_ok`) goes before `b`. Where `nc`,
//! `nd` and `mu` say that the rows are `[p_n; p_f; s]` of contacts, the structure is kept.

use super::layout::{self, indices, need, sorted};
use super::npz::Npz;
use super::{Content, Trouble, format};
use crate::problem::{ContactRows, Csc, Factored, Lcp, Matrix};

/// The problem of an archive.
pub(crate) fn read(npz: &Npz) -> Result<Content, Trouble> {
    if let Some(content) = layout::read(npz)? {
        return Ok(content);
    }
    let b = npz.get("q").or_else(|| npz.get("b_ok")).or_else(|| npz.get("b"));
    let b = b.ok_or_else(|| format("no array b"))?.to_vec();
    let n = b.len();
    let matrix = match layout::matrix(npz, n)? {
        Some(Matrix::Sparse(a)) => {
            let contacts = contacts(npz, &a);
            let factors = factors(npz, &a).map(|f| Matrix::Factored(Box::new(f)));
            let lcp = Lcp::new(factors.unwrap_or(Matrix::Sparse(a)), b)?;
            return layout::mixed(npz, lcp.with_contacts(contacts)).map(Content::Problem);
        }
        Some(other) => other,
        None => triplets(npz, n)?,
    };
    let lcp = Lcp::new(matrix, b)?;
    let contacts = contacts_by_pattern(&lcp.matrix.to_sparse());
    layout::mixed(npz, lcp.with_contacts(contacts)).map(Content::Problem)
}

/// The base of the indices (0 or 1) is whichever fits n.
fn triplets(npz: &Npz, n: usize) -> Result<Matrix, Trouble> {
    let (rows, columns) = (indices(npz, "Ai")?, indices(npz, "Aj")?);
    let values = need(npz, "Av")?;
    if rows.len() != values.len() || columns.len() != values.len() {
        return Err(format("Ai, Aj and Av differ in length"));
    }
    let all = || rows.iter().chain(&columns).copied();
    let base = usize::from(all().min().unwrap_or(0) >= 1 && all().max().unwrap_or(0) == n);
    if all().any(|i| i - base >= n) {
        return Err(format(format!("an index of A lies outside 0..{n}")));
    }
    let entries: Vec<_> =
        (0..values.len()).map(|k| (rows[k] - base, columns[k] - base, values[k])).collect();
    Ok(Matrix::Sparse(Csc::from_triplets(n, n, &entries)))
}

/// `[p_n; p_f; s]`, believed only where the slip rows really read `mu p_n - sum p_f`.
fn contacts(npz: &Npz, a: &Csc) -> Vec<ContactRows> {
    let single = |name: &str| npz.get(name).and_then(|v| v.first().copied());
    let (Some(nc), Some(nd)) = (single("nc"), single("nd")) else { return vec![] };
    let (nc, nd) = (nc as usize, nd as usize);
    let frictionless = a.cols == nc;
    if !frictionless && a.cols != nc * (nd + 2) {
        return vec![];
    }
    let mu = npz.get("mu").unwrap_or(&[]);
    let rows = a.transpose();
    let mut out = vec![];
    for c in 0..nc {
        if frictionless {
            out.push(ContactRows { normal: c, friction: 0..0, slip: None, mu: 0.0 });
            continue;
        }
        let (friction, slip) = (nc + c * nd..nc + (c + 1) * nd, nc + nc * nd + c);
        let mu = mu.get(c).or_else(|| mu.first()).copied().unwrap_or(0.0);
        let row: Vec<(usize, f64)> = rows.col(slip).collect();
        let mut expected = vec![(c, mu)];
        expected.extend(friction.clone().map(|f| (f, -1.0)));
        expected.retain(|e| e.1 != 0.0);
        if row != expected {
            return vec![];
        }
        out.push(ContactRows { normal: c, friction, slip: Some(slip), mu });
    }
    out
}

/// Contacts recognised by their slip rows: zero diagonal, one positive entry (mu, at the normal
/// row) and -1 at neighbouring friction rows. All rows with a zero diagonal must be such rows.
fn contacts_by_pattern(a: &Csc) -> Vec<ContactRows> {
    let rows = a.transpose();
    let mut out = vec![];
    for slip in 0..a.cols {
        let row: Vec<(usize, f64)> = rows.col(slip).filter(|e| e.1 != 0.0).collect();
        if row.iter().any(|e| e.0 == slip) {
            continue;
        }
        let positive: Vec<_> = row.iter().filter(|e| e.1 > 0.0).collect();
        let friction: Vec<_> = row.iter().filter(|e| e.1 == -1.0).map(|e| e.0).collect();
        let in_line = friction.windows(2).all(|w| w[1] == w[0] + 1);
        let ([(normal, mu)], Some(&first), true) =
            (positive.as_slice(), friction.first(), in_line && row.len() == friction.len() + 1)
        else {
            return vec![];
        };
        let friction = first..first + friction.len();
        out.push(ContactRows { normal: *normal, friction, slip: Some(slip), mu: *mu });
    }
    out
}

/// `M = G' diag(Minv) G + rest` from the factors beside it, believed only where the product gives
/// M back; the columns of G are the first unknowns, the rest holds what touches the others.
fn factors(npz: &Npz, a: &Csc) -> Option<Factored> {
    let inverse_mass = npz.get("Minv")?;
    let shape = indices(npz, "G_shape").ok()?;
    let &[velocities, columns] = shape.as_slice() else { return None };
    let (start, index) = (indices(npz, "G_p").ok()?, indices(npz, "G_i").ok()?);
    let values = npz.get("G_x")?.to_vec();
    let g = sorted(Csc { rows: velocities, cols: columns, start, index, values }).ok()?;
    if columns > a.cols || inverse_mass.len() != velocities {
        return None;
    }
    let mut right = g;
    right.start.resize(a.cols + 1, right.index.len());
    right.cols = a.cols;
    let left = right.transpose();
    for p in 0..right.values.len() {
        right.values[p] *= inverse_mass[right.index[p]];
    }
    let mut entries = vec![];
    for j in 0..a.cols {
        entries.extend(a.col(j).filter(|e| j >= columns || e.0 >= columns).map(|(i, x)| (i, j, x)));
    }
    let d_block = Csc::from_triplets(a.rows, a.cols, &entries);
    let factored = Factored { left, right, d_block };
    let size = a.values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut difference = factored.product().to_triplets();
    difference.extend((0..a.cols).flat_map(|j| a.col(j).map(move |(i, x)| (i, j, -x))));
    let difference = Csc::from_triplets(a.rows, a.cols, &difference);
    difference.values.iter().all(|x| x.abs() <= 1e-12 * size).then_some(factored)
}
