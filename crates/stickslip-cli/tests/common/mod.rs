//! What the tests of several commands share.

use std::{fs, path::PathBuf};

/// A folder of its own that vanishes with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    /// In the folder for temporary files; names are told apart by test and process.
    pub fn new(name: &str) -> Self {
        let test = env!("CARGO_CRATE_NAME");
        let name = format!("stickslip-{test}-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
