//! Sessions of clients that began with `initialize`: a bounded number, the oldest idle one makes room.

use super::events::{EventLog, ResponseStream, StreamItems, StreamLog};
use crate::peer::ClientPeer;
use crate::revision::Revision;
use crate::shared::Shared;
use crate::sink::MessageSink;
use model::Caller;
use parking_lot::{Mutex, MutexGuard};
use settings::SessionLimits;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A session that is not used for so long ends.
const LONGEST_IDLE: Duration = Duration::from_mins(30);

/// Finished streams whose events a session keeps for clients that reconnect.
const MOST_FINISHED: usize = 16;

/// The stream for what belongs to no request.
const STANDALONE: u64 = 0;

/// What a client and the server keep between requests.
pub(super) struct Session {
    pub(super) id: String,
    pub(super) peer: Arc<ClientPeer>,
    log: Arc<EventLog>,
    standalone: Arc<ResponseStream>,
    streams: Mutex<Streams>,
    last_used: Mutex<Instant>,
}

struct Streams {
    latest: u64,
    open: BTreeMap<u64, Arc<ResponseStream>>,
}

impl Session {
    pub(super) fn new(
        id: String,
        shared: &Shared,
        caller: &Caller,
        revision: Revision,
    ) -> Arc<Self> {
        let log = Arc::<EventLog>::default();
        let standalone = ResponseStream::standalone(StreamLog {
            log: Arc::clone(&log),
            stream: STANDALONE,
            is_primed: revision.has_priming_events(),
        });
        let sink = Arc::clone(&standalone) as Arc<dyn MessageSink>;
        let closing = shared.ending.child_token();
        Arc::new(Self {
            id,
            peer: Arc::new(ClientPeer::new(caller.clone(), sink, closing)),
            log,
            standalone,
            streams: Mutex::new(Streams { latest: STANDALONE, open: BTreeMap::new() }),
            last_used: Mutex::new(Instant::now()),
        })
    }

    /// A stream for a request; it can be resumed as soon as it has an event.
    pub(super) fn open_stream(&self) -> (Arc<ResponseStream>, StreamItems) {
        let is_primed = self.peer.revision().is_some_and(Revision::has_priming_events);
        let mut streams = self.streams.lock();
        streams.latest += 1;
        let number = streams.latest;
        let log = StreamLog { log: Arc::clone(&self.log), stream: number, is_primed };
        let (stream, items) = ResponseStream::new(Some(log));
        streams.open.retain(|_, stream| !(stream.is_finished() && stream.is_plain()));
        let finished = streams.open.iter().filter(|(_, stream)| stream.is_finished());
        let finished: Vec<u64> = finished.map(|(number, _)| *number).collect();
        let surplus = finished.len().saturating_sub(MOST_FINISHED);
        for number in finished.into_iter().take(surplus) {
            streams.open.remove(&number);
        }
        streams.open.insert(number, Arc::clone(&stream));
        (stream, items)
    }

    /// Events for a new connection: those after the event with this id, or new ones that belong to no
    /// request.
    pub(super) fn connect(&self, last_event: Option<&str>) -> StreamItems {
        let last_event = last_event.and_then(EventLog::parse_id);
        match last_event {
            Some((STANDALONE, number)) => self.standalone.resume(Some(number)),
            Some((stream, number)) => match self.streams.lock().open.get(&stream) {
                Some(stream) => stream.resume(Some(number)),
                None => self.standalone.resume(None),
            },
            None => self.standalone.resume(None),
        }
    }

    fn touch(&self) {
        *self.last_used.lock() = Instant::now();
    }

    fn last_used(&self) -> Instant {
        *self.last_used.lock()
    }

    fn is_idle(&self) -> bool {
        self.peer.in_flight.count() == 0
    }

    fn is_abandoned(&self, now: Instant) -> bool {
        let age = now.saturating_duration_since(self.last_used());
        age > LONGEST_IDLE && self.is_idle() && !self.standalone.is_connected()
    }

    fn end(&self) {
        self.peer.closing.cancel();
        self.peer.in_flight.cancel_all();
        self.standalone.abort();
    }
}

/// Why a session is not available.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoSession {
    Unknown,
    /// Reported like an unknown one.
    OfAnotherCaller,
}

/// All that `/mcp` needs to know of sessions. Where several replicas serve, an implementation can make ids
/// that name the replica, and find sessions of others.
pub(super) trait SessionStore: Send + Sync {
    /// An id that cannot be guessed.
    fn new_id(&self) -> Result<String, String>;

    /// The session of this id, which counts as used now.
    fn find(&self, id: &str, caller: &Caller) -> Result<Arc<Session>, NoSession>;

    /// Adds a session. The longest unused one ends for it where its caller, or the server, has no room; it
    /// is not added if all of them are answering requests.
    fn add(&self, session: &Arc<Session>) -> bool;

    /// Ends a session for good.
    fn remove(&self, session: &Session);

    /// Ends sessions that were not used for long.
    fn sweep(&self);
}

/// Sessions in the memory of this process.
pub(super) struct LocalSessions {
    limits: SessionLimits,
    all: Mutex<HashMap<String, Arc<Session>>>,
}

impl SessionStore for LocalSessions {
    fn new_id(&self) -> Result<String, String> {
        crate::wire::random_name()
    }

    fn find(&self, id: &str, caller: &Caller) -> Result<Arc<Session>, NoSession> {
        let session = self.all.lock().get(id).cloned();
        let session = session.ok_or(NoSession::Unknown)?;
        let owner = &session.peer.caller;
        if owner.name != caller.name || owner.is_local() != caller.is_local() {
            return Err(NoSession::OfAnotherCaller);
        }
        session.touch();
        Ok(session)
    }

    fn add(&self, session: &Arc<Session>) -> bool {
        let now = Instant::now();
        let mut all = self.all.lock();
        Self::remove_if(&mut all, |session| session.is_abandoned(now));
        let owner = &session.peer.caller.name;
        let is_own = |other: &Session| other.peer.caller.name == *owner;
        let own = all.values().filter(|other| is_own(other)).count();
        let has_room = own < self.limits.per_caller || Self::evict(&mut all, is_own);
        let has_room =
            has_room && (all.len() < self.limits.total || Self::evict(&mut all, |_| true));
        if has_room {
            all.insert(session.id.clone(), Arc::clone(session));
        }
        has_room
    }

    fn remove(&self, session: &Session) {
        self.all.lock().remove(&session.id);
        session.end();
    }

    fn sweep(&self) {
        let now = Instant::now();
        Self::remove_if(&mut self.all.lock(), |session| session.is_abandoned(now));
    }
}

impl LocalSessions {
    pub(super) fn new(limits: SessionLimits) -> Self {
        Self { limits, all: Mutex::default() }
    }

    /// Ends the longest unused session of these; none ends if all are answering requests.
    fn evict(
        all: &mut MutexGuard<'_, HashMap<String, Arc<Session>>>,
        may_end: impl Fn(&Session) -> bool,
    ) -> bool {
        let idle = all.values().filter(|one| may_end(one) && one.is_idle());
        let oldest = idle.min_by_key(|one| one.last_used()).cloned();
        let Some(oldest) = oldest else { return false };
        all.remove(&oldest.id);
        oldest.end();
        true
    }

    fn remove_if(
        all: &mut MutexGuard<'_, HashMap<String, Arc<Session>>>,
        is_over: impl Fn(&Session) -> bool,
    ) {
        all.retain(|_, session| {
            let is_over = is_over(session);
            if is_over {
                session.end();
            }
            !is_over
        });
    }
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
