//! Of all who want the same token renewed at the same time, one goes, and the others wait for him.

use crate::opened::{PlaceKey, place_key};
use model::Leash;
use parking_lot::{Condvar, Mutex};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use store::Place;

/// Those who wait look this often whether their call is still wanted.
const LOOK: Duration = Duration::from_millis(50);
/// What has failed just now is not tried again at once.
const FAILED_FOR: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(crate) struct Flights {
    under_way: Mutex<HashMap<PlaceKey, Flight>>,
    changed: Condvar,
}

#[derive(Default)]
struct Flight {
    is_under_way: bool,
    failed: Option<(u64, Instant, String)>,
}

/// Whoever has it may go; dropping it lets the others on.
pub(crate) struct Turn<'a> {
    flights: &'a Flights,
    key: PlaceKey,
}

impl Flights {
    /// A turn, if nobody else has it.
    pub(crate) fn enter(&self, place: &Place<'_>) -> Option<Turn<'_>> {
        let key = place_key(place);
        let mut all = self.under_way.lock();
        let flight = all.entry(key.clone()).or_default();
        if flight.is_under_way {
            return None;
        }
        flight.is_under_way = true;
        Some(Turn { flights: self, key })
    }

    /// Waits until nobody has the turn, or nobody wants it any more.
    pub(crate) fn wait(&self, place: &Place<'_>, leash: &Leash) {
        let key = place_key(place);
        let mut all = self.under_way.lock();
        while all.get(&key).is_some_and(|flight| flight.is_under_way) {
            if leash.left().is_zero() || leash.cancel.is_cancelled() {
                return;
            }
            self.changed.wait_for(&mut all, LOOK.min(leash.left()));
        }
    }

    /// Why renewing this version has failed just now.
    pub(crate) fn failure(&self, place: &Place<'_>, version: u64) -> Option<String> {
        let all = self.under_way.lock();
        let (failed, at, why) = all.get(&place_key(place))?.failed.as_ref()?;
        (*failed == version && at.elapsed() < FAILED_FOR).then(|| why.clone())
    }
}

impl Turn<'_> {
    pub(crate) fn fail(&self, version: u64, why: &str) {
        if let Some(flight) = self.flights.under_way.lock().get_mut(&self.key) {
            flight.failed = Some((version, Instant::now(), why.to_owned()));
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut all = self.flights.under_way.lock();
        match all.get_mut(&self.key) {
            Some(flight) if flight.failed.is_some() => flight.is_under_way = false,
            _ => drop(all.remove(&self.key)),
        }
        drop(all);
        self.flights.changed.notify_all();
    }
}
