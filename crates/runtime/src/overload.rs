//! Why a call was not made though nothing is wrong with it: the server has no room for it now.

use model::show_duration;
use std::fmt;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overload {
    /// As many calls wait as may.
    QueueFull { waiting: usize, limit: &'static str },
    /// As many calls ran as may, for as long as this one could wait.
    NoPermit { waited: Duration, limit: &'static str },
    /// The process used all the memory it may, for as long as this call could wait.
    NoMemory { waited: Duration },
    /// Too many threads ignore their deadline.
    AbandonedThreads(String),
}

impl Overload {
    /// The name of the setting, as metrics and the audit log show it.
    pub fn limit(&self) -> &'static str {
        match self {
            Self::QueueFull { limit, .. } | Self::NoPermit { limit, .. } => limit,
            Self::NoMemory { .. } => "memory",
            Self::AbandonedThreads(_) => "abandoned_threads",
        }
    }
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::QueueFull { waiting, limit } => write!(
                f,
                "too many calls{} are waiting ({waiting}); try again in a moment (limit `{limit}`)",
                whose(limit)
            ),
            Self::NoPermit { waited, limit } => write!(
                f,
                "the call waited {} while as many calls{} ran as may; try again in a moment (limit \
                 `{limit}`)",
                show_duration(*waited),
                whose(limit)
            ),
            Self::NoMemory { waited } => write!(
                f,
                "the call waited {} while the server used all the memory it may; try again in a \
                 moment (limit `memory`)",
                show_duration(*waited)
            ),
            Self::AbandonedThreads(why) => f.write_str(why),
        }
    }
}

fn whose(limit: &str) -> &'static str {
    match limit {
        "caller_calls" => " of this caller",
        "module_calls" => " of this module",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_says_what_happened() {
        let waited = Duration::from_secs(30);
        let cases = [
            (
                Overload::QueueFull { waiting: 1024, limit: "queue" },
                "too many calls are waiting (1024); try again in a moment (limit `queue`)",
            ),
            (
                Overload::NoPermit { waited, limit: "calls" },
                "the call waited 30 s while as many calls ran as may; try again in a moment (limit \
                 `calls`)",
            ),
            (
                Overload::NoPermit { waited, limit: "caller_calls" },
                "the call waited 30 s while as many calls of this caller ran as may; try again in a \
                 moment (limit `caller_calls`)",
            ),
        ];
        for (overload, message) in cases {
            assert_eq!(overload.to_string(), message);
        }
    }
}
