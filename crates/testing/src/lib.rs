//! `larkspur test`: finds the tests beside the modules, runs each one afresh and tells how it went.

mod fake;
mod find;
mod report;
mod run;

pub use report::{Event, Summary, pretty};
pub use run::{Options, run};

#[cfg(test)]
mod tests;
