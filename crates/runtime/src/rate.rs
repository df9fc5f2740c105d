//! How often a module may ask a host. Who comes too early is told when to come back.

use model::{HostError, ModuleName, Site};
use parking_lot::Mutex;
use settings::Rate;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

/// The rates of every module. A module that is loaded again goes on where it was: else each saving
/// of a file would give it all its turns anew.
#[derive(Debug, Default)]
pub(crate) struct AllRates(Mutex<BTreeMap<ModuleName, Arc<Rates>>>);

/// Shared by all calls of one module.
#[derive(Debug, Default)]
pub(crate) struct Rates(Vec<Arc<Turns>>);

impl Rates {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The turns taken lately at what one name in the manifest stands for.
#[derive(Debug)]
struct Turns {
    name: String,
    rate: Rate,
    /// As many as the rate allows, oldest first; the last ones may lie ahead. Who has left the
    /// stretch that the rate is about is forgotten.
    taken: Mutex<VecDeque<Instant>>,
}

impl AllRates {
    /// A rate that is as it was keeps its turns.
    pub(crate) fn of(&self, module: &ModuleName, rates: &BTreeMap<String, Rate>) -> Arc<Rates> {
        let mut all = self.0.lock();
        let old = all.get(module).map_or(&[][..], |rates| &rates.0);
        let turns = rates.iter().map(|(name, rate)| {
            let same = |turns: &&Arc<Turns>| turns.name == *name && turns.rate == *rate;
            let kept = old.iter().find(same).cloned();
            kept.unwrap_or_else(|| Arc::new(Turns::new(name, *rate)))
        });
        let rates = Arc::new(Rates(turns.collect()));
        all.insert(module.clone(), Arc::clone(&rates));
        rates
    }
}

impl model::Turns for Rates {
    /// A turn at every name that the site goes by.
    fn take(&self, site: &Site, until: Instant) -> Result<Instant, HostError> {
        let mut last = Instant::now();
        for turns in self.0.iter().filter(|turns| site.matches(&turns.name)) {
            last = last.max(turns.take(until)?);
        }
        Ok(last)
    }
}

impl Turns {
    fn new(name: &str, rate: Rate) -> Self {
        Self { name: name.to_owned(), rate, taken: Mutex::default() }
    }

    /// When the turn is, unless that is too late.
    fn take(&self, until: Instant) -> Result<Instant, HostError> {
        let mut taken = self.taken.lock();
        let now = Instant::now();
        while taken.front().is_some_and(|turn| *turn + self.rate.per <= now) {
            taken.pop_front();
        }
        let full = taken.len() >= self.rate.count as usize;
        let first = taken.front().filter(|_| full);
        let turn = first.map_or(now, |first| *first + self.rate.per);
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::Turns as _;
    use std::time::Duration;

    fn named(rates: &[(&str, &str)]) -> BTreeMap<String, Rate> {
        let named = rates.iter();
        named.map(|(name, rate)| ((*name).to_owned(), rate.parse().unwrap())).collect()
    }

    fn rates(name: &str, rate: &str) -> Arc<Rates> {
        AllRates::default().of(&module("x"), &named(&[(name, rate)]))
    }

    fn module(name: &str) -> ModuleName {
        name.parse().unwrap()
    }

    fn in_time(time: Duration) -> Instant {
        Instant::now() + time
    }

    fn take(rates: &Rates, url: &str, until: Instant) -> Result<Instant, HostError> {
        rates.take(&Site::read(url).unwrap(), until)
    }

    #[test]
    fn no_stretch_of_time_holds_more_turns_than_the_rate_allows() {
        let rates = rates("a.test", "3/s");
        let far = in_time(Duration::from_mins(1));
        let turns: Vec<Instant> =
            (0..10).map(|_| take(&rates, "http://a.test/", far).unwrap()).collect();
        for four in turns.windows(4) {
            assert!(four[3] - four[0] >= Duration::from_secs(1), "{four:?}");
        }
        assert!(turns[2] < in_time(Duration::ZERO), "{turns:?}");
    }

    #[test]
    fn a_turn_that_comes_too_late_is_not_taken() {
        let rates = rates("*.a.test", "1/m");
        let take = |time| take(&rates, "https://b.a.test/c?d", in_time(time));
        let first = take(Duration::ZERO + Duration::from_secs(1)).unwrap();
        let expected = "*.a.test may be asked 1/m (limit `http_rate`), and the next turn comes too \
                        late for this call";
        let late = take(Duration::from_secs(30));
        assert_eq!(late, Err(HostError(expected.into())));
        // Whoever has more time gets it.
        let second = take(Duration::from_secs(90));
        assert_eq!(second, Ok(first + Duration::from_mins(1)));
    }

    #[test]
    fn others_are_not_held_up() {
        let rates = rates("a.test", "1/h");
        let soon = in_time(Duration::from_secs(1));
        assert!(take(&rates, "http://a.test/", soon).is_ok());
        for url in ["http://b.test/", "http://a.test:81/", "http://b.test/"] {
            assert!(take(&rates, url, soon).unwrap() < soon, "{url}");
        }
    }

    /// What a module asked before it was loaded again counts, unless its rate is another.
    #[test]
    fn a_module_that_is_loaded_again_goes_on_where_it_was() {
        let all = AllRates::default();
        let of = |name: &str, rates: &[(&str, &str)]| all.of(&module(name), &named(rates));
        let soon = in_time(Duration::from_secs(1));
        let free =
            |rates: &Rates, host: &str| take(rates, &format!("http://{host}/"), soon).is_ok();
        let first = of("x", &[("a.test", "1/h"), ("b.test", "1/h")]);
        assert!(free(&first, "a.test") && free(&first, "b.test"));
        let again = of("x", &[("a.test", "1/h"), ("b.test", "1/m")]);
        assert!(!free(&again, "a.test") && free(&again, "b.test"));
        assert!(free(&of("y", &[("a.test", "1/h")]), "a.test"));
        // The old version's last calls and the new one's share.
        assert!(!free(&first, "a.test"));
    }
}
