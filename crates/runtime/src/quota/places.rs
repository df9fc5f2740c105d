//! Permits for calls at one time, so many for each key: excess calls wait behind calls of the same key only.

use crate::overload::Overload;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// A clone shares.
#[derive(Clone)]
pub(super) struct Places(Arc<Inner>);

struct Inner {
    /// The name of the setting.
    limit: &'static str,
    most: usize,
    /// So many may wait for each key.
    queue: usize,
    /// Of keys with calls.
    rooms: Mutex<HashMap<String, Room>>,
}

struct Room {
    permits: Arc<Semaphore>,
    /// That run or wait.
    calls: usize,
}

/// One call's permit; dropping it gives the permit back.
pub(crate) struct Held {
    _permit: OwnedSemaphorePermit,
    _guest: Guest,
}

/// A call that runs or waits; with the last its room goes.
struct Guest {
    places: Places,
    name: String,
}

impl Places {
    pub(super) fn new(limit: &'static str, most: usize, queue: usize) -> Self {
        let most = most.min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Inner { limit, most, queue, rooms: Mutex::default() }))
    }

    /// Waits for a permit of this key.
    pub(super) async fn enter(&self, name: String, until: Instant) -> Result<Held, Overload> {
        let (guest, permits) = self.guest(name)?;
        let begin = Instant::now();
        match tokio::time::timeout_at(until, permits.acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Held { _permit: permit, _guest: guest }),
            _ => Err(Overload::NoPermit { waited: begin.elapsed(), limit: self.0.limit }),
        }
    }

    /// How many wait for a permit.
    pub(super) fn waiting(&self) -> usize {
        self.0.rooms.lock().values().map(|room| room.calls.saturating_sub(self.0.most)).sum()
    }

    fn guest(&self, name: String) -> Result<(Guest, Arc<Semaphore>), Overload> {
        let Inner { limit, most, queue, ref rooms } = *self.0;
        let mut rooms = rooms.lock();
        let room = rooms
            .entry(name.clone())
            .or_insert_with(|| Room { permits: Arc::new(Semaphore::new(most)), calls: 0 });
        if room.calls >= most.saturating_add(queue) {
            return Err(Overload::QueueFull { waiting: room.calls - most, limit });
        }
        room.calls += 1;
        Ok((Guest { places: self.clone(), name }, Arc::clone(&room.permits)))
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut rooms = self.places.0.rooms.lock();
        if let Some(room) = rooms.get_mut(&self.name) {
            room.calls -= 1;
            if room.calls == 0 {
                rooms.remove(&self.name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(30)
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().build().unwrap().block_on(work)
    }

    #[test]
    fn who_has_taken_his_places_waits_behind_himself() {
        block_on(async {
            let places = Places::new("caller_calls", 1, 1);
            let first = places.enter("ada".into(), soon()).await.ok().unwrap();
            let again = places.clone();
            let second =
                tokio::spawn(async move { again.enter("ada".into(), soon()).await.is_ok() });
            tokio::task::yield_now().await;
            assert_eq!(places.waiting(), 1);
            let full = places.enter("ada".into(), soon()).await.err().unwrap();
            let (waiting, limit) = (1, "caller_calls");
            assert_eq!(full, Overload::QueueFull { waiting, limit });
            assert!(places.enter("bo".into(), soon()).await.is_ok());
            drop(first);
            assert!(second.await.unwrap());
            assert_eq!((places.waiting(), places.0.rooms.lock().len()), (0, 0));
        });
    }

    #[test]
    fn nobody_waits_longer_than_he_may() {
        block_on(async {
            let places = Places::new("module_calls", 1, 8);
            let _first = places.enter("hub".into(), soon()).await;
            let now = places.enter("hub".into(), Instant::now()).await;
            let full = now.err().unwrap();
            assert_eq!(full.limit(), "module_calls");
            assert!(matches!(full, Overload::NoPermit { .. }));
            assert_eq!(places.0.rooms.lock().len(), 1);
        });
    }
}
