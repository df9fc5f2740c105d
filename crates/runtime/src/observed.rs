//! Calls as somebody at the server's terminal sees them: which tool, how long, how it ended.

use crate::call::CallError;
use crate::catalog::{Catalog, Lookup};
use crate::runtime::Runtime;
use model::Output;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Hears of every call that has ended; what it was given and what it gave is none of its business.
pub type Observer = Arc<dyn Fn(&Called) + Send + Sync>;

/// A call that has ended.
#[derive(Debug, Clone)]
pub struct Called {
    /// `module.tool`, or what was asked for where there is no such tool.
    pub tool: String,
    pub took: Duration,
    pub end: End,
}

#[derive(Debug, Clone)]
pub enum End {
    Answered,
    /// It has questions first, and will be called again with the answers.
    Asked,
    /// Its error, as the caller reads it.
    Failed(String),
}

/// A call while it goes on.
pub(crate) struct Observed {
    observer: Observer,
    tool: String,
    begin: Instant,
}

impl Runtime {
    /// Nothing, where nobody looks.
    pub(crate) fn observe(&self, name: &str) -> Option<Observed> {
        Some(Observed {
            observer: Arc::clone(self.observer()?),
            tool: full_name(&self.catalog(), name),
            begin: Instant::now(),
        })
    }
}

impl Observed {
    /// The caller has disconnected.
    pub(crate) fn cancel(self) {
        self.report(End::Failed("the call was cancelled".into()));
    }

    pub(crate) fn end(self, result: &Result<Output, CallError>) {
        let end = match result {
            Ok(output) if output.is_error => End::Failed(output.plain_text()),
            Ok(_) => End::Answered,
            Err(CallError::Asks { .. }) => End::Asked,
            Err(error) => End::Failed(error.to_string()),
        };
        self.report(end);
    }

    fn report(self, end: End) {
        (self.observer)(&Called {
            tool: self.tool,
            took: self.begin.elapsed(),
            end,
        });
    }
}

fn full_name(catalog: &Catalog, name: &str) -> String {
    match catalog.lookup(name) {
        Lookup::Found(handle) => handle.path().to_string(),
        _ => name.to_owned(),
    }
}
