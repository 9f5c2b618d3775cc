//! FCLIB: frictional contact problems in HDF5.
//!
//! Local: `/fclib_local/{spacedim, W, vectors/{q, mu}}`. Global: `/fclib_global/{spacedim, M, H,
//! vectors/{f, w, mu}}`. Rolling problems have `_rolling` in the name of the group, five rows per
//! contact and `vectors/mu_r`. Bilateral rows (matrices V, R or G) are refused.

use std::path::Path;

use hdf5_metno::{Dataset, File, Group};

use super::dat::contact_rows;
use super::{Content, FileError, Trouble, format};
use crate::problem::{Cone, ConeRows, Csc, Global, Matrix, Problem};

fn library(error: hdf5_metno::Error) -> Trouble {
    format(error.to_string())
}

/// How many numbers there are: no more than their bytes in the file can hold. Memory is asked for by
/// it.
pub(super) fn length(set: &Dataset) -> Result<usize, Trouble> {
    let shape = set.shape();
    let count = shape.iter().try_fold(1_usize, |n, s| n.checked_mul(*s));
    let stored = usize::try_from(set.storage_size()).unwrap_or(usize::MAX);
    let most = stored.saturating_mul(RATIO).saturating_add(1 << 16);
    count.filter(|&n| n <= most).ok_or_else(|| {
        let name = set.name();
        format(format!("{name} claims {shape:?} numbers, but has {stored} bytes"))
    })
}

/// How much smaller numbers may get by compression, at most.
const RATIO: usize = 1100;

fn numbers(group: &Group, name: &str) -> Result<Vec<f64>, Trouble> {
    let data = group.dataset(name).map_err(|_| format(format!("no dataset {name}")))?;
    if length(&data)? == 0 { Ok(vec![]) } else { data.read_raw::<f64>().map_err(library) }
}

fn whole(group: &Group, name: &str) -> Result<Vec<i64>, Trouble> {
    let data = group.dataset(name).map_err(|_| format(format!("no dataset {name}")))?;
    if length(&data)? == 0 {
        return Ok(vec![]);
    }
    Ok(data.read_raw::<i32>().map_err(library)?.into_iter().map(i64::from).collect())
}

fn scalar(group: &Group, name: &str) -> Result<i64, Trouble> {
    whole(group, name)?.first().copied().ok_or_else(|| format(format!("{name} is empty")))
}

/// nz >= 0: triplets; -1: compressed columns; -2: compressed rows.
fn matrix(parent: &Group, name: &str) -> Result<Csc, Trouble> {
    let group = parent.group(name).map_err(|_| format(format!("no matrix {name}")))?;
    let bad = |what: &str| format(format!("matrix {name}: {what}"));
    let size = |name: &str| -> Result<usize, Trouble> {
        usize::try_from(scalar(&group, name)?).map_err(|_| bad("a negative size"))
    };
    let (rows, cols, nz) = (size("m")?, size("n")?, scalar(&group, "nz")?);
    let (i, p, x) = (whole(&group, "i")?, whole(&group, "p")?, numbers(&group, "x")?);
    if rows.max(cols) > 1_000_000 + 1000 * x.len() {
        return Err(bad(&format!("{rows} by {cols} with {} entries", x.len())));
    }
    let mut entries: Vec<(i64, i64, f64)> = vec![];
    if nz >= 0 {
        let count = (nz as usize).min(i.len()).min(p.len()).min(x.len());
        entries.extend((0..count).map(|k| (i[k], p[k], x[k])));
    } else {
        let major = if nz == -1 { cols } else { rows };
        if p.len() < major + 1 {
            return Err(bad("too few starts"));
        }
        for j in 0..major {
            for k in p[j]..p[j + 1] {
                let k = usize::try_from(k).map_err(|_| bad("a negative start"))?;
                let (Some(&i), Some(&x)) = (i.get(k), x.get(k)) else {
                    return Err(bad("a start beyond the entries"));
                };
                entries.push(if nz == -1 { (i, j as i64, x) } else { (j as i64, i, x) });
            }
        }
    }
    let mut checked = Vec::with_capacity(entries.len());
    for (i, j, x) in entries {
        match (usize::try_from(i), usize::try_from(j)) {
            (Ok(i), Ok(j)) if i < rows && j < cols => checked.push((i, j, x)),
            _ => return Err(bad("an entry outside the matrix")),
        }
    }
    Ok(Csc::from_triplets(rows, cols, &checked))
}

fn parse(file: &File) -> Result<Content, Trouble> {
    let names = ["fclib_local", "fclib_global", "fclib_local_rolling", "fclib_global_rolling"];
    let name = names.into_iter().find(|n| file.link_exists(n));
    let name = name.ok_or_else(|| format("no group /fclib_local or /fclib_global"))?;
    let group = file.group(name).map_err(library)?;
    let d = scalar(&group, "spacedim")?;
    let d = usize::try_from(d).ok().filter(|d| matches!(d, 2 | 3 | 5));
    let d = d.ok_or_else(|| format("spacedim must be 2, 3 or 5"))?;
    let vectors = group.group("vectors").map_err(|_| format("no group vectors"))?;
    let mu = numbers(&vectors, "mu")?;
    let rolling = if d == 5 { numbers(&vectors, "mu_r")? } else { vec![0.0; mu.len()] };
    if rolling.len() != mu.len() {
        return Err(format("mu and mu_r differ in length"));
    }
    if let Some(part) = ["V", "R", "G"].into_iter().find(|part| group.link_exists(part)) {
        return Err(format(format!("matrix {part}: bilateral rows are not supported")));
    }
    let fits = |rows: usize| match mu.len() * d == rows {
        true => Ok(()),
        false => Err(format(format!("{} contacts of {d} rows, but {rows} rows", mu.len()))),
    };
    let contacts = contact_rows(d, &mu, &rolling);
    if name.starts_with("fclib_local") {
        let q = numbers(&vectors, "q")?;
        fits(q.len())?;
        let w = Matrix::Sparse(matrix(&group, "W")?);
        return Ok(Problem::Cone(Cone::new(w, q, contacts)?).into());
    }
    let (mass, h) = (matrix(&group, "M")?, matrix(&group, "H")?);
    let (f, w) = (numbers(&vectors, "f")?, numbers(&vectors, "w")?);
    fits(w.len())?;
    Ok(Content::Global(Global::new(mass, h, f, w, contacts)?))
}

/// Reads any kind.
pub(super) fn read(path: &Path) -> Result<Content, FileError> {
    let file = File::open(path).map_err(|e| library(e).at(path))?;
    parse(&file).map_err(|t| t.at(path))
}

/// Writes the form the problem has.
pub(super) fn write(target: &Path, content: &Content) -> Result<(), FileError> {
    super::as_whole(target, |path| write_to(path, content))
}

fn write_to(path: &Path, content: &Content) -> Result<(), FileError> {
    let rows = match content {
        Content::Problem(Problem::Cone(cone)) => cone.b.len(),
        Content::Global(global) => global.w.len(),
        _ => return Err(format("FCLIB holds cone problems only").at(path)),
    };
    let d = super::uniform(content.cones(), rows).ok_or_else(|| {
        format("FCLIB needs contacts of 2, 3 or 5 rows each, one after another").at(path)
    })?;
    let put = || -> Result<(), hdf5_metno::Error> {
        let file = File::create(path)?;
        let form = if matches!(content, Content::Global(_)) { "global" } else { "local" };
        let kind = if d == 5 { "_rolling" } else { "" };
        let group = file.create_group(&format!("fclib_{form}{kind}"))?;
        int(&group, "spacedim", &[d as i32])?;
        let vectors = group.create_group("vectors")?;
        match content {
            Content::Global(g) => {
                columns(&group, "M", &g.mass)?;
                columns(&group, "H", &g.h)?;
                real(&vectors, "f", &g.f)?;
                real(&vectors, "w", &g.w)?;
            }
            Content::Contacts(_) => {}
            Content::Problem(p) => {
                columns(&group, "W", &p.matrix().to_sparse())?;
                real(&vectors, "q", p.b())?;
            }
        }
        let of = |f: fn(&ConeRows) -> f64| content.cones().iter().map(f).collect::<Vec<_>>();
        real(&vectors, "mu", &of(|c| c.mu))?;
        if d == 5 {
            real(&vectors, "mu_r", &of(|c| c.rolling))?;
        }
        Ok(())
    };
    put().map_err(|e| library(e).at(path))
}

fn int(group: &Group, name: &str, values: &[i32]) -> Result<(), hdf5_metno::Error> {
    group.new_dataset_builder().with_data(values).create(name).map(|_| ())
}

fn real(group: &Group, name: &str, values: &[f64]) -> Result<(), hdf5_metno::Error> {
    group.new_dataset_builder().with_data(values).create(name).map(|_| ())
}

/// A matrix in compressed columns.
fn columns(parent: &Group, name: &str, a: &Csc) -> Result<(), hdf5_metno::Error> {
    let group = parent.create_group(name)?;
    let narrow = |v: &[usize]| v.iter().map(|&i| i as i32).collect::<Vec<i32>>();
    let sizes = [("m", a.rows as i32), ("n", a.cols as i32), ("nzmax", a.index.len() as i32)];
    for (name, value) in sizes.into_iter().chain([("nz", -1)]) {
        int(&group, name, &[value])?;
    }
    int(&group, "p", &narrow(&a.start))?;
    int(&group, "i", &narrow(&a.index))?;
    real(&group, "x", &a.values)
}
