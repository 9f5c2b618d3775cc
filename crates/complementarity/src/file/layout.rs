//! A problem as named arrays: the layout that our .npz archives and our HDF5 files share.
//!
//! | arrays | what they hold |
//! | --- | --- |
//! | `A`, `b` | a dense matrix (row by row) and the constant |
//! | `M_x`, `M_i`, `M_p`, `q` | a sparse matrix by columns (values, rows, starts) and the constant |
//! | `left_*`, `right_*`, `rest_*`, `q` | `A = left right + rest`, each by columns with its `_shape` |
//! | `lower`, `upper` | bounds; where they are there (and no cones), the problem is mixed |
//! | `contact_normal`, `_first`, `_end`, `_slip`, `_mu` | rows of linearised contacts; slip -1: none |
//! | `cone_first`, `cone_end`, `cone_mu`, `cone_rolling` | rows of friction cones |
//! | `mass_*`, `H_*`, `f`, `w` | the global form of a cone problem |
//! | `block_shape`, `_rows`, `_first`, `_i`, `_x`, `_b`, `_law` | contacts as they are: velocities; rows, columns, J, b and law of each |

use super::npz::{Array, Npz};
use super::{Content, Trouble, contacts as blocks, format};
use crate::problem::{
    Cone, ConeRows, ContactRows, Csc, Dense, Factored, Global, Lcp, Matrix, Mlcp, Problem,
};

/// Whether whole numbers are meant by an array of that name.
#[cfg(feature = "hdf5")]
pub(crate) fn is_whole(name: &str) -> bool {
    let ends = ["_i", "_p", "_shape", "_first", "_end", "_normal", "_slip"];
    ends.iter().any(|e| name.ends_with(e))
}

/// The numbers of an array that must be there.
pub(crate) fn need<'a>(npz: &'a Npz, name: &str) -> Result<&'a [f64], Trouble> {
    npz.get(name).ok_or_else(|| format(format!("no array {name}")))
}

/// The same as counts.
pub(crate) fn indices(npz: &Npz, name: &str) -> Result<Vec<usize>, Trouble> {
    need(npz, name)?
        .iter()
        .map(|&x| {
            let whole = x >= 0.0 && x.fract() == 0.0 && x < 9e15;
            whole.then_some(x as usize).ok_or_else(|| format(format!("{name} holds {x}")))
        })
        .collect()
}

/// SciPy does not promise sorted rows; we do.
pub(crate) fn sorted(a: Csc) -> Result<Csc, Trouble> {
    let sound = a.start.len() == a.cols + 1
        && a.start.first() == Some(&0)
        && a.start.windows(2).all(|w| w[0] <= w[1])
        && a.start.last() == Some(&a.index.len())
        && a.index.len() == a.values.len()
        && a.index.iter().all(|&i| i < a.rows);
    if !sound {
        return Err(format("the arrays of a sparse matrix do not fit together"));
    }
    Ok(Csc::from_triplets(a.rows, a.cols, &a.to_triplets()))
}

/// The sparse matrix of that name; `shape` where it is not stored beside it.
fn columns(npz: &Npz, name: &str, shape: Option<(usize, usize)>) -> Result<Csc, Trouble> {
    let (rows, cols) = match shape {
        Some(shape) => shape,
        None => match indices(npz, &format!("{name}_shape"))?.as_slice() {
            &[rows, cols] => (rows, cols),
            _ => return Err(format(format!("{name}_shape must hold two numbers"))),
        },
    };
    let (start, index) = (indices(npz, &format!("{name}_p"))?, indices(npz, &format!("{name}_i"))?);
    let values = need(npz, &format!("{name}_x"))?.to_vec();
    sorted(Csc { rows, cols, start, index, values })
}

fn dense(a: &Array, n: usize) -> Result<Matrix, Trouble> {
    if a.shape != [n, n] {
        return Err(format(format!("A is {:?}, b has {n} entries", a.shape)));
    }
    let values = (0..n).flat_map(|j| (0..n).map(move |i| a.values[i * n + j])).collect();
    Ok(Matrix::Dense(Dense { rows: n, cols: n, values }))
}

/// The matrix in any of the three storages; `None` where the arrays have other names.
pub(crate) fn matrix(npz: &Npz, n: usize) -> Result<Option<Matrix>, Trouble> {
    if npz.arrays.contains_key("left_x") {
        let part = |name: &str| columns(npz, name, None);
        let (left, right, d_block) = (part("left")?, part("right")?, part("rest")?);
        return Ok(Some(Matrix::Factored(Box::new(Factored { left, right, d_block }))));
    }
    if npz.arrays.contains_key("M_x") {
        return columns(npz, "M", Some((n, n))).map(|a| Some(Matrix::Sparse(a)));
    }
    npz.arrays.get("A").map(|a| dense(a, n)).transpose()
}

/// The contacts, if the arrays for them are there.
pub(crate) fn contacts(npz: &Npz, n: usize) -> Result<Option<Vec<ContactRows>>, Trouble> {
    if !npz.arrays.contains_key("contact_normal") {
        return Ok(None);
    }
    let normal = indices(npz, "contact_normal")?;
    let (first, end) = (indices(npz, "contact_first")?, indices(npz, "contact_end")?);
    let (slip, mu) = (need(npz, "contact_slip")?, need(npz, "contact_mu")?);
    let lengths = [first.len(), end.len(), slip.len(), mu.len()];
    if lengths.iter().any(|l| *l != normal.len()) {
        return Err(format("the arrays of the contacts differ in length"));
    }
    let one = |k: usize| {
        let slip = (slip[k] >= 0.0).then_some(slip[k] as usize);
        let contact =
            ContactRows { normal: normal[k], friction: first[k]..end[k], slip, mu: mu[k] };
        let inside = contact.normal < n && end[k] <= n && slip.is_none_or(|s| s < n);
        inside.then_some(contact).ok_or_else(|| format(format!("contact {k} has rows outside")))
    };
    (0..normal.len()).map(one).collect::<Result<_, _>>().map(Some)
}

fn cones(npz: &Npz) -> Result<Vec<ConeRows>, Trouble> {
    let (first, end) = (indices(npz, "cone_first")?, indices(npz, "cone_end")?);
    let (mu, rolling) = (need(npz, "cone_mu")?, need(npz, "cone_rolling")?);
    if [end.len(), mu.len(), rolling.len()].iter().any(|l| *l != first.len()) {
        return Err(format("the arrays of the cones differ in length"));
    }
    let one = |k: usize| ConeRows { rows: first[k]..end[k], mu: mu[k], rolling: rolling[k] };
    Ok((0..first.len()).map(one).collect())
}

/// The bounds, if both are there.
pub(crate) fn bounds(npz: &Npz) -> Option<(Vec<f64>, Vec<f64>)> {
    Some((npz.get("lower")?.to_vec(), npz.get("upper")?.to_vec()))
}

/// The problem, if the arrays are in this layout.
pub(crate) fn read(npz: &Npz) -> Result<Option<Content>, Trouble> {
    if blocks::are_here(npz) {
        return blocks::read(npz).map(Some);
    }
    if npz.arrays.contains_key("mass_x") {
        let (mass, h) = (columns(npz, "mass", None)?, columns(npz, "H", None)?);
        let (f, w) = (need(npz, "f")?.to_vec(), need(npz, "w")?.to_vec());
        return Ok(Some(Content::Global(Global::new(mass, h, f, w, cones(npz)?)?)));
    }
    let Some(b) = npz.get("q").or_else(|| npz.get("b")) else { return Ok(None) };
    let n = b.len();
    if npz.arrays.contains_key("cone_first") {
        let matrix = matrix(npz, n)?.ok_or_else(|| format("no matrix"))?;
        let mut cone = Cone::new(matrix, b.to_vec(), cones(npz)?)?;
        if let Some((lower, upper)) = bounds(npz) {
            cone = cone.with_bounds(lower, upper)?;
        }
        return Ok(Some(Content::Problem(Problem::Cone(cone))));
    }
    let (Some(matrix), Some(contacts)) = (matrix(npz, n)?, contacts(npz, n)?) else {
        return Ok(None);
    };
    let lcp = Lcp::new(matrix, b.to_vec())?.with_contacts(contacts);
    mixed(npz, lcp).map(|p| Some(Content::Problem(p)))
}

/// The mixed problem where the archive has bounds.
pub(crate) fn mixed(npz: &Npz, lcp: Lcp) -> Result<Problem, Trouble> {
    let Some((lower, upper)) = bounds(npz) else { return Ok(Problem::Lcp(lcp)) };
    let mlcp = Mlcp::new(lcp.matrix, lcp.b, lower, upper)?;
    Ok(Problem::Mlcp(mlcp.with_contacts(lcp.contacts)))
}

/// Collects arrays.
#[derive(Default)]
pub(super) struct Writer(Npz);

impl Writer {
    pub(super) fn put(&mut self, name: &str, values: Vec<f64>) {
        self.0.arrays.insert(name.to_owned(), Array { shape: vec![values.len()], values });
    }

    pub(super) fn counts(&mut self, name: &str, values: impl Iterator<Item = usize>) {
        self.put(name, values.map(|i| i as f64).collect());
    }

    fn columns(&mut self, name: &str, a: &Csc, shape: bool) {
        self.counts(&format!("{name}_p"), a.start.iter().copied());
        self.counts(&format!("{name}_i"), a.index.iter().copied());
        self.put(&format!("{name}_x"), a.values.clone());
        if shape {
            self.counts(&format!("{name}_shape"), [a.rows, a.cols].into_iter());
        }
    }

    fn matrix(&mut self, matrix: &Matrix, b: &[f64]) {
        match matrix {
            Matrix::Dense(a) => {
                let (rows, cols) = (a.rows, a.cols);
                let values = (0..rows).flat_map(|i| (0..cols).map(move |j| a.get(i, j)));
                let array = Array { shape: vec![rows, cols], values: values.collect() };
                self.0.arrays.insert("A".into(), array);
            }
            Matrix::Sparse(a) => self.columns("M", a, false),
            Matrix::Factored(f) => {
                for (name, part) in [("left", &f.left), ("right", &f.right), ("rest", &f.d_block)] {
                    self.columns(name, part, true);
                }
            }
        }
        self.put(if matches!(matrix, Matrix::Dense(_)) { "b" } else { "q" }, b.to_vec());
    }

    fn contacts(&mut self, contacts: &[ContactRows]) {
        self.counts("contact_normal", contacts.iter().map(|c| c.normal));
        self.counts("contact_first", contacts.iter().map(|c| c.friction.start));
        self.counts("contact_end", contacts.iter().map(|c| c.friction.end));
        let slip = |c: &ContactRows| c.slip.map_or(-1.0, |s| s as f64);
        self.put("contact_slip", contacts.iter().map(slip).collect());
        self.put("contact_mu", contacts.iter().map(|c| c.mu).collect());
    }

    fn cones(&mut self, contacts: &[ConeRows]) {
        self.counts("cone_first", contacts.iter().map(|c| c.rows.start));
        self.counts("cone_end", contacts.iter().map(|c| c.rows.end));
        self.put("cone_mu", contacts.iter().map(|c| c.mu).collect());
        self.put("cone_rolling", contacts.iter().map(|c| c.rolling).collect());
    }
}

/// The arrays of a problem.
pub(crate) fn write(content: &Content) -> Npz {
    let mut out = Writer::default();
    match content {
        Content::Contacts(contacts) => blocks::write(contacts, &mut out),
        Content::Global(g) => {
            out.columns("mass", &g.mass, true);
            out.columns("H", &g.h, true);
            out.put("f", g.f.clone());
            out.put("w", g.w.clone());
            out.cones(&g.contacts);
        }
        Content::Problem(problem) => {
            out.matrix(problem.matrix(), problem.b());
            match problem {
                Problem::Lcp(p) => out.contacts(&p.contacts),
                Problem::Mlcp(p) => {
                    out.put("lower", p.lower.clone());
                    out.put("upper", p.upper.clone());
                    out.contacts(&p.contacts);
                }
                Problem::Cone(p) => {
                    out.put("lower", p.lower.clone());
                    out.put("upper", p.upper.clone());
                    out.cones(&p.contacts);
                }
            }
        }
    }
    out.0
}
