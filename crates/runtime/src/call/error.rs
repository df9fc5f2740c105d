//! Why a call gave no output, in one sentence each.

use crate::audit::Unwritten;
use crate::catalog::Handle;
use crate::errand::Ended;
use crate::overload::Overload;
use crate::quota::Limited;
use model::{Denied, Fault, Output, Rejected, Stop, ToolPath};
use script::Raised;
use std::fmt::Display;

/// Why a call gave no output.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CallError {
    #[error("there is no tool `{name}`{}", suggest(.available))]
    Unknown {
        name: String,
        available: Vec<String>,
    },
    #[error("several modules have a tool `{name}`: call {}", either(.paths))]
    Ambiguous { name: String, paths: Vec<ToolPath> },
    /// Of what a meta tool was asked for.
    #[error("{sentence}")]
    Missing {
        sentence: String,
        /// Similar names.
        available: Vec<String>,
    },
    #[error("{rejected}")]
    Rejected {
        /// `module.tool`, or a meta tool.
        tool: String,
        rejected: Rejected,
        /// Signature of the tool, for callers that have not seen its schema.
        signature: Option<String>,
    },
    #[error("{}", .fault.message)]
    Failed {
        tool: ToolPath,
        fault: Fault,
        raised: Option<Raised>,
    },
    #[error("{}", .fault.message)]
    Stopped {
        tool: ToolPath,
        stop: Stop,
        fault: Fault,
    },
    /// A token may lack it where a role allows it.
    #[error("{}", lacking(.tool, .scope))]
    Scope { tool: ToolPath, scope: String },
    /// `call_readonly` calls no other tools.
    #[error("`{tool}` is not declared read-only; `call` and `batch` can call it")]
    NotReadOnly { tool: ToolPath },
    /// A script called a tool that its module may not call.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// It was not made: somebody has had his share.
    #[error(transparent)]
    Limited(#[from] Limited),
    #[error("{UNAUDITED}")]
    Unaudited,
    #[error("{UNRECORDED}")]
    Unrecorded,
    /// It has questions first: its asker knows them.
    #[error("`{tool}` has questions that its client has to answer first")]
    Asks { tool: ToolPath },
    #[error("{0}")]
    Busy(Overload),
}

/// Message of a call that does not run, since it cannot be recorded.
pub(crate) const UNAUDITED: &str = "no call is made while the audit log cannot be written \
    (`on_error = \"refuse\"` under [audit]); try again later";

/// Message of a call that has run, and whose end cannot be recorded.
pub(crate) const UNRECORDED: &str = "the call has run, but its end cannot be written to the audit \
    log, so its result is withheld (`on_error = \"refuse\"` under [audit]); find out what it did \
    before you repeat it";

pub(crate) fn lacking(what: &dyn Display, scope: &str) -> String {
    format!("`{what}` needs the scope `{scope}`, which your token does not have")
}

/// Returns `; did you mean …?`, or nothing without similar names.
pub(crate) fn suggest(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        similar => format!("; did you mean {}?", either(similar)),
    }
}

pub(crate) fn either(paths: &[impl Display]) -> String {
    paths
        .iter()
        .map(|path| format!("`{path}`"))
        .collect::<Vec<_>>()
        .join(" or ")
}

impl From<Unwritten> for CallError {
    fn from(unwritten: Unwritten) -> Self {
        if unwritten.has_run {
            Self::Unrecorded
        } else {
            Self::Unaudited
        }
    }
}

impl CallError {
    /// What ended it from outside, if that is how it ended.
    pub(crate) fn stop(&self) -> Option<Stop> {
        match self {
            Self::Stopped { stop, .. } => Some(*stop),
            _ => None,
        }
    }

    pub(super) fn of(handle: &Handle, ended: Ended) -> Self {
        ended.report(handle, &handle.module.life);
        let tool = handle.path();
        match ended {
            Ended::Failed { fault, raised } => Self::Failed {
                tool,
                fault,
                raised,
            },
            Ended::Stopped { stop, fault } => Self::Stopped { tool, stop, fault },
            Ended::Asks => Self::Asks { tool },
            Ended::Busy(overload) => Self::Busy(overload),
        }
    }
}

pub(super) fn has_failed(result: &Result<Output, CallError>) -> bool {
    match result {
        Ok(output) => output.is_error,
        Err(CallError::Asks { .. }) => false,
        Err(_) => true,
    }
}
