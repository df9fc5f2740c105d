//! Questions in the legacy era: requests to the client, while the script's thread waits.

use super::{cannot, numbered};
use crate::wire;
use model::{Ability, Asker, HostError, Leash, Question, Topic, Unanswered, Unfit};
use rmcp::model::{ClientResult, ServerRequest};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RoleServer, ServiceError};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Cancelling is looked at this often.
const LOOK: Duration = Duration::from_millis(20);

type Heard = Result<ClientResult, ServiceError>;

/// A request that the call's own task sends: only what is sent from there goes by its stream.
pub(crate) struct Outgoing {
    request: ServerRequest,
    answer: SyncSender<Heard>,
    /// Set when nobody waits for the answer any more.
    unwanted: CancellationToken,
}

pub(crate) struct Legacy {
    peer: Peer<RoleServer>,
    send: mpsc::UnboundedSender<Outgoing>,
}

impl Legacy {
    pub(crate) fn new(peer: Peer<RoleServer>) -> (Self, mpsc::UnboundedReceiver<Outgoing>) {
        let (send, outgoing) = mpsc::unbounded_channel();
        (Self { peer, send }, outgoing)
    }

    fn send(&self, topic: &Topic) -> Result<Waiting, HostError> {
        let request = wire::question(topic, None).map_err(HostError)?;
        let request = wire::request(request);
        let request = request.ok_or_else(|| HostError("there is no such request".into()))?;
        let (answer, heard) = sync_channel(1);
        let unwanted = CancellationToken::new();
        let outgoing = Outgoing {
            request,
            answer,
            unwanted: unwanted.clone(),
        };
        self.send.send(outgoing).map_err(|_| gone())?;
        Ok(Waiting {
            heard,
            _unwanted_when_dropped: unwanted.drop_guard(),
        })
    }
}

impl Asker for Legacy {
    fn can(&self, ability: Ability) -> bool {
        let client = self.peer.peer_info();
        client.is_some_and(|client| wire::can(&client.capabilities, ability))
    }

    fn ask(&self, questions: &[Question], leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        let mut needs = questions.iter().map(|question| question.topic.needs());
        if let Some(lacking) = needs.find(|ability| !self.can(*ability)) {
            return Err(HostError(cannot(lacking)).into());
        }
        let sent = questions.iter().map(|question| self.send(&question.topic));
        let sent: Vec<Waiting> = sent.collect::<Result<_, _>>()?;
        let mut answers = Vec::with_capacity(sent.len());
        let mut uses = HashMap::new();
        for (Question { key, topic }, waiting) in questions.iter().zip(sent) {
            let key = numbered(&mut uses, key.as_deref(), topic);
            let heard = waiting.wait(leash)?;
            let read = topic.read(&heard).map_err(|unfit| match unfit {
                Unfit::Shape(why) | Unfit::Content(why) => HostError(format!(
                    "the client's answer to `{key}` does not fit: {why}"
                )),
            });
            answers.push(read?);
        }
        Ok(answers)
    }
}

/// An answer that is on its way.
struct Waiting {
    heard: Receiver<Heard>,
    _unwanted_when_dropped: DropGuard,
}

impl Waiting {
    fn wait(&self, leash: &Leash) -> Result<Value, HostError> {
        loop {
            if leash.cancel.is_cancelled() {
                return Err(HostError("the call was cancelled".into()));
            }
            let left = leash.left();
            if left.is_zero() {
                return Err(HostError("nobody answered in time".into()));
            }
            match self.heard.recv_timeout(left.min(LOOK)) {
                Ok(Ok(answer)) => return Ok(serde_json::to_value(answer).unwrap_or_default()),
                Ok(Err(ServiceError::McpError(error))) => {
                    return Err(HostError(format!("the client said: {}", error.message)));
                }
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn gone() -> HostError {
    HostError("the client has gone".into())
}

impl Outgoing {
    pub(crate) async fn go(self, peer: &Peer<RoleServer>, closing: &CancellationToken) {
        let options = PeerRequestOptions::no_options();
        match peer.send_cancellable_request(self.request, options).await {
            Ok(handle) => {
                let answer = hear(handle, self.answer, self.unwanted, closing.clone());
                tokio::spawn(answer);
            }
            // Whoever asked may have stopped waiting.
            Err(error) => drop(self.answer.send(Err(error))),
        }
    }
}

async fn hear(
    mut handle: RequestHandle<RoleServer>,
    answer: SyncSender<Heard>,
    unwanted: CancellationToken,
    closing: CancellationToken,
) {
    let heard = tokio::select! {
        heard = &mut handle.rx => heard.unwrap_or(Err(ServiceError::TransportClosed)),
        () = closing.cancelled() => Err(ServiceError::TransportClosed),
        () = unwanted.cancelled() => {
            let _ = handle.cancel(Some("the call it was for has ended".into())).await;
            return;
        }
    };
    // There is room for one, and only one is sent.
    let _ = answer.try_send(heard);
}
