//! `larkspur test`: finds the tests beside the modules, runs each one afresh and tells how it went.

mod find;
mod hall;
mod options;
mod printed;
mod report;
mod run;
mod scene;
mod snapshots;
mod unit;

pub use options::{Keeping, Live, Options};
pub use report::{Event, Format, Report, Summary, pretty};
pub use run::run;

#[cfg(test)]
mod tests;
