//! Connections to one server, kept for the next request.

use super::session::Session;
use super::target::Target;
use model::HostError;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// A server gives few connections, and many programs want some.
const MOST: usize = 8;
const IDLE: Duration = Duration::from_mins(1);

pub(super) struct Pool {
    target: Target,
    room: Arc<Semaphore>,
    idle: Mutex<Vec<(Instant, Session)>>,
}

impl Pool {
    pub(super) fn new(url: &str) -> Result<Arc<Self>, HostError> {
        let pool = Arc::new(Self {
            target: Target::parse(url)?,
            room: Arc::new(Semaphore::new(MOST)),
            idle: Mutex::default(),
        });
        tokio::spawn(sweep(Arc::downgrade(&pool)));
        Ok(pool)
    }

    /// A connection of one's own, as soon as there is one to be had.
    pub(super) async fn take(&self) -> Result<Session, HostError> {
        let room = Arc::clone(&self.room).acquire_owned().await;
        let room = room.map_err(|error| HostError(error.to_string()))?;
        while let Some((_, mut session)) = self.pop() {
            if session.is_open() {
                session.kept();
                session.room = Some(room);
                return Ok(session);
            }
        }
        let mut session = self.target.connect().await?;
        session.room = Some(room);
        Ok(session)
    }

    /// Cleans up behind a request while its answer is already on its way.
    pub(super) fn give_back(self: &Arc<Self>, mut session: Session, wrote: bool) {
        let pool = Arc::clone(self);
        tokio::spawn(async move {
            if session.forget(wrote).await.is_err() {
                return session.close();
            }
            let room = session.room.take();
            pool.idle.lock().push((Instant::now(), session));
            drop(room);
        });
    }

    fn pop(&self) -> Option<(Instant, Session)> {
        self.idle.lock().pop()
    }
}

/// Closes what nobody has asked for in a while.
async fn sweep(pool: Weak<Pool>) {
    loop {
        tokio::time::sleep(IDLE / 2).await;
        let Some(pool) = pool.upgrade() else {
            return;
        };
        pool.idle.lock().retain(|(since, _)| since.elapsed() < IDLE);
    }
}
