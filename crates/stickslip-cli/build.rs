//! Tells the program its own revision, for the recordings it writes.

use std::process::Command;

fn main() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // Outside a repository, such as in a packaged source, the version has to do.
    let revision = git(&["describe", "--always", "--dirty"]).unwrap_or_default();
    println!("cargo::rustc-env=STICKSLIP_REVISION={revision}");
    println!("cargo::rerun-if-changed=src");
    if let Some(head) = git(&["rev-parse", "--git-path", "HEAD"]) {
        println!("cargo::rerun-if-changed={head}");
    }
}
