//! Many solvers on the same problems, with the same tolerance, judged by the same measure.
//!
//! - [`source`] collects problems: files of any known format, folders, recorded runs;
//! - [`capture`] takes them from a scene while it runs;
//! - [`Comparison`] runs the solvers and keeps what they did;
//! - [`profile`], [`page`], [`markdown`] and [`table`] report;
//! - [`facts`] says what a problem is like.

pub mod capture;
pub mod facts;
pub mod markdown;
pub mod page;
pub mod profile;
pub mod source;
pub mod table;

mod comparison;
mod plots;
mod spectrum;
mod trial;

pub use comparison::{Comparison, Progress, Settings};
pub use source::{Entry, SourceError};
pub use trial::{Clock, Interrupt, Row, Sample, Trial};
