//! Contacts as they are, block by block, as named arrays (see [`super::layout`]).

use super::layout::{Writer, indices, need};
use super::npz::Npz;
use super::{Content, Trouble, format};
use crate::problem::{ContactProblem, Law};

/// Velocities of a problem at the most: a corrupt number must not eat the memory.
const MOST: usize = 1 << 28;

/// Whether the arrays are those of contacts.
pub(super) fn are_here(npz: &Npz) -> bool {
    npz.arrays.contains_key("block_law")
}

/// The contacts of an archive.
pub(super) fn read(npz: &Npz) -> Result<Content, Trouble> {
    let velocities = match indices(npz, "block_shape")?.as_slice() {
        &[velocities] if velocities <= MOST => velocities,
        _ => return Err(format(format!("block_shape must be one number up to {MOST}"))),
    };
    let (dims, first) = (indices(npz, "block_rows")?, indices(npz, "block_first")?);
    let (columns, mut rows) = (indices(npz, "block_i")?, need(npz, "block_x")?);
    let (laws, n) = (need(npz, "block_law")?, dims.len());
    let b = need(npz, "block_b")?;
    let sound = first.len() == n + 1
        && first.windows(2).all(|w| w[0] <= w[1])
        && first.last() == Some(&columns.len())
        && (laws.len(), b.len()) == (4 * n, 3 * n);
    if !sound {
        return Err(format("the arrays of the blocks do not fit together"));
    }
    let mut out = ContactProblem::new(velocities);
    for k in 0..n {
        let narrow = |&i: &usize| u32::try_from(i).map_err(|_| format(format!("column {i}")));
        let own = columns[first[k]..first[k + 1]].iter().map(narrow);
        let own = own.collect::<Result<Vec<u32>, _>>()?;
        let length = dims[k].checked_mul(own.len()).filter(|&l| l <= rows.len());
        let length = length.ok_or_else(|| format("block_x is too short"))?;
        let (here, later) = rows.split_at(length);
        rows = later;
        out.push(law(&laws[4 * k..])?, &own, here, [b[3 * k], b[3 * k + 1], b[3 * k + 2]])?;
        if out.dim(k) != dims[k] {
            return Err(format(format!("block {k} has {} rows, not {}", out.dim(k), dims[k])));
        }
    }
    if !rows.is_empty() {
        return Err(format("block_x is too long"));
    }
    out.validate()?;
    Ok(Content::Contacts(out))
}

/// Kind and three numbers.
fn law(numbers: &[f64]) -> Result<Law, Trouble> {
    match *numbers {
        [0.0, lower, upper, compliance, ..] => Ok(Law::Interval { lower, upper, compliance }),
        [1.0, mu, ..] => Ok(Law::Disc { mu }),
        [2.0, mu, corners, ..] if (2.0..=1e6).contains(&corners) => {
            Ok(Law::Polygon { mu, corners: corners as usize })
        }
        _ => Err(format("block_law holds a law that is not known")),
    }
}

/// The arrays of contacts.
pub(super) fn write(problem: &ContactProblem, out: &mut Writer) {
    let blocks = || 0..problem.len();
    let mut first = vec![0];
    first.extend(blocks().scan(0, |end, c| {
        *end += problem.columns(c).len();
        Some(*end)
    }));
    out.counts("block_shape", std::iter::once(problem.velocities()));
    out.counts("block_rows", blocks().map(|c| problem.dim(c)));
    out.counts("block_first", first.into_iter());
    out.counts("block_i", blocks().flat_map(|c| problem.columns(c)).map(|&i| i as usize));
    out.put("block_x", blocks().flat_map(|c| problem.rows(c)).copied().collect());
    out.put("block_b", blocks().flat_map(|c| problem.b(c)).collect());
    let law = |c: usize| match problem.law(c) {
        Law::Interval { lower, upper, compliance } => [0.0, lower, upper, compliance],
        Law::Disc { mu } => [1.0, mu, 0.0, 0.0],
        Law::Polygon { mu, corners } => [2.0, mu, corners as f64, 0.0],
    };
    out.put("block_law", blocks().flat_map(law).collect());
}

#[cfg(test)]
mod tests {
    use super::super::layout;
    use super::*;

    #[test]
    fn arrays_that_do_not_fit_together_are_refused() {
        let mut problem = ContactProblem::new(4);
        problem.push(Law::FRICTIONLESS, &[1, 3], &[2.0, 1.0], [-1.0; 3]).unwrap();
        let law = Law::Polygon { mu: 0.5, corners: 4 };
        problem.push(law, &[0], &[1.0, 2.0, 3.0], [0.1, 0.2, 0.3]).unwrap();
        let sound = layout::write(&Content::Contacts(problem));
        assert!(read(&sound).is_ok());
        for name in sound.arrays.keys() {
            for change in 0..3 {
                let mut broken = sound.clone();
                let values = &mut broken.arrays.get_mut(name).unwrap().values;
                match change {
                    0 => drop(values.pop()),
                    1 => values[0] = f64::NAN,
                    _ => values.push(1e9),
                }
                assert!(read(&broken).is_err(), "{name}, change {change}");
            }
        }
    }
}
