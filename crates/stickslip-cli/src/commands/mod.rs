//! One file for each sub-command.

pub mod check;
pub mod experiment;
pub mod export;
pub mod plot;
pub mod run;
pub mod scenes;
pub mod select;
pub mod sweep;
mod sweep_plan;
pub mod view;
