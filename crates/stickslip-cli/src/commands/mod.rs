//! One file for each sub-command.

pub mod check;
pub mod compare;
pub mod experiment;
pub mod export;
pub mod interrupt;
pub mod new;
pub mod plot;
pub mod probe;
pub mod problems;
pub mod render;
pub mod run;
pub mod scenes;
pub mod select;
pub mod shell;
pub mod soak;
pub mod stability;
pub mod sweep;
pub mod view;
