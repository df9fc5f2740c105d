//! What happened, as it happens, and in sum.

mod coverage;
mod json;
mod junit;
mod lcov;
mod pretty;
mod tokens;

pub use pretty::pretty;

use crate::cost::Cost;
use crate::coverage::Covered;
use model::Fault;
use std::fmt;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// So many tests are going to run.
    Begin { tests: usize },
    /// The tests of a file are about to run.
    File { name: String, tests: usize },
    Passed {
        file: String,
        test: String,
        time: Duration,
        /// Of its one call, where that is asked for.
        cost: Option<Cost>,
    },
    Failed {
        file: String,
        test: String,
        fault: Fault,
        /// Lines the test printed.
        output: Vec<String>,
        time: Duration,
    },
    /// Something worth knowing about a file, besides its tests.
    Note { file: String, text: String },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    pub total: usize,
    pub passed: usize,
    pub failed: usize,
}

impl Summary {
    pub(crate) fn count(&mut self, event: &Event) {
        match event {
            Event::Begin { .. } | Event::File { .. } | Event::Note { .. } => return,
            Event::Passed { .. } => self.passed += 1,
            Event::Failed { .. } => self.failed += 1,
        }
        self.total += 1;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { total, passed, failed } = self;
        write!(f, "Total: {total} | Passed: {passed} | Failed: {failed}")
    }
}

/// How a run is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Pretty,
    Json,
    Junit,
    /// What calls cost, as a table.
    Tokens,
}

/// A run as it is told in one of the formats.
pub struct Report {
    format: Format,
    /// Kept where all is told at the end.
    events: Vec<Event>,
    covered: Option<Covered>,
}

impl Report {
    pub fn new(format: Format) -> Self {
        Self { format, events: Vec::new(), covered: None }
    }

    /// The lines that an event is worth now, without the last line end.
    pub fn tell(&mut self, event: Event) -> Option<String> {
        match (self.format, &event) {
            (Format::Pretty, Event::Begin { .. }) => None,
            (Format::Pretty, event) => Some(pretty(event)),
            (Format::Json | Format::Junit | Format::Tokens, _) => {
                self.events.push(event);
                None
            }
        }
    }

    /// Adds which lines have run to what is told at the end.
    pub fn cover(&mut self, covered: Covered) {
        self.covered = Some(covered);
    }

    /// The lines at the end.
    pub fn end(&self, summary: &Summary) -> Option<String> {
        match self.format {
            Format::Pretty => Some(match &self.covered {
                Some(covered) => format!("{covered}\n{summary}"),
                None => summary.to_string(),
            }),
            Format::Tokens => Some(tokens::table(&self.events)),
            Format::Json => Some(json::document(&self.events, summary, self.covered.as_ref())),
            Format::Junit => Some(junit::document(&self.events, summary)),
        }
    }
}
