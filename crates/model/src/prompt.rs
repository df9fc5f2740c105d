//! A prompt as a client may see it, and the messages it gives.

use crate::{Content, Input, PromptName, did_you_mean};
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Debug, Clone)]
pub struct Prompt {
    pub name: PromptName,
    pub title: Option<String>,
    pub description: String,
    pub icons: Option<Value>,
    /// Its arguments. Clients send text, which is read by the parameter's type.
    pub input: Input,
}

impl Prompt {
    /// One line a person can read: `triage(repo: str, limit: int = 5)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, self.input.signature())
    }

    /// The first sentence of the description.
    pub fn summary(&self) -> &str {
        self.description.lines().next().unwrap_or_default().trim()
    }
}

/// What a prompt gives: messages to begin with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Conversation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub messages: Vec<Message>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Message {
    pub role: Role,
    pub content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    Assistant,
}

const ROLES: [(&str, Role); 2] = [("user", Role::User), ("assistant", Role::Assistant)];

const EXPECTED: &str = "return a string, a list of messages or {\"messages\": [...]}";

impl Conversation {
    /// Bytes of all messages.
    pub fn size(&self) -> usize {
        let messages = self.messages.iter();
        messages.map(|message| message.content.size()).sum()
    }

    /// What a prompt's function gave: a text, a block, a list of these and of
    /// `{"role", "content"}`, or a dict with such a list under `messages`.
    pub fn read(given: Value) -> Result<Self, String> {
        match given {
            Value::Array(items) => Self::of(items, None),
            Value::Object(mut map) if map.contains_key("messages") => {
                let description = match map.remove("description") {
                    None | Some(Value::Null) => None,
                    Some(Value::String(text)) => Some(text),
                    Some(_) => return Err("`description` must be a string".into()),
                };
                match map.remove("messages") {
                    Some(Value::Array(items)) => Self::of(items, description),
                    _ => Err("`messages` must be a list".into()),
                }
            }
            Value::String(_) => Self::of(vec![given], None),
            Value::Object(ref map) if is_message(map) => Self::of(vec![given], None),
            Value::Null => Err(format!("None is no message; {EXPECTED}")),
            Value::Object(_) => Err(format!("the dict has no `messages`; {EXPECTED}")),
            Value::Bool(_) | Value::Number(_) => Err(format!("{given} is no message; {EXPECTED}")),
        }
    }

    fn of(items: Vec<Value>, description: Option<String>) -> Result<Self, String> {
        let read = |(i, item)| message(item).map_err(|why| format!("messages[{i}] {why}"));
        let messages: Result<_, _> = items.into_iter().enumerate().map(read).collect();
        Ok(Self { description, messages: messages? })
    }
}

fn is_message(map: &Map<String, Value>) -> bool {
    map.contains_key("role") || map.contains_key("type")
}

fn message(item: Value) -> Result<Message, String> {
    match item {
        Value::Object(mut map) if map.contains_key("role") || map.contains_key("content") => {
            let role = role(map.remove("role"))?;
            let content = map.remove("content").ok_or("has no `content`")?;
            let content = block(content).map_err(|why| format!("has a `content` that {why}"))?;
            Ok(Message { role, content })
        }
        other => Ok(Message { role: Role::User, content: block(other)? }),
    }
}

fn role(given: Option<Value>) -> Result<Role, String> {
    let given = match given {
        None => return Err("has no `role`; write \"user\" or \"assistant\"".into()),
        Some(Value::String(given)) => given,
        Some(_) => return Err("has a `role` that is no string".into()),
    };
    let found = ROLES.iter().find(|(name, _)| *name == given);
    found.map(|(_, role)| *role).ok_or_else(|| {
        let near = did_you_mean(&given, ROLES.map(|(name, _)| name));
        let hint = near.map_or_else(
            || "write \"user\" or \"assistant\"".to_owned(),
            |near| format!("did you mean \"{near}\"?"),
        );
        format!("has the role \"{given}\"; {hint}")
    })
}

fn block(content: Value) -> Result<Content, String> {
    match content {
        Value::String(text) => Ok(Content::text(text)),
        Value::Object(_) => {
            serde_json::from_value(content).map_err(|why| format!("is not a content block: {why}"))
        }
        other => Err(format!("is neither a string nor a content block: {other}")),
    }
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
