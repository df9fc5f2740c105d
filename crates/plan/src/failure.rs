//! Why a call gave no result, as far as a plan has to know.

use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// One word for programs: `rejected`, `timeout`, `http_503`.
    pub code: String,
    /// A sentence for people and models.
    pub message: String,
    /// What may pass if it is tried again.
    pub passing: Option<Passing>,
    /// How long whoever failed wants to be left alone.
    pub retry_after: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// The service behind the tool answered with this HTTP status.
    Status(u16),
    Timeout,
}

impl Failure {
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), passing: None, retry_after: None }
    }

    #[must_use]
    pub fn passing(mut self, passing: Passing) -> Self {
        self.passing = Some(passing);
        self
    }

    #[must_use]
    pub fn retry_after(mut self, time: Option<Duration>) -> Self {
        self.retry_after = time;
        self
    }
}
