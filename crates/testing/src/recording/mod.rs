//! What the world answered once, kept so that a test can run without it: recorded with `--record`,
//! and played from then on.

mod answer;
mod body;
mod disguise;
mod file;
mod headers;
mod hidden;
mod recorder;
mod replayer;
mod request;
mod tape;

pub(crate) use file::Recordings;
pub use recorder::Recorder;
pub(crate) use tape::Tape;

use answer::Answer;
use request::Request;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All that one test was answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recording {
    /// When it was, in milliseconds after 1970, if somebody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clock: Option<i64>,
    /// Variables that were read, with what stands in for their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
    /// Secrets that were used, likewise.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    secrets: BTreeMap<String, String>,
    exchanges: Vec<Exchange>,
}

/// A request, and what was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchange {
    request: Request,
    answer: Answer,
}

impl Recording {
    /// Was nothing asked of the world?
    pub(crate) fn is_empty(&self) -> bool {
        self.exchanges.is_empty() && self.env.is_empty() && self.secrets.is_empty()
    }
}
