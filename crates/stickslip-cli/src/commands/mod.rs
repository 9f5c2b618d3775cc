//! One file for each sub-command.

pub mod check;
pub mod run;
pub mod scenes;
pub mod select;
