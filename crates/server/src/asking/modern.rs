//! Questions in the modern era: nothing can be sent to the client, so what it has not answered yet
//! becomes the result, and the request comes again with the answers.

use super::seal::{Bound, Rounds, Seal};
use super::{cannot, numbered};
use crate::wire;
use model::{Ability, Asker, HostError, Leash, Question, Topic, Unanswered, Unfit};
use parking_lot::Mutex;
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, ErrorCode, InputRequest, InputRequiredResult, InputResponses,
};
use serde_json::{Value, json};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};

pub(crate) struct Modern {
    capabilities: ClientCapabilities,
    /// What came with this request; not looked at yet.
    given: InputResponses,
    /// What earlier rounds have left, if the client has sent it along.
    earlier: Option<Rounds>,
    /// An answer that cannot be read is asked for again: there is no request that could fail.
    insists: bool,
    round: Mutex<Round>,
}

/// What a run has left: what was said, and what it wants to know.
pub(crate) struct Left {
    pub(crate) rounds: Rounds,
    pub(crate) open: BTreeMap<String, InputRequest>,
}

/// What this run of the script has come to.
#[derive(Default)]
struct Round {
    uses: HashMap<String, usize>,
    rounds: Rounds,
    open: BTreeMap<String, InputRequest>,
    refusal: Option<ErrorData>,
}

impl Modern {
    pub(crate) fn new(
        capabilities: ClientCapabilities,
        given: InputResponses,
        earlier: Option<Rounds>,
    ) -> Self {
        Self { capabilities, given, earlier, insists: false, round: Mutex::default() }
    }

    /// For a task that goes on.
    pub(crate) fn insisting(mut self) -> Self {
        self.insists = true;
        self
    }

    pub(crate) fn left(&self) -> Result<Left, ErrorData> {
        let mut round = self.round.lock();
        match round.refusal.take() {
            Some(refusal) => Err(refusal),
            None => Ok(Left {
                rounds: std::mem::take(&mut round.rounds),
                open: std::mem::take(&mut round.open),
            }),
        }
    }

    /// What the client is told when the script could not go on.
    pub(crate) fn result(
        &self,
        seal: &Seal,
        bound: Option<&Bound>,
    ) -> Result<InputRequiredResult, ErrorData> {
        let left = self.left()?;
        let Some(bound) = bound else {
            let why = "a client that cannot be asked was asked";
            return Err(ErrorData::internal_error(why, None));
        };
        let state = seal.close(&left.rounds, bound)?;
        Ok(InputRequiredResult::new(Some(left.open), Some(state)))
    }

    /// The answer under this key, if it was given to this very question.
    fn answer(&self, key: &str, digest: u64) -> Option<&Value> {
        // The conformance suite sends answers with the first request, which has no state yet.
        let Some(earlier) = &self.earlier else { return self.given.get(key) };
        match earlier.answered.get(key) {
            Some((known, answer)) => (*known == digest).then_some(answer),
            None if earlier.asked.get(key) == Some(&digest) => self.given.get(key),
            None => None,
        }
    }
}

impl Asker for Modern {
    fn can(&self, ability: Ability) -> bool {
        wire::can(&self.capabilities, ability)
    }

    fn ask(&self, questions: &[Question], _leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        let mut round = self.round.lock();
        let mut needs = questions.iter().map(|question| question.topic.needs());
        if let Some(lacking) = needs.find(|ability| !self.can(*ability)) {
            round.refusal = Some(missing(lacking));
            return Err(Unanswered::Later);
        }
        let mut answers = Vec::with_capacity(questions.len());
        for Question { key, topic } in questions {
            let key = numbered(&mut round.uses, key.as_deref(), topic);
            let digest = digest(topic);
            let answer = self.answer(&key, digest);
            let note = match answer.map(|answer| topic.read(answer)) {
                Some(Ok(read)) => {
                    let given = answer.cloned().unwrap_or_default();
                    round.rounds.answered.insert(key, (digest, given));
                    answers.push(read);
                    continue;
                }
                Some(Err(Unfit::Shape(why))) if !self.insists => {
                    let why = format!("the answer to `{key}` cannot be read: {why}");
                    round.refusal = Some(ErrorData::invalid_params(why, None));
                    return Err(Unanswered::Later);
                }
                Some(Err(Unfit::Content(why) | Unfit::Shape(why))) => Some(why),
                None => None,
            };
            let asked = wire::question(topic, note.as_deref()).map_err(HostError)?;
            round.rounds.asked.insert(key.clone(), digest);
            round.open.insert(key, asked);
        }
        if round.open.is_empty() { Ok(answers) } else { Err(Unanswered::Later) }
    }
}

fn missing(ability: Ability) -> ErrorData {
    ErrorData::new(
        ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
        cannot(ability),
        Some(json!({"requiredCapabilities": wire::capability(ability)})),
    )
}

/// Tells questions of one key apart: a script that takes another way asks something else.
fn digest(topic: &Topic) -> u64 {
    let mut hasher = DefaultHasher::new();
    let text = serde_json::to_string(topic).unwrap_or_default();
    text.hash(&mut hasher);
    hasher.finish()
}
