//! Somebody who comes too often, and when he may come back.

use model::ModuleName;
use settings::Rate;
use std::time::Duration;

/// Why a call was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}; try again in {}", shown(*.retry_after))]
pub struct Limited {
    sentence: String,
    /// The name of the setting.
    pub limit: &'static str,
    pub retry_after: Duration,
}

/// Which of them.
#[derive(Clone, Copy)]
pub(super) enum Limit<'a> {
    Caller,
    Module(&'a ModuleName),
    /// Of the module itself.
    Own(&'a ModuleName),
}

impl Limit<'_> {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Caller => "caller_rate",
            Self::Module(_) => "module_rate",
            Self::Own(_) => "rate",
        }
    }
}

impl Limited {
    pub(super) fn new(limit: Limit<'_>, rate: Rate, retry_after: Duration) -> Self {
        let setting = limit.name();
        let sentence = match limit {
            Limit::Caller => format!("one caller may make {rate} calls (limit `{setting}`)"),
            Limit::Module(module) => {
                format!("module `{module}` may be called {rate} (limit `{setting}`)")
            }
            Limit::Own(module) => {
                format!(
                    "module `{module}` may be called {rate} (`{setting}` under [module.{module}])"
                )
            }
        };
        Self { sentence, limit: setting, retry_after }
    }

    /// Whole seconds, so that nobody comes too early.
    pub fn retry_after_seconds(&self) -> u64 {
        let time = self.retry_after;
        (time.as_secs() + u64::from(time.subsec_nanos() > 0)).max(1)
    }
}

/// Rounded up: `300 ms`, `2 s`.
fn shown(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        let millis = time.as_nanos().div_ceil(1_000_000).max(1);
        return format!("{millis} ms");
    }
    format!("{} s", time.as_secs() + u64::from(time.subsec_nanos() > 0))
}
