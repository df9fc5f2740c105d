//! Questions in the legacy era: requests to the client, while the script's thread waits.

use super::{cannot, numbered};
use crate::peer::{Agreed, ClientPeer, OpenQuestion};
use crate::sink::{MessageSink, notification, request};
use crate::wire;
use model::{Ability, Asker, HostError, Leash, Question, Topic, Unanswered, Unfit};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// How often a waiting thread looks whether its call was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Asks the client on the stream of the request that the questions are about.
pub(crate) struct LegacyAsker {
    peer: Arc<ClientPeer>,
    agreed: Agreed,
    sink: Arc<dyn MessageSink>,
}

impl LegacyAsker {
    pub(super) fn new(peer: Arc<ClientPeer>, agreed: Agreed, sink: Arc<dyn MessageSink>) -> Self {
        Self { peer, agreed, sink }
    }

    fn send(&self, topic: &Topic) -> Result<SentQuestion<'_>, HostError> {
        let question = wire::question(topic, None).map_err(HostError)?;
        let open = self.peer.open_question();
        self.sink.send(request(open.id, &question));
        Ok(SentQuestion { asker: self, open })
    }
}

impl Asker for LegacyAsker {
    fn can(&self, ability: Ability) -> bool {
        wire::can(&self.agreed.capabilities, ability)
    }

    fn ask(&self, questions: &[Question], leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        let mut needs = questions.iter().map(|question| question.topic.needs());
        if let Some(lacking) = needs.find(|ability| !self.can(*ability)) {
            return Err(HostError(cannot(lacking)).into());
        }
        let sent = questions.iter().map(|question| self.send(&question.topic));
        let sent: Vec<SentQuestion<'_>> = sent.collect::<Result<_, _>>()?;
        let mut answers = Vec::with_capacity(sent.len());
        let mut uses = HashMap::new();
        for (Question { key, topic }, question) in questions.iter().zip(sent) {
            let key = numbered(&mut uses, key.as_deref(), topic);
            let answer = question.wait(leash)?;
            let read = topic.read(&answer).map_err(|unfit| match unfit {
                Unfit::Shape(why) | Unfit::Content(why) => {
                    HostError(format!("the client's answer to `{key}` does not fit: {why}"))
                }
            });
            answers.push(read?);
        }
        Ok(answers)
    }
}

/// A question whose answer is due; dropped before, the client is told that it is not wanted any more.
struct SentQuestion<'a> {
    asker: &'a LegacyAsker,
    open: OpenQuestion,
}

impl SentQuestion<'_> {
    fn wait(&self, leash: &Leash) -> Result<Value, HostError> {
        loop {
            if leash.cancel.is_cancelled() {
                return Err(HostError("the call was cancelled".into()));
            }
            if self.asker.peer.closing.is_cancelled() {
                return Err(client_gone());
            }
            let left = leash.left();
            if left.is_zero() {
                return Err(HostError("nobody answered in time".into()));
            }
            match self.open.answer.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(why)) => return Err(HostError(format!("the client said: {why}"))),
                Err(RecvTimeoutError::Disconnected) => return Err(client_gone()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for SentQuestion<'_> {
    fn drop(&mut self) {
        if self.open.is_open() {
            let reason = "the call it was for has ended";
            let params = json!({"requestId": self.open.id, "reason": reason});
            let cancelled = notification("notifications/cancelled", Some(params));
            self.asker.sink.send(cancelled);
        }
    }
}

fn client_gone() -> HostError {
    HostError("the client has gone".into())
}
