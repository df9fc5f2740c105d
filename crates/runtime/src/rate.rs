//! How often a module may ask a host. Who comes too early waits, within the time it has.

use model::{HostError, Leash, Rate, Site};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Cancelling is looked at this often.
const LOOK: Duration = Duration::from_millis(50);

/// Shared by all calls of one module.
#[derive(Debug, Default)]
pub(crate) struct Rates(Vec<Turns>);

/// The turns taken lately at what one name in the manifest stands for.
#[derive(Debug)]
struct Turns {
    name: String,
    rate: Rate,
    /// As many as the rate allows, oldest first; the last ones may lie ahead.
    taken: Mutex<VecDeque<Instant>>,
}

impl Rates {
    pub(crate) fn new(rates: &BTreeMap<String, Rate>) -> Self {
        let turns = rates.iter().map(|(name, rate)| Turns {
            name: name.clone(),
            rate: *rate,
            taken: Mutex::default(),
        });
        Self(turns.collect())
    }

    /// Waits for a turn at every name that the URL's site goes by.
    pub(crate) fn wait(&self, url: &str, leash: &Leash) -> Result<(), HostError> {
        if self.0.is_empty() {
            return Ok(());
        }
        // What is not a URL is refused by those who know how to say it.
        let Some(site) = Site::read(url) else {
            return Ok(());
        };
        for turns in self.0.iter().filter(|turns| site.matches(&turns.name)) {
            wait_until(turns.take(leash.until)?, leash)?;
        }
        Ok(())
    }
}

impl Turns {
    /// When the turn is, unless that is too late.
    fn take(&self, until: Instant) -> Result<Instant, HostError> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let full = taken.len() >= self.rate.count as usize;
        let first = taken.front().filter(|_| full);
        let turn = first.map_or(now, |first| now.max(*first + self.rate.per));
        if turn > until {
            return Err(HostError(format!(
                "{} may be asked {} (limit `http_rate`), and the next turn comes too late for this \
                 call",
                self.name, self.rate
            )));
        }
        if full {
            taken.pop_front();
        }
        taken.push_back(turn);
        Ok(turn)
    }
}

fn wait_until(turn: Instant, leash: &Leash) -> Result<(), HostError> {
    loop {
        if leash.cancel.is_cancelled() {
            return Err(HostError("the call was cancelled".into()));
        }
        let left = turn.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::park_timeout(left.min(LOOK));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Cancel;

    fn rates(name: &str, rate: &str) -> Rates {
        Rates::new(&BTreeMap::from([(name.to_owned(), rate.parse().unwrap())]))
    }

    fn leash(millis: u64) -> Leash {
        Leash {
            until: Instant::now() + Duration::from_millis(millis),
            cancel: Cancel::default(),
        }
    }

    #[test]
    fn no_stretch_of_time_holds_more_turns_than_the_rate_allows() {
        let rates = rates("a.test", "3/s");
        let far = Instant::now() + Duration::from_mins(1);
        let turns: Vec<Instant> = (0..10).map(|_| rates.0[0].take(far).unwrap()).collect();
        for pair in turns.windows(4) {
            assert!(pair[3] - pair[0] >= Duration::from_secs(1), "{pair:?}");
        }
    }

    #[test]
    fn a_turn_that_comes_too_late_is_not_waited_for() {
        let rates = rates("*.a.test", "1/h");
        let started = Instant::now();
        let wait = || rates.wait("https://b.a.test/c?d", &leash(30_000));
        assert_eq!(wait(), Ok(()));
        let expected = "*.a.test may be asked 1/h (limit `http_rate`), and the next turn comes too \
                        late for this call";
        assert_eq!(wait(), Err(HostError(expected.into())));
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn others_are_not_held_up() {
        let rates = rates("a.test", "1/h");
        for url in [
            "http://b.test/",
            "http://a.test:81/",
            "no url",
            "http://b.test/",
        ] {
            assert_eq!(rates.wait(url, &leash(0)), Ok(()), "{url}");
        }
    }

    #[test]
    fn a_turn_is_waited_for() {
        let rates = rates("a.test", "2/s");
        let started = Instant::now();
        for _ in 0..3 {
            rates.wait("http://a.test/", &leash(30_000)).unwrap();
        }
        assert!(started.elapsed() >= Duration::from_secs(1));
    }

    #[test]
    fn a_call_that_is_taken_back_stops_waiting() {
        let rates = rates("a.test", "1/m");
        let leash = Leash {
            until: Instant::now() + Duration::from_mins(10),
            cancel: Cancel::default(),
        };
        rates.wait("http://a.test/", &leash).unwrap();
        let cancel = leash.cancel.clone();
        let waiting = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| rates.wait("http://a.test/", &leash));
            cancel.cancel();
            waiting.join().unwrap()
        });
        assert_eq!(waiting, Err(HostError("the call was cancelled".into())));
    }
}
