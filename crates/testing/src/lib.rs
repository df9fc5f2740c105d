//! `larkspur test`: finds the tests beside the modules, runs each one afresh and tells how it went.

mod affected;
mod cost;
mod coverage;
mod find;
mod hall;
mod options;
mod printed;
mod recording;
mod report;
mod run;
mod save;
mod scene;
mod snapshots;
mod test_data;
mod unit;

pub use affected::affected;
pub use cost::{Cost, Size};
pub use coverage::{Covered, CoveredFile};
pub use options::{Keeping, Live, Options};
pub use recording::Recorder;
pub use report::{Event, Format, Report, Summary, pretty};
pub use run::run;
pub use save::{Draft, Made};
pub use scene::reply;
pub use script::{Coverage, Reply};
pub use unit::LOAD;

#[cfg(test)]
mod tests;
