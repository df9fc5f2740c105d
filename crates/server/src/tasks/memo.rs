//! What is kept of a task so that it can go on, in this process or in a later one.

use crate::asking::{Left, Rounds};
use rmcp::model::{ClientCapabilities, InputRequest, InputRequests, InputResponses};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Memo {
    /// What the client can be asked.
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) rounds: Rounds,
    /// Answers that no run has seen yet.
    pub(crate) given: InputResponses,
    open: BTreeMap<String, Open>,
    /// No two questions of a task go by the same name, not even if one is asked again.
    used: BTreeSet<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Open {
    /// What the script's side calls it.
    key: String,
    request: InputRequest,
}

impl Memo {
    pub(crate) fn new(capabilities: ClientCapabilities) -> Self {
        Self { capabilities, ..Self::default() }
    }

    /// What cannot be read has been kept by a server that knows more: then nothing is open.
    pub(crate) fn read(value: &Value) -> Self {
        serde_json::from_value(value.clone()).unwrap_or_default()
    }

    pub(crate) fn write(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    pub(crate) fn ask(&mut self, left: Left) {
        self.rounds = left.rounds;
        self.given = InputResponses::new();
        for (key, request) in left.open {
            let name = self.unused(&key);
            self.used.insert(name.clone());
            self.open.insert(name, Open { key, request });
        }
    }

    fn unused(&self, key: &str) -> String {
        let numbered = (2..).map(|number| format!("{key}.{number}"));
        let mut names = std::iter::once(key.to_owned()).chain(numbered);
        let free = names.find(|name| !self.used.contains(name));
        free.unwrap_or_default()
    }

    /// Takes the answers to what is open; the rest is nobody's. Answers whether nothing is open now.
    pub(crate) fn take(&mut self, answers: InputResponses) -> bool {
        for (name, answer) in answers {
            if let Some(open) = self.open.remove(&name) {
                self.given.insert(open.key, answer);
            }
        }
        self.open.is_empty()
    }

    pub(crate) fn questions(&self) -> InputRequests {
        let open = self.open.iter();
        open.map(|(name, open)| (name.clone(), open.request.clone())).collect()
    }
}
