//! Why a request has no result: one error for calls, reads, prompts and completions, which replies,
//! batches, the audit log and metrics read.

use crate::audit::Unwritten;
use crate::life::{LastError, Life};
use crate::overload::Overload;
use crate::quota::Limited;
use crate::request::RequestReply;
use model::{Denied, Fault, Limits, Rejected, Stop, did_you_mean};
use plan::{Failure, Passing};
use script::{CallFailure, Raised};
use serde_json::Value;
use std::fmt::{self, Display};
use std::time::Duration;

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestError {
    /// `module.tool`, a prompt or a URI; where nothing was found, the name in the request.
    pub target: String,
    pub kind: RequestErrorKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RequestErrorKind {
    /// There is none of this name; similar names.
    Unknown(TargetKind, Vec<String>),
    /// Several modules have one of this name; their paths.
    Ambiguous(TargetKind, Vec<String>),
    /// A meta tool has been asked for a module or a tool that does not exist.
    Missing {
        sentence: String,
        available: Vec<String>,
    },
    UnknownArgument {
        argument: String,
        available: Vec<String>,
    },
    Rejected {
        rejected: Rejected,
        /// Signature of the tool, for callers that have not seen its schema.
        signature: Option<String>,
    },
    Failed {
        fault: Box<Fault>,
        /// Kind and data of the script's `error(…)`.
        raised: Option<Box<Raised>>,
    },
    Stopped {
        stop: Stop,
        fault: Box<Fault>,
    },
    /// The caller's role allows it, but the token lacks this scope.
    Scope(String),
    /// `call_readonly` calls no other tools.
    NotReadOnly,
    /// A script called a tool that its module may not call.
    Denied(Denied),
    Limited(Limited),
    /// It has not run, since it cannot be recorded.
    Unaudited,
    /// It has run, but its end cannot be recorded.
    Unrecorded,
    /// The script has questions, which its asker knows.
    Asks,
    Busy(Overload),
}

/// What a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    Tool,
    Resource,
    Prompt,
}

impl Display for TargetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
        })
    }
}

/// How a request ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestVerdict {
    Ok,
    /// It has questions, and will be made again with the answers.
    Asks,
    Error,
    Denied,
    Limited,
    Stopped,
}

impl RequestVerdict {
    /// The verdict on a result.
    pub(crate) fn of<T: RequestReply>(result: &Result<T, RequestError>) -> Self {
        match result {
            Ok(reply) if reply.is_error() => Self::Error,
            Ok(_) => Self::Ok,
            Err(error) => error.verdict(),
        }
    }

    /// The word in the audit log.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ok | Self::Asks => "ok",
            Self::Error => "error",
            Self::Denied => "denied",
            Self::Limited => "limited",
            Self::Stopped => "stopped",
        }
    }

    pub(crate) fn is_failure(self) -> bool {
        !matches!(self, Self::Ok | Self::Asks)
    }
}

const UNAUDITED: &str = "no call is made while the audit log cannot be written \
    (`on_error = \"refuse\"` under [audit]); try again later";

const UNRECORDED: &str = "the call has run, but its end cannot be written to the audit \
    log, so its result is withheld (`on_error = \"refuse\"` under [audit]); find out what it did \
    before you repeat it";

/// HTTP status of too many requests.
const TOO_MANY: u16 = 429;

impl RequestError {
    /// One word for programs; what the script says in `error(kind, …)`.
    pub fn code(&self) -> &str {
        self.summary().1
    }

    pub fn verdict(&self) -> RequestVerdict {
        self.summary().0
    }

    fn summary(&self) -> (RequestVerdict, &str) {
        use RequestErrorKind as Kind;
        match &self.kind {
            Kind::Unknown(..) | Kind::Missing { .. } => (RequestVerdict::Denied, "unknown"),
            Kind::Ambiguous(..) => (RequestVerdict::Error, "ambiguous"),
            Kind::UnknownArgument { .. } | Kind::Rejected { .. } => {
                (RequestVerdict::Error, "rejected")
            }
            Kind::Failed { raised, .. } => {
                let code = raised.as_ref().map_or("failed", |raised| &raised.kind);
                (RequestVerdict::Error, code)
            }
            Kind::Stopped { stop, .. } => {
                let code = match stop {
                    Stop::Cancelled => "cancelled",
                    Stop::Deadline => "timeout",
                    Stop::Ticks => "ticks",
                    Stop::Heap => "heap",
                    Stop::Memory => "memory",
                };
                (RequestVerdict::Stopped, code)
            }
            Kind::Scope(_) => (RequestVerdict::Denied, "scope"),
            Kind::NotReadOnly => (RequestVerdict::Denied, "read_only"),
            Kind::Denied(_) => (RequestVerdict::Denied, "permission"),
            Kind::Unaudited | Kind::Unrecorded => (RequestVerdict::Denied, "audit"),
            Kind::Asks => (RequestVerdict::Asks, "asks"),
            Kind::Limited(limited) => (RequestVerdict::Limited, limited.limit),
            Kind::Busy(overload) => (RequestVerdict::Limited, overload.limit()),
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        let is_busy = matches!(self.kind, RequestErrorKind::Busy(_) | RequestErrorKind::Unaudited);
        is_busy || self.passing().is_some()
    }

    /// The client has to answer questions first.
    pub fn is_question(&self) -> bool {
        self.kind == RequestErrorKind::Asks
    }

    /// The limit that ended it, or its caller.
    pub fn stop(&self) -> Option<Stop> {
        match &self.kind {
            RequestErrorKind::Stopped { stop, .. } => Some(*stop),
            _ => None,
        }
    }

    /// Where a script went wrong, for its author.
    pub fn fault(&self) -> Option<&Fault> {
        match &self.kind {
            RequestErrorKind::Failed { fault, .. } | RequestErrorKind::Stopped { fault, .. } => {
                Some(fault)
            }
            _ => None,
        }
    }

    /// Kind and data of the script's `error(…)`.
    pub fn raised(&self) -> Option<&Raised> {
        match &self.kind {
            RequestErrorKind::Failed { raised, .. } => raised.as_deref(),
            _ => None,
        }
    }

    /// What may pass if a batch tries again.
    fn passing(&self) -> Option<Passing> {
        match &self.kind {
            RequestErrorKind::Stopped { stop: Stop::Deadline, .. } => Some(Passing::Timeout),
            RequestErrorKind::Limited(_) => Some(Passing::Status(TOO_MANY)),
            _ => {
                let status = self.raised()?.data.get("status").and_then(Value::as_u64);
                let status = status.and_then(|status| u16::try_from(status).ok());
                // An error that says when to come back is one that may pass.
                let status = status.or(self.retry_after().map(|_| TOO_MANY));
                status.map(Passing::Status)
            }
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match &self.kind {
            RequestErrorKind::Limited(limited) => Some(limited.retry_after),
            _ => self.raised()?.data.get("retry_after").and_then(seconds),
        }
    }
}

/// `60`, `1.5`, `"60s"`.
fn seconds(value: &Value) -> Option<Duration> {
    match value {
        Value::String(text) => model::parse_duration(text).ok(),
        Value::Number(number) => model::parse_duration(&number.to_string()).ok(),
        _ => None,
    }
}

impl From<&RequestError> for Failure {
    fn from(error: &RequestError) -> Self {
        Self {
            passing: error.passing(),
            retry_after: error.retry_after(),
            ..Self::new(error.code(), error.to_string())
        }
    }
}

impl RequestErrorKind {
    pub(crate) fn of(self, target: impl Into<String>) -> RequestError {
        RequestError { target: target.into(), kind: self }
    }

    pub(crate) fn rejected(rejected: Rejected) -> Self {
        Self::Rejected { rejected, signature: None }
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed { fault: Box::new(Fault::new(message)), raised: None }
    }

    pub(crate) fn stopped(stop: Stop, limits: &Limits) -> Self {
        let fault = Box::new(Fault::new(stop.sentence(limits)));
        Self::Stopped { stop, fault }
    }

    /// The author reads what the caller does not: the place, and what was raised.
    pub(crate) fn report(&self, name: &impl Display, life: &Life) {
        let (fault, raised) = match self {
            Self::Failed { fault, raised } => (fault, raised.as_deref()),
            Self::Stopped { fault, .. } => (fault, None),
            _ => return,
        };
        let why = raised.map_or_else(|| fault.message.clone(), Raised::with_kind);
        tracing::debug!(target: "script", report = %fault, "{name} failed: {why}");
        life.failed(LastError {
            of: name.to_string(),
            message: fault.message.clone(),
            kind: raised.map(|raised| raised.kind.clone()),
            data: raised.map(|raised| raised.data.clone()),
            report: fault.to_string(),
        });
    }
}

impl From<CallFailure> for RequestErrorKind {
    fn from(failure: CallFailure) -> Self {
        match failure {
            CallFailure::Failed { fault, raised } => {
                Self::Failed { fault: Box::new(fault), raised: raised.map(Box::new) }
            }
            CallFailure::Stopped { stop, fault } => Self::Stopped { stop, fault: Box::new(fault) },
            CallFailure::Asks => Self::Asks,
            CallFailure::NeedsThread => Self::failed("the call was given up as if it were inline"),
        }
    }
}

impl From<Unwritten> for RequestErrorKind {
    fn from(unwritten: Unwritten) -> Self {
        if unwritten.has_run { Self::Unrecorded } else { Self::Unaudited }
    }
}

impl From<Limited> for RequestErrorKind {
    fn from(limited: Limited) -> Self {
        Self::Limited(limited)
    }
}

impl From<Denied> for RequestErrorKind {
    fn from(denied: Denied) -> Self {
        Self::Denied(denied)
    }
}

impl std::error::Error for RequestError {}

impl Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use RequestErrorKind as Kind;
        let target = &self.target;
        match &self.kind {
            Kind::Unknown(kind, similar) => {
                write!(f, "there is no {kind} `{target}`{}", suggest(similar))
            }
            Kind::Ambiguous(kind, paths) => {
                let verb = if *kind == TargetKind::Tool { "call" } else { "get" };
                let paths = either(paths);
                write!(f, "several modules have a {kind} `{target}`: {verb} {paths}")
            }
            Kind::Missing { sentence, .. } => f.write_str(sentence),
            Kind::UnknownArgument { argument, available } => {
                let near = near_argument(argument, available);
                write!(f, "{target} has no argument `{argument}`{near}")
            }
            Kind::Rejected { rejected, .. } => rejected.fmt(f),
            Kind::Failed { fault, .. } | Kind::Stopped { fault, .. } => f.write_str(&fault.message),
            Kind::Scope(scope) => {
                write!(f, "`{target}` needs the scope `{scope}`, which your token does not have")
            }
            Kind::NotReadOnly => {
                write!(f, "`{target}` is not declared read-only; `call` and `batch` can call it")
            }
            Kind::Denied(denied) => denied.fmt(f),
            Kind::Limited(limited) => limited.fmt(f),
            Kind::Unaudited => f.write_str(UNAUDITED),
            Kind::Unrecorded => f.write_str(UNRECORDED),
            Kind::Asks => write!(f, "`{target}` has questions that its client has to answer first"),
            Kind::Busy(overload) => overload.fmt(f),
        }
    }
}

/// Returns `; did you mean …?`, or nothing without similar names.
pub(crate) fn suggest(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        similar => format!("; did you mean {}?", either(similar)),
    }
}

fn either(paths: &[String]) -> String {
    let quoted: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    quoted.join(" or ")
}

fn near_argument(argument: &str, available: &[String]) -> String {
    match did_you_mean(argument, available.iter().map(String::as_str)) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if available.is_empty() => "; it has none".into(),
        None => format!("; there are {}", available.join(", ")),
    }
}
