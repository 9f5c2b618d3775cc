//! Where the files of a robot are.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Folders of packages, for `package://NAME/PATH`.
///
/// A package that is not named here is looked for around the URDF file: a folder above it of that
/// name, or a folder of that name beside one of those above.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packages {
    /// Name of the package to its folder.
    pub folders: BTreeMap<String, PathBuf>,
}

impl Packages {
    /// The file that `name` means in a URDF file of folder `base`, or why there is none.
    pub(crate) fn locate(&self, name: &str, base: &Path) -> Result<PathBuf, String> {
        let name = name.trim();
        let found = |path: PathBuf| match path.is_file() {
            true => Ok(path),
            false => Err(format!("there is no file {}", path.display())),
        };
        if let Some(rest) = name.strip_prefix("package://") {
            let (package, inside) = rest.split_once('/').unwrap_or((rest, ""));
            return self
                .package(package, base)
                .ok_or_else(|| {
                    format!(
                        "the package {package:?} is neither given nor found above {}",
                        base.display()
                    )
                })
                .and_then(|folder| found(folder.join(inside)));
        }
        let path = Path::new(name.strip_prefix("file://").unwrap_or(name));
        found(if path.is_absolute() { path.to_owned() } else { base.join(path) })
    }

    fn package(&self, name: &str, base: &Path) -> Option<PathBuf> {
        if let Some(folder) = self.folders.get(name) {
            return Some(folder.clone());
        }
        let base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
        base.ancestors().find_map(|folder| {
            let here = folder.file_name().is_some_and(|f| f == name);
            let beside = folder.join(name);
            match (here, beside.is_dir()) {
                (true, _) => Some(folder.to_owned()),
                (_, true) => Some(beside),
                _ => None,
            }
        })
    }
}
