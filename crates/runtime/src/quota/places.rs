//! Places for calls at one time, so many for each of many: who has taken his waits behind himself, and
//! nobody behind him.

use crate::overload::Overload;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// A clone shares.
#[derive(Clone)]
pub(super) struct Places(Arc<Inner>);

struct Inner {
    /// The name of the setting.
    limit: &'static str,
    most: usize,
    /// So many may wait for each.
    queue: usize,
    /// Of those who are there or wait.
    rooms: Mutex<HashMap<String, Arc<Room>>>,
    waiting: AtomicUsize,
}

struct Room {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// One call's place; dropping it gives the place back.
pub(crate) struct Held {
    _permit: OwnedSemaphorePermit,
    _guest: Guest,
}

/// Somebody in a room; with the last the room goes.
struct Guest {
    places: Places,
    name: String,
    room: Arc<Room>,
}

impl Places {
    pub(super) fn new(limit: &'static str, most: usize, queue: usize) -> Self {
        Self(Arc::new(Inner {
            limit,
            most: most.min(Semaphore::MAX_PERMITS),
            queue,
            rooms: Mutex::default(),
            waiting: AtomicUsize::new(0),
        }))
    }

    /// A place for this one, waited for.
    pub(super) async fn enter(&self, name: String, until: Instant) -> Result<Held, Overload> {
        let guest = self.guest(name);
        let places = Arc::clone(&guest.room.places);
        if let Ok(permit) = Arc::clone(&places).try_acquire_owned() {
            return Ok(Held { _permit: permit, _guest: guest });
        }
        let limit = self.0.limit;
        let _all = Waiting::new(&self.0.waiting);
        let own = Waiting::new(&guest.room.waiting);
        let waiting = own.before;
        if waiting >= self.0.queue {
            return Err(Overload::QueueFull { waiting, limit });
        }
        let begin = Instant::now();
        match tokio::time::timeout_at(until, places.acquire_owned()).await {
            Ok(Ok(permit)) => {
                drop(own);
                Ok(Held { _permit: permit, _guest: guest })
            }
            _ => Err(Overload::NoPermit { waited: begin.elapsed(), limit }),
        }
    }

    /// How many wait for a place.
    pub(super) fn waiting(&self) -> usize {
        self.0.waiting.load(Ordering::Relaxed)
    }

    fn guest(&self, name: String) -> Guest {
        let mut rooms = self.rooms();
        let room = rooms.entry(name.clone()).or_insert_with(|| {
            Arc::new(Room {
                places: Arc::new(Semaphore::new(self.0.most)),
                waiting: AtomicUsize::new(0),
            })
        });
        let room = Arc::clone(room);
        drop(rooms);
        Guest { places: self.clone(), name, room }
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<String, Arc<Room>>> {
        self.0.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut rooms = self.places.rooms();
        // Guests come under the same lock: only the list holds it besides us.
        if Arc::strong_count(&self.room) == 2 {
            rooms.remove(&self.name);
        }
    }
}

struct Waiting<'a> {
    count: &'a AtomicUsize,
    before: usize,
}

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        let before = count.fetch_add(1, Ordering::Relaxed);
        Self { count, before }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
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
            assert_eq!((places.waiting(), places.rooms().len()), (0, 0));
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
            assert_eq!(places.rooms().len(), 1);
        });
    }
}
