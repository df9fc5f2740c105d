//! How long something outside may take, and by whose word: its call's, its own, or the operator's.

use model::{HostError, Leash, show_duration};
use std::time::{Duration, Instant};

#[derive(Debug, Clone)]
pub(crate) struct Term {
    leash: Leash,
    /// For a sentence: "within 30 s", and why.
    pub(crate) words: String,
}

impl Term {
    /// The shortest of what is left of the call, what the author asked for, and the limit of this
    /// name.
    pub(crate) fn new(leash: &Leash, own: Option<Duration>, most: Duration, limit: &str) -> Self {
        let own = own.filter(|own| *own <= most);
        let time = own.unwrap_or(most);
        let words = if leash.left() <= time {
            "in the time of the call (limit `timeout`)".into()
        } else if own.is_some() {
            format!("within {}, its own `timeout`", show_duration(time))
        } else {
            format!("within {} (limit `{limit}`)", show_duration(time))
        };
        Self { leash: leash.within(Some(time)), words }
    }

    pub(crate) fn until(&self) -> Instant {
        self.leash.until
    }

    pub(crate) fn left(&self) -> Duration {
        self.leash.left()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.leash.cancel.is_cancelled()
    }

    /// Why work must end, if it must.
    pub(crate) fn over(&self) -> Option<HostError> {
        if self.is_cancelled() {
            return Some(HostError("the call was cancelled".into()));
        }
        let is_up = self.left().is_zero();
        is_up.then(|| HostError(format!("no answer {}", self.words)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Cancel;

    #[test]
    fn the_shortest_time_holds_and_is_named() {
        let seconds = Duration::from_secs;
        for (call, own, most, left, words) in [
            (9, None, 5, 5, "within 5 s (limit `x_time`)"),
            (9, Some(3), 5, 3, "within 3 s, its own `timeout`"),
            (9, Some(7), 5, 5, "within 5 s (limit `x_time`)"),
            (2, None, 5, 2, "in the time of the call (limit `timeout`)"),
            (2, Some(3), 5, 2, "in the time of the call (limit `timeout`)"),
        ] {
            let leash = Leash { until: Instant::now() + seconds(call), cancel: Cancel::default() };
            let term = Term::new(&leash, own.map(seconds), seconds(most), "x_time");
            assert_eq!(term.words, words);
            assert!(term.left() <= seconds(left) && term.left() > seconds(left - 1));
        }
    }
}
