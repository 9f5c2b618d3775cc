//! `stickslip probe`: reads a file of HDF5 and ends; for the program itself.

use std::path::PathBuf;

use clap::Args;
use stickslip::complementarity::file;
use stickslip_record::{Recording, probe};

use crate::failure::Failure;

/// Read a file as a recording or as problems, and say whether that went well.
#[derive(Debug, Args)]
pub struct Probe {
    file: PathBuf,
}

impl Probe {
    pub fn execute(&self) -> Result<(), Failure> {
        let Err(error) = Recording::look_through(&self.file) else { return Ok(()) };
        match file::load_all(&self.file) {
            Ok(_) => Ok(()),
            Err(_) => Err(Failure::Simulation(error.to_string())),
        }
    }
}

/// Has files that nothing vouches for read by this program in a process of its own first.
pub fn register() {
    if let Ok(program) = std::env::current_exe() {
        probe::read_first_with(vec![program.into(), "probe".into()]);
    }
}
