//! Bounds on one evaluation of a script, and which of them ended it.

use std::time::Duration;

/// What one call, or the loading of one file, may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub time: Duration,
    /// Loop turns and calls.
    pub ticks: u64,
    /// Everything allocated during the evaluation: nothing is freed before it ends.
    pub heap_bytes: usize,
    pub call_depth: usize,
    pub result_bytes: usize,
    /// Nesting of a value on its way in or out.
    pub value_depth: usize,
    pub source_bytes: usize,
    /// Nesting of brackets and blocks in a source file.
    pub source_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            ticks: 50_000_000,
            heap_bytes: 256 << 20,
            call_depth: 200,
            result_bytes: 16 << 20,
            value_depth: 128,
            source_bytes: 1 << 20,
            source_depth: 100,
        }
    }
}

impl Limits {
    /// Loading is bounded more tightly: what it leaves behind stays for the life of the module.
    #[must_use]
    pub fn for_loading(&self) -> Self {
        Self {
            time: self.time.min(Duration::from_secs(10)),
            heap_bytes: self.heap_bytes.min(64 << 20),
            ..self.clone()
        }
    }
}

/// Why an evaluation was ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The caller took the call back.
    Cancelled,
    Deadline,
    Ticks,
    Heap,
    /// The whole process uses all the memory it may, and the call has waited for it.
    Memory,
}

impl Stop {
    /// One sentence for the caller: which limit, how much, which setting.
    pub fn sentence(self, limits: &Limits) -> String {
        match self {
            Self::Cancelled => "the call was cancelled".into(),
            Self::Deadline => format!(
                "stopped after {}, the time one call may take (limit `timeout`)",
                show_duration(limits.time)
            ),
            Self::Ticks => format!(
                "stopped after {} steps, the most one call may take (limit `ticks`)",
                limits.ticks
            ),
            Self::Heap => format!(
                "stopped at {} MiB of memory, the most one call may use (limit `heap`)",
                limits.heap_bytes >> 20
            ),
            Self::Memory => {
                "stopped while it waited for memory: the server uses all it may (limit \
                             `memory`); try again in a moment"
                    .into()
            }
        }
    }
}

/// `24 h`, `30 s`, `1500 ms`.
pub fn show_duration(time: Duration) -> String {
    if time.subsec_nanos() == 0 && time.as_secs() > 0 && time.as_secs().is_multiple_of(3600) {
        format!("{} h", time.as_secs() / 3600)
    } else if time.subsec_millis() == 0 && time.as_secs() > 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{} ms", time.as_millis())
    }
}

/// `500ms`, `30s`, `2m`, or a number of seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => {
            return Err(format!("`{text}` is not a duration; write `500ms`, `30s` or `2m`"));
        }
    };
    match number.trim().parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 && seconds.is_finite() => {
            Duration::try_from_secs_f64(seconds * scale)
                .map_err(|_| format!("`{text}` is too long a duration"))
        }
        _ => Err(format!("`{text}` is not a duration; write `500ms`, `30s` or `2m`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        let check = |text: &str, millis: Option<u128>| {
            assert_eq!(parse_duration(text).ok().map(|d| d.as_millis()), millis, "{text}");
        };
        check("500ms", Some(500));
        check("30s", Some(30_000));
        check("2m", Some(120_000));
        check("1.5", Some(1_500));
        check("-1s", None);
        check("soon", None);
        check("1e300h", None);
    }

    #[test]
    fn a_stop_names_its_limit() {
        let limits = Limits::default();
        assert_eq!(
            Stop::Deadline.sentence(&limits),
            "stopped after 30 s, the time one call may take (limit `timeout`)"
        );
        assert_eq!(
            Stop::Heap.sentence(&limits),
            "stopped at 256 MiB of memory, the most one call may use (limit `heap`)"
        );
    }
}
