//! A module asks the person or the model behind the client, in both eras.

mod legacy;
mod modern;
mod seal;

pub(crate) use modern::Left;
pub(crate) use seal::{Rounds, Seal};

use crate::caller::caller;
use crate::handler::Handler;
use crate::http::Deaf;
use crate::wire::{self, Era};
use legacy::{Legacy, Outgoing};
use model::{Ability, Asker, Caller, HostError, Leash, Question, Topic, Unanswered};
use modern::Modern;
use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, InputRequiredResult, InputResponses, JsonObject};
use rmcp::service::{Peer, RequestContext, RoleServer};
use seal::Bound;
use serde_json::Value;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

/// A request that may lead to questions, and what it brings of their answers.
pub(crate) struct Matter<'a> {
    pub(crate) method: &'static str,
    /// The tool, the prompt or the URI.
    pub(crate) name: &'a str,
    pub(crate) args: Option<&'a JsonObject>,
    pub(crate) responses: Option<InputResponses>,
    pub(crate) state: Option<String>,
}

/// Where one request's questions are taken care of.
pub(crate) enum Desk {
    /// The client cannot be asked anything.
    Closed(Arc<Unable>),
    Legacy {
        asker: Arc<Legacy>,
        outgoing: UnboundedReceiver<Outgoing>,
        peer: Peer<RoleServer>,
        closing: CancellationToken,
    },
    Modern {
        asker: Arc<Modern>,
        /// None where nothing can be asked.
        bound: Option<Bound>,
    },
}

impl Desk {
    pub(crate) fn open(
        handler: &Handler,
        context: &RequestContext<RoleServer>,
        era: Era,
        matter: Matter<'_>,
    ) -> Result<Self, ErrorData> {
        let capabilities = match era {
            Era::Modern => context.meta.client_capabilities(),
            Era::Legacy => context
                .peer
                .peer_info()
                .map(|client| client.capabilities.clone()),
        };
        let capabilities = capabilities.unwrap_or_default();
        let can_be_asked = Ability::ALL
            .iter()
            .any(|ability| wire::can(&capabilities, *ability));
        match era {
            Era::Legacy if !can_be_asked => Ok(Self::Closed(Arc::new(Unable::Undeclared))),
            Era::Legacy if is_deaf(context) => Ok(Self::Closed(Arc::new(Unable::Deaf))),
            Era::Legacy => Ok(Self::legacy(handler, context)),
            // What is never asked needs no copy of the arguments.
            Era::Modern if !can_be_asked && matter.state.is_none() => {
                let asker = Modern::new(capabilities, InputResponses::new(), None);
                Ok(Self::Modern {
                    asker: Arc::new(asker),
                    bound: None,
                })
            }
            Era::Modern => {
                let caller = caller(&context.extensions);
                Self::modern(handler, capabilities, matter, &caller)
            }
        }
    }

    fn legacy(handler: &Handler, context: &RequestContext<RoleServer>) -> Self {
        let (asker, outgoing) = Legacy::new(context.peer.clone());
        Self::Legacy {
            asker: Arc::new(asker),
            outgoing,
            peer: context.peer.clone(),
            closing: handler.closing.clone(),
        }
    }

    fn modern(
        handler: &Handler,
        capabilities: ClientCapabilities,
        matter: Matter<'_>,
        caller: &Caller,
    ) -> Result<Self, ErrorData> {
        let none = JsonObject::new();
        let args = matter.args.unwrap_or(&none);
        let bound = Bound::new(matter.method, matter.name, args, caller);
        let earlier = match &matter.state {
            Some(state) => Some(handler.shared.seal.open(state, &bound)?),
            None => None,
        };
        let given = matter.responses.unwrap_or_default();
        Ok(Self::Modern {
            asker: Arc::new(Modern::new(capabilities, given, earlier)),
            bound: Some(bound),
        })
    }

    /// For a task that goes on with what has been answered.
    pub(crate) fn of_task(
        capabilities: ClientCapabilities,
        rounds: Rounds,
        given: InputResponses,
    ) -> Self {
        let asker = Modern::new(capabilities, given, Some(rounds)).insisting();
        Self::Modern {
            asker: Arc::new(asker),
            bound: None,
        }
    }

    /// What a task's run wants to know before it can go on.
    pub(crate) fn left(&self) -> Result<Left, ErrorData> {
        match self {
            Self::Modern { asker, .. } => asker.left(),
            _ => Err(astray()),
        }
    }

    pub(crate) fn asker(&self) -> Arc<dyn Asker> {
        match self {
            Self::Closed(asker) => Arc::clone(asker) as _,
            Self::Legacy { asker, .. } => Arc::clone(asker) as _,
            Self::Modern { asker, .. } => Arc::clone(asker) as _,
        }
    }

    /// Does the work, and sends meanwhile what it wants to ask.
    pub(crate) async fn attend<T>(&mut self, work: impl Future<Output = T>) -> T {
        let Self::Legacy {
            outgoing,
            peer,
            closing,
            ..
        } = self
        else {
            return work.await;
        };
        let mut work = pin!(work);
        loop {
            tokio::select! {
                biased;
                result = &mut work => return result,
                Some(question) = outgoing.recv() => Box::pin(question.go(peer, closing)).await,
            }
        }
    }

    /// What the client is told when the work has questions first.
    pub(crate) fn questions(&self, handler: &Handler) -> Result<InputRequiredResult, ErrorData> {
        let Self::Modern { asker, bound } = self else {
            return Err(astray());
        };
        let result = asker.result(&handler.shared.seal, bound.as_ref())?;
        Ok(result.with_meta(handler.shared.meta.clone()))
    }
}

fn astray() -> ErrorData {
    let why = "questions were left open where they can be asked";
    ErrorData::internal_error(why, None)
}

/// A client that has no event stream open for its call would never hear a question.
fn is_deaf(context: &RequestContext<RoleServer>) -> bool {
    let parts = context.extensions.get::<http::request::Parts>();
    parts.is_some_and(|parts| parts.extensions.get::<Deaf>().is_some())
}

/// Why a legacy client cannot be asked anything.
pub(crate) enum Unable {
    Undeclared,
    Deaf,
}

impl Asker for Unable {
    fn can(&self, _ability: Ability) -> bool {
        false
    }

    fn ask(&self, questions: &[Question], _leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        let needs = questions.first().map(|question| question.topic.needs());
        let why = match self {
            Self::Undeclared => cannot(needs.unwrap_or(Ability::Elicit)),
            Self::Deaf => "the client takes no text/event-stream, so it cannot be asked".into(),
        };
        Err(HostError(why).into())
    }
}

fn cannot(ability: Ability) -> String {
    format!(
        "the client has not declared the capability `{}`, so it cannot be asked; ctx.can(\"{}\") \
         tells beforehand",
        ability.capability(),
        ability.name()
    )
}

/// What a question goes by: its key, or what it needs; the second of one key gets a number.
fn numbered(uses: &mut HashMap<String, usize>, key: Option<&str>, topic: &Topic) -> String {
    let key = key.unwrap_or(topic.needs().name());
    let count = uses.entry(key.to_owned()).or_default();
    *count += 1;
    match *count {
        1 => key.to_owned(),
        count => format!("{key}-{count}"),
    }
}
