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
        let schemes = ["package://", "model://"];
        if let Some(rest) = schemes.iter().find_map(|scheme| name.strip_prefix(scheme)) {
            let (package, inside) = rest.split_once('/').unwrap_or((rest, ""));
            let here = self.package(package, base).map(|folder| folder.join(inside));
            let above = || above(base, &[inside, rest]);
            return match here.filter(|path| path.is_file()).or_else(above) {
                Some(path) => Ok(path),
                None => Err(format!(
                    "there is no file {name}, looked for in its package and above {}",
                    base.display()
                )),
            };
        }
        let path = Path::new(name.strip_prefix("file://").unwrap_or(name));
        let full = if path.is_absolute() { path.to_owned() } else { base.join(path) };
        // Some files give paths from a folder above theirs.
        match full.is_file() || path.is_absolute() {
            true => found(full),
            false => above(base, &[&path.to_string_lossy()]).map_or_else(|| found(full), Ok),
        }
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

/// The file that one of the paths means in a folder above `base`.
fn above(base: &Path, paths: &[&str]) -> Option<PathBuf> {
    let base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
    let mut candidates =
        base.ancestors().flat_map(|folder| paths.iter().map(move |path| folder.join(path)));
    candidates.find(|path| path.is_file())
}
