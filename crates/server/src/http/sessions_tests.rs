//! Which sessions there are, who finds them, and what their streams bring to clients that reconnect.

use super::*;
use crate::http::events::StreamItem;
use crate::reply::Reply;
use crate::rpc::Request;
use rmcp::model::{ClientCapabilities, RequestId};
use runtime::{Runtime, Settings};
use serde_json::Value;
use settings::Errors;
use std::collections::BTreeSet;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tokio_util::sync::CancellationToken;

struct Fixture {
    shared: Arc<Shared>,
    sessions: LocalSessions,
}

impl Fixture {
    fn new(per_caller: usize, total: usize) -> Self {
        let runtime = Runtime::open(Settings::default());
        let settings = crate::ServerSettings { errors: Errors::Mcp, message_bytes: 1000 };
        Self {
            shared: Shared::new(runtime, &settings, CancellationToken::new()),
            sessions: LocalSessions::new(SessionLimits { per_caller, total }),
        }
    }

    fn session(&self, caller: &str) -> Arc<Session> {
        let caller = Caller::named(caller.to_owned());
        let id = self.sessions.new_id().unwrap();
        Session::new(id, &self.shared, &caller, Revision::V2025_11_25)
    }

    fn added(&self, caller: &str) -> Arc<Session> {
        let session = self.session(caller);
        assert!(self.sessions.add(&session));
        session
    }
}

#[test]
fn the_longest_unused_session_of_a_caller_makes_room() {
    let fixture = Fixture::new(2, 9);
    let [first, second] = [fixture.added("ada"), fixture.added("ada")];
    let other = fixture.added("bob");
    fixture.sessions.find(&first.id, &first.peer.caller).ok().unwrap();
    let third = fixture.added("ada");
    let ended = [&first, &second, &other, &third].map(|one| one.peer.closing.is_cancelled());
    assert_eq!(ended, [false, true, false, false]);
}

#[test]
fn sessions_that_answer_requests_do_not_end() {
    let fixture = Fixture::new(9, 1);
    let busy = fixture.added("ada");
    let in_flight = &busy.peer.in_flight;
    in_flight.begin(&Request::ping(1), CancellationToken::new()).unwrap();
    assert!(!fixture.sessions.add(&fixture.session("bob")));
    in_flight.end(&RequestId::Number(1), || {});
    fixture.added("bob");
    assert!(busy.peer.closing.is_cancelled());
}

#[test]
fn a_session_is_its_callers_alone() {
    let fixture = Fixture::new(9, 9);
    let session = fixture.added("ada");
    let find = |caller: Caller| fixture.sessions.find(&session.id, &caller).err();
    assert_eq!(find(Caller::named("ada".to_owned())), None);
    assert_eq!(find(Caller::named("bob".to_owned())), Some(NoSession::OfAnotherCaller));
    fixture.sessions.remove(&session);
    assert_eq!(find(Caller::named("ada".to_owned())), Some(NoSession::Unknown));
}

/// Whatever waits for a session ends with it, and with the server.
#[test]
fn what_waits_for_a_session_ends_with_it() {
    let fixture = Fixture::new(9, 9);
    let [one, other] = [fixture.added("ada"), fixture.added("ada")];
    fixture.sessions.remove(&one);
    let closing = [&one, &other].map(|one| one.peer.closing.is_cancelled());
    assert_eq!(closing, [true, false]);
    fixture.shared.ending.cancel();
    assert!(other.peer.closing.is_cancelled());
}
/// A replica that finds the sessions of others by their ids.
struct Replica {
    name: char,
    own: LocalSessions,
    others: HashMap<char, Arc<Self>>,
}

impl Replica {
    fn new(name: char, others: impl IntoIterator<Item = Arc<Self>>) -> Arc<Self> {
        let limits = SessionLimits { per_caller: 9, total: 9 };
        let others = others.into_iter().map(|other| (other.name, other)).collect();
        Arc::new(Self { name, own: LocalSessions::new(limits), others })
    }
}

impl SessionStore for Replica {
    fn new_id(&self) -> Result<String, String> {
        Ok(format!("{}{}", self.name, self.own.new_id()?))
    }

    fn find(&self, id: &str, caller: &Caller) -> Result<Arc<Session>, NoSession> {
        match id.chars().next().and_then(|name| self.others.get(&name)) {
            Some(other) => other.find(id, caller),
            None => self.own.find(id, caller),
        }
    }

    fn add(&self, session: &Arc<Session>) -> bool {
        self.own.add(session)
    }

    fn remove(&self, session: &Session) {
        self.own.remove(session);
    }

    fn sweep(&self) {
        self.own.sweep();
    }
}

#[test]
fn replicas_can_route_sessions() {
    let shared = Fixture::new(9, 9).shared;
    let first = Replica::new('a', []);
    let second = Replica::new('b', [Arc::clone(&first)]);
    let caller = Caller::named("ada".to_owned());
    let [of_first, of_second] = [&first, &second].map(|replica| {
        let id = replica.new_id().unwrap();
        let session = Session::new(id, &shared, &caller, Revision::V2025_11_25);
        assert!(replica.add(&session));
        session
    });
    let stores: [Arc<dyn SessionStore>; 2] = [first, second];
    let found = |store: usize, session: &Session| stores[store].find(&session.id, &caller).is_ok();
    assert_eq!([found(0, &of_first), found(1, &of_first)], [true, true]);
    assert_eq!([found(0, &of_second), found(1, &of_second)], [false, true]);
}

/// Numbers that look random, and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap()
    }
}

/// One stream of a session, what was sent on it, and what its client has received.
struct StreamClient {
    sink: Arc<dyn MessageSink>,
    /// Of a request, which has a response in the end.
    response: Option<Arc<ResponseStream>>,
    connection: Option<StreamItems>,
    /// Where the client resumes.
    last_event: Option<String>,
    sent: Vec<Value>,
    received: Vec<Value>,
    is_finished: bool,
}

impl StreamClient {
    fn new(sink: Arc<dyn MessageSink>, connection: StreamItems) -> Self {
        Self {
            sink,
            response: None,
            connection: Some(connection),
            last_event: None,
            sent: Vec::new(),
            received: Vec::new(),
            is_finished: false,
        }
    }

    fn of_request(session: &Session) -> Self {
        let (stream, connection) = session.open_stream();
        let response = Some(Arc::clone(&stream));
        Self { response, ..Self::new(stream, connection) }
    }

    fn send(&mut self, number: usize) {
        if !self.is_finished {
            self.sent.push(number.into());
            self.sink.send(number.to_string().into());
        }
    }

    fn finish(&mut self) {
        let Some(response) = self.response.as_ref().filter(|_| !self.is_finished) else {
            return;
        };
        let reply = Reply::serialized(&RequestId::Number(1), b"{}");
        self.sent.push(serde_json::from_slice(&reply.message).unwrap());
        response.finish(reply);
        self.is_finished = true;
    }

    /// Receives up to so many events; adds their ids.
    fn receive(&mut self, most: usize, ids: &mut Vec<String>) {
        for _ in 0..most {
            let Some(connection) = &mut self.connection else { return };
            let mut context = Context::from_waker(Waker::noop());
            let Poll::Ready(Some(item)) = pin!(connection.next()).poll(&mut context) else {
                return;
            };
            let event = match item {
                StreamItem::Reply(reply) => {
                    self.received.push(serde_json::from_slice(&reply.message).unwrap());
                    return;
                }
                StreamItem::Event(event) => String::from_utf8(event.to_vec()).unwrap(),
            };
            let member = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
            let id = member("id: ").unwrap().to_owned();
            self.last_event = Some(id.clone());
            ids.push(id);
            // A priming event has no data.
            let data = member("data: ").filter(|data| !data.is_empty());
            self.received.extend(data.map(|data| serde_json::from_str::<Value>(data).unwrap()));
        }
    }

    /// Drops the connection with what is on its way; without an event there is nothing to resume.
    fn disconnect(&mut self) {
        if self.last_event.is_some() {
            self.connection = None;
        }
    }

    fn resume(&mut self, session: &Session) {
        if self.connection.is_none() {
            self.connection = Some(session.connect(self.last_event.as_deref()));
        }
    }
}

/// Whenever clients disconnect and resume, each receives every event of its stream once and in order.
#[test]
fn clients_that_resume_receive_every_event_once() {
    let fixture = Fixture::new(9, 9);
    for seed in 1..=400 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let revision = [Revision::V2025_06_18, Revision::V2025_11_25][random.below(2)];
        let caller = Caller::named("ada".to_owned());
        let session = Session::new("s".to_owned(), &fixture.shared, &caller, revision);
        session.peer.agree(revision, ClientCapabilities::default());
        let whole = StreamClient::new(Arc::clone(&session.peer.sink), session.connect(None));
        let mut clients = vec![whole];
        clients.extend((0..3).map(|_| StreamClient::of_request(&session)));
        let mut ids = Vec::new();
        for number in 0..60 {
            let at = random.below(clients.len());
            let client = &mut clients[at];
            match random.below(8) {
                0..=2 => client.send(number),
                3 | 4 => client.receive(random.below(4), &mut ids),
                5 => client.disconnect(),
                6 => client.resume(&session),
                _ if random.below(4) == 0 => client.finish(),
                _ => {}
            }
        }
        for client in &mut clients {
            client.finish();
            client.resume(&session);
            client.receive(usize::MAX, &mut ids);
            assert_eq!(client.received, client.sent, "seed {seed}, {revision}");
        }
        let unique: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "seed {seed}, {revision}: {ids:?}");
    }
}
