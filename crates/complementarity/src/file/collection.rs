//! Our own HDF5 files: any number of problems, each a group of arrays.
//!
//! ```text
//! /                         attributes format = "stickslip-problems", version = 1
//! /problems/NAME            one group per problem; attribute class = "lcp", "mlcp", "cone" or "global"
//! /problems/NAME/ARRAY      the arrays of `layout.rs`; indices are whole numbers, from 0
//! ```
//!
//! Readable with h5py and MATLAB without a helper; `A` is stored row by row.

use std::path::Path;

use hdf5_metno::{File, Group, types::VarLenUnicode};

use super::npz::{Array, Npz};
use super::{FileError, Named, Trouble, format, layout};

const FORMAT: &str = "stickslip-problems";
const VERSION: u32 = 1;

fn library(error: hdf5_metno::Error) -> Trouble {
    format(error.to_string())
}

/// Whether the file says that it is one of ours.
pub(super) fn is_ours(path: &Path) -> bool {
    let read = || File::open(path)?.attr("format")?.read_scalar::<VarLenUnicode>();
    read().is_ok_and(|text| text.as_bytes() == FORMAT.as_bytes())
}

/// All problems of a file, by name.
pub(super) fn read(path: &Path) -> Result<Vec<Named>, FileError> {
    let parse = || -> Result<Vec<Named>, Trouble> {
        let file = File::open(path).map_err(library)?;
        let version = file.attr("version").and_then(|a| a.read_scalar::<u32>()).map_err(library)?;
        if version > VERSION {
            return Err(format(format!("it has version {version}, known is up to {VERSION}")));
        }
        let all = file.group("problems").map_err(|_| format("no group problems"))?;
        let mut names = all.member_names().map_err(library)?;
        names.sort();
        let mut out = vec![];
        for name in names {
            let group = all.group(&name).map_err(library)?;
            let arrays = arrays(&group)?;
            let wrong = |t: Trouble| match t {
                Trouble::Format(reason) => format(format!("problem {name}: {reason}")),
                Trouble::Problem(error) => format(format!("problem {name}: {error}")),
            };
            let content = layout::read(&arrays).map_err(wrong)?;
            let content = content.ok_or_else(|| wrong(format("arrays are missing")))?;
            out.push(Named { name, content });
        }
        Ok(out)
    };
    parse().map_err(|t| t.at(path))
}

fn arrays(group: &Group) -> Result<Npz, Trouble> {
    let mut npz = Npz::default();
    for set in group.datasets().map_err(library)? {
        let name = set.name().rsplit('/').next().unwrap_or_default().to_owned();
        let values = match super::fclib::length(&set)? {
            0 => vec![],
            _ => set.read_raw::<f64>().map_err(library)?,
        };
        npz.arrays.insert(name, Array { shape: set.shape(), values });
    }
    Ok(npz)
}

/// Writes problems to a new file. Slashes in names become underscores; a name that comes again
/// gets a number.
pub(super) fn write(target: &Path, problems: &[Named]) -> Result<(), FileError> {
    super::as_whole(target, |path| write_to(path, problems))
}

fn write_to(path: &Path, problems: &[Named]) -> Result<(), FileError> {
    let put = || -> Result<(), hdf5_metno::Error> {
        let file = File::create(path)?;
        text(file.new_attr::<VarLenUnicode>(), "format", FORMAT)?;
        file.new_attr::<u32>().create("version")?.write_scalar(&VERSION)?;
        let all = file.create_group("problems")?;
        for Named { name, content } in problems {
            let base = name.replace('/', "_");
            let mut free = base.clone();
            let mut k = 1;
            while free.is_empty() || all.link_exists(&free) {
                k += 1;
                free = format!("{base}-{k}");
            }
            let group = all.create_group(&free)?;
            text(group.new_attr::<VarLenUnicode>(), "class", content.class_name())?;
            for (name, array) in &layout::write(content).arrays {
                dataset(&group, name, array)?;
            }
        }
        Ok(())
    };
    put().map_err(|e| library(e).at(path))
}

fn text(
    attribute: hdf5_metno::AttributeBuilderEmpty,
    name: &str,
    value: &str,
) -> Result<(), hdf5_metno::Error> {
    // The text is ours and has no zero byte; an empty one stands for what cannot be said.
    let value = value.parse::<VarLenUnicode>().unwrap_or_default();
    attribute.create(name)?.write_scalar(&value)
}

fn dataset(group: &Group, name: &str, array: &Array) -> Result<(), hdf5_metno::Error> {
    let large = array.values.len() > 256;
    if layout::is_whole(name) {
        let whole: Vec<i64> = array.values.iter().map(|&x| x as i64).collect();
        let builder = group.new_dataset_builder();
        let builder = if large { builder.shuffle().deflate(6) } else { builder };
        return builder.with_data(&whole).create(name).map(|_| ());
    }
    if let &[rows, cols] = array.shape.as_slice() {
        let set = group.new_dataset::<f64>().shape((rows, cols)).create(name)?;
        return if array.values.is_empty() { Ok(()) } else { set.write_raw(&array.values) };
    }
    let builder = group.new_dataset_builder();
    let builder = if large { builder.shuffle().deflate(6) } else { builder };
    builder.with_data(&array.values).create(name).map(|_| ())
}
