//! Calls as somebody at the server's terminal sees them: which tool, how long, how it ended.

use crate::request::{RequestError, RequestReply, RequestVerdict};
use crate::runtime::Runtime;
use std::fmt::Display;
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
    pub verdict: RequestVerdict,
    /// What the caller reads of a failure.
    pub error: Option<String>,
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
            tool: name.to_owned(),
            begin: Instant::now(),
        })
    }
}

impl Observed {
    /// The request is for `module.name`.
    pub(crate) fn found(&mut self, target: &impl Display) {
        self.tool = target.to_string();
    }

    /// The caller has disconnected.
    pub(crate) fn cancel(self) {
        self.report(RequestVerdict::Stopped, Some("the call was cancelled".into()));
    }

    pub(crate) fn end<T: RequestReply>(self, result: &Result<T, RequestError>) {
        let verdict = RequestVerdict::of(result);
        let error = verdict.is_failure().then(|| match result {
            Ok(reply) => reply.error_text(),
            Err(error) => error.to_string(),
        });
        self.report(verdict, error);
    }

    fn report(self, verdict: RequestVerdict, error: Option<String>) {
        (self.observer)(&Called { tool: self.tool, took: self.begin.elapsed(), verdict, error });
    }
}
