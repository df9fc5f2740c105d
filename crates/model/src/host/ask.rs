//! Questions to whoever is behind the client: a person, a model, or the client itself.

use super::HostError;
use crate::{Leash, Message};
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What its answer goes by; without one, by what it needs.
    pub key: Option<String>,
    pub topic: Topic,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Topic {
    /// A form for a person to fill in: an object of plain fields.
    Form { message: String, schema: Value },
    /// A page on which a person goes on.
    Page { message: String, url: String },
    /// Messages for a model to answer.
    Sample(Sample),
    /// The folders that the client works in.
    Roots,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    pub messages: Vec<Message>,
    pub max_tokens: u32,
    pub system: Option<String>,
    pub temperature: Option<f64>,
    /// Texts at which the model ends.
    pub stop: Vec<String>,
    /// Names of models that would be welcome, the best first.
    pub models: Vec<String>,
}

/// What a client must be able to do for a question to reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    Elicit,
    ElicitUrl,
    Sample,
    Roots,
}

impl Ability {
    pub const ALL: [Self; 4] = [Self::Elicit, Self::ElicitUrl, Self::Sample, Self::Roots];

    /// As scripts call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Elicit => "elicit",
            Self::ElicitUrl => "elicit_url",
            Self::Sample => "sample",
            Self::Roots => "roots",
        }
    }

    /// As clients declare it.
    pub fn capability(self) -> &'static str {
        match self {
            Self::Elicit => "elicitation",
            Self::ElicitUrl => "elicitation.url",
            Self::Sample => "sampling",
            Self::Roots => "roots",
        }
    }
}

impl Topic {
    pub fn needs(&self) -> Ability {
        match self {
            Self::Form { .. } => Ability::Elicit,
            Self::Page { .. } => Ability::ElicitUrl,
            Self::Sample(_) => Ability::Sample,
            Self::Roots => Ability::Roots,
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    #[error("{0}")]
    Refused(HostError),
    /// The client hears the question when this call has ended, and makes the call again with the
    /// answer: the script goes no further.
    #[error("the client has to answer first")]
    Later,
}

impl From<HostError> for Unanswered {
    fn from(error: HostError) -> Self {
        Self::Refused(error)
    }
}

/// Takes a call's questions to its client.
pub trait Asker: Send + Sync {
    fn can(&self, ability: Ability) -> bool;

    /// The answers in the order of the questions, each as `Topic::read` gives it.
    fn ask(&self, questions: &[Question], leash: &Leash) -> Result<Vec<Value>, Unanswered>;
}
