//! `stickslip completions` and `stickslip man`: what shells and manuals know of the command.

use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};
use stickslip_record::write_whole;

use crate::{failure::Failure, output};

/// Print completions for a shell.
///
/// bash: stickslip completions bash > ~/.local/share/bash-completion/completions/stickslip
///
/// zsh: stickslip completions zsh > a folder of $fpath, as _stickslip
///
/// fish: stickslip completions fish > ~/.config/fish/completions/stickslip.fish
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Completions {
    /// Which shell
    shell: Shell,
}

/// The shells that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Completions {
    pub fn execute(&self, mut command: Command) -> Result<(), Failure> {
        let shell = match self.shell {
            Shell::Bash => clap_complete::Shell::Bash,
            Shell::Zsh => clap_complete::Shell::Zsh,
            Shell::Fish => clap_complete::Shell::Fish,
        };
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command, "stickslip", &mut script);
        output::print(&String::from_utf8_lossy(&script))?;
        Ok(())
    }
}

/// Write the manual pages: one for the program, one for each command.
///
/// `stickslip man ~/.local/share/man/man1`, then `man stickslip-run`.
#[derive(Debug, Args)]
pub struct Man {
    /// Folder to write to; made if it is not there
    folder: PathBuf,
}

impl Man {
    pub fn execute(&self, mut command: Command) -> Result<(), Failure> {
        let wrong = |e: std::io::Error| Failure::Input(format!("{}: {e}", self.folder.display()));
        std::fs::create_dir_all(&self.folder).map_err(wrong)?;
        command.build();
        let visible =
            command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help");
        let mut pages = vec![command.clone()];
        pages.extend(visible.cloned());
        for page in &pages {
            let name = match page.get_name() {
                "stickslip" => "stickslip".to_owned(),
                sub => format!("stickslip-{sub}"),
            };
            let mut text = Vec::new();
            clap_mangen::Man::new(page.clone()).title(name.to_uppercase()).render(&mut text)?;
            write_whole(&self.folder.join(format!("{name}.1")), &text).map_err(wrong)?;
        }
        output::notice(&format!("wrote {} pages to {}", pages.len(), self.folder.display()));
        Ok(())
    }
}
