//! A module asks the person or the model behind the client, in both eras.

mod legacy;
mod modern;
mod seal;

pub(crate) use modern::Left;
pub(crate) use seal::{Rounds, Seal};

use crate::context::RequestCx;
use crate::reply::Reply;
use crate::wire::{self, Era};
use legacy::LegacyAsker;
use model::{Ability, Asker, HostError, Leash, Question, Topic, Unanswered};
use modern::Modern;
use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, InputResponses, JsonObject};
use seal::Bound;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

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
    Closed(Arc<UnableClient>),
    Legacy(Arc<LegacyAsker>),
    Modern {
        asker: Arc<Modern>,
        /// None where nothing can be asked.
        bound: Option<Bound>,
    },
}

impl Desk {
    pub(crate) fn open(cx: &RequestCx, matter: Matter<'_>) -> Result<Self, ErrorData> {
        if cx.era() == Era::Legacy {
            return Ok(Self::legacy(cx));
        }
        let capabilities = cx.capabilities();
        // What is never asked needs no copy of the arguments.
        if !can_be_asked(&capabilities) && matter.state.is_none() {
            let asker = Modern::new(capabilities, InputResponses::new(), None);
            return Ok(Self::Modern { asker: Arc::new(asker), bound: None });
        }
        let none = JsonObject::new();
        let args = matter.args.unwrap_or(&none);
        let bound = Bound::new(matter.method, matter.name, args, &cx.caller);
        let earlier = match &matter.state {
            Some(state) => Some(cx.shared.seal.open(state, &bound)?),
            None => None,
        };
        let given = matter.responses.unwrap_or_default();
        Ok(Self::Modern {
            asker: Arc::new(Modern::new(capabilities, given, earlier)),
            bound: Some(bound),
        })
    }

    fn legacy(cx: &RequestCx) -> Self {
        let agreed = cx.peer.as_ref().and_then(|peer| Some((peer, peer.agreed()?)));
        let Some((peer, agreed)) = agreed.filter(|(_, it)| can_be_asked(&it.capabilities)) else {
            return Self::Closed(Arc::new(UnableClient::Undeclared));
        };
        match &cx.sink {
            // A client that has no event stream open for its call would never receive a question.
            None => Self::Closed(Arc::new(UnableClient::TakesNoEvents)),
            Some(sink) => {
                let asker = LegacyAsker::new(Arc::clone(peer), agreed, Arc::clone(sink));
                Self::Legacy(Arc::new(asker))
            }
        }
    }

    /// For a task that goes on with what has been answered.
    pub(crate) fn of_task(
        capabilities: ClientCapabilities,
        rounds: Rounds,
        given: InputResponses,
    ) -> Self {
        let asker = Modern::new(capabilities, given, Some(rounds)).insisting();
        Self::Modern { asker: Arc::new(asker), bound: None }
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
            Self::Legacy(asker) => Arc::clone(asker) as _,
            Self::Modern { asker, .. } => Arc::clone(asker) as _,
        }
    }

    /// What the client is told when the work has questions first.
    pub(crate) fn questions(&self, cx: &RequestCx) -> Result<Reply, ErrorData> {
        let Self::Modern { asker, bound } = self else {
            return Err(astray());
        };
        let result = asker.result(&cx.shared.seal, bound.as_ref())?;
        let result = result.with_meta(cx.shared.meta.clone());
        Ok(Reply::asks(&cx.id, &result))
    }
}

fn can_be_asked(capabilities: &ClientCapabilities) -> bool {
    let mut abilities = Ability::ALL.iter();
    abilities.any(|ability| wire::can(capabilities, *ability))
}

fn astray() -> ErrorData {
    let why = "questions were left open where they can be asked";
    ErrorData::internal_error(why, None)
}

/// Why a legacy client cannot be asked anything.
pub(crate) enum UnableClient {
    Undeclared,
    TakesNoEvents,
}

impl Asker for UnableClient {
    fn can(&self, _ability: Ability) -> bool {
        false
    }

    fn ask(&self, questions: &[Question], _leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        let needs = questions.first().map(|question| question.topic.needs());
        let why = match self {
            Self::Undeclared => cannot(needs.unwrap_or(Ability::Elicit)),
            Self::TakesNoEvents => {
                "the client takes no text/event-stream, so it cannot be asked".into()
            }
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
