//! Turns at a rate, as many at once as the rate says, and then one by one.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use settings::Rate;
use std::hash::{BuildHasher, Hash, RandomState};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Those who have not come for a while are forgotten after so many turns, and some more if many stay.
const SWEEP: usize = 4096;
/// If more than this many stay, they share turns: memory is bounded, and nobody gets more than his own.
const MOST: usize = 1 << 16;
const SHARED: u64 = 1 << 12;

/// One rate for each of many.
pub(super) struct Keyed {
    pub(super) rate: Rate,
    turns: DefaultKeyedRateLimiter<u64>,
    /// Names are not kept; who cannot choose the keys cannot make two of them alike.
    hasher: RandomState,
    since_sweep: AtomicUsize,
    kept: AtomicUsize,
    is_crowded: AtomicBool,
}

impl Keyed {
    pub(super) fn new(rate: Rate) -> Self {
        Self {
            rate,
            turns: RateLimiter::keyed(quota(rate)),
            hasher: RandomState::new(),
            since_sweep: AtomicUsize::new(0),
            kept: AtomicUsize::new(0),
            is_crowded: AtomicBool::new(false),
        }
    }

    /// Takes a turn, or says how long there is none.
    pub(super) fn take(&self, who: &impl Hash) -> Result<(), Duration> {
        self.sweep_if_due();
        let mut key = self.hasher.hash_one(who);
        if self.is_crowded.load(Ordering::Relaxed) {
            key %= SHARED;
        }
        let taken = self.turns.check_key(&key);
        taken.map_err(|early| early.wait_time_from(DefaultClock::default().now()))
    }

    /// Forgets those whose turns have all come back. There are never more than came since the last time,
    /// and twice those that stayed.
    fn sweep_if_due(&self) {
        let due = SWEEP + self.kept.load(Ordering::Relaxed);
        if self.since_sweep.fetch_add(1, Ordering::Relaxed) < due {
            return;
        }
        self.since_sweep.store(0, Ordering::Relaxed);
        self.turns.retain_recent();
        let kept = self.turns.len();
        self.kept.store(kept, Ordering::Relaxed);
        self.is_crowded.store(kept > MOST, Ordering::Relaxed);
        if kept == 0 {
            self.turns.shrink_to_fit();
        }
    }
}

/// One rate.
pub(crate) struct Single(DefaultDirectRateLimiter);

impl Single {
    pub(crate) fn new(rate: Rate) -> Self {
        Self(RateLimiter::direct(quota(rate)))
    }

    pub(crate) fn take(&self) -> Result<(), Duration> {
        let taken = self.0.check();
        taken.map_err(|early| early.wait_time_from(DefaultClock::default().now()))
    }
}

fn quota(rate: Rate) -> Quota {
    let count = NonZeroU32::new(rate.count).unwrap_or(NonZeroU32::MIN);
    // More than one a nanosecond is no rate: the shortest time there is stands for it.
    let each = (rate.per / count.get()).max(Duration::from_nanos(1));
    let quota = Quota::with_period(each).unwrap_or(Quota::per_second(count));
    quota.allow_burst(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_turns_of_his_own() {
        let keyed = Keyed::new("2/h".parse().unwrap());
        for who in ["ada", "bo"] {
            assert_eq!(keyed.take(&who), Ok(()));
            assert_eq!(keyed.take(&who), Ok(()));
            let wait = keyed.take(&who).unwrap_err();
            assert!(wait > Duration::from_secs(1700) && wait <= Duration::from_mins(30));
        }
    }

    #[test]
    fn a_turn_comes_back_after_its_time() {
        let single = Single::new("1000/s".parse().unwrap());
        let wait = (0..100_000).find_map(|_| single.take().err()).unwrap();
        assert!(wait <= Duration::from_millis(1));
        while single.take().is_err() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn very_fast_is_no_mistake() {
        let single = Single::new("4000000000/s".parse().unwrap());
        assert!((0..1000).all(|_| single.take().is_ok()));
    }

    /// Whose turns have come back are forgotten; whose have not share with others when they are many.
    #[test]
    fn a_flood_of_callers_is_bounded() {
        let quick = Keyed::new("1000000/s".parse().unwrap());
        for caller in 0..100_000 {
            assert_eq!(quick.take(&caller), Ok(()));
        }
        assert!(quick.turns.len() <= 2 * SWEEP + 1, "{}", quick.turns.len());
        let slow = Keyed::new("1/h".parse().unwrap());
        for caller in 0..1_000_000 {
            let _ = slow.take(&caller);
        }
        let most = 2 * MOST + 2 * SWEEP + usize::try_from(SHARED).unwrap();
        assert!(slow.turns.len() <= most, "{}", slow.turns.len());
        // He has had his turn, though he stands with others now.
        assert!(slow.take(&7).is_err());
    }
}
