//! Takes the fields of an object by type, and notes what does not fit.

use super::problem::PlanProblem;
use model::{did_you_mean, shorten, spoken_value};
use serde_json::{Map, Value};

/// Names that other systems have for a field.
const ELSEWHERE: [(&str, &str); 18] = [
    ("if", "when"),
    ("condition", "when"),
    ("depends_on", "after"),
    ("dependsOn", "after"),
    ("needs", "after"),
    ("requires", "after"),
    ("wait_for", "after"),
    ("name", "id"),
    ("task", "id"),
    ("key", "id"),
    ("loop", "foreach"),
    ("each", "foreach"),
    ("items", "foreach"),
    ("fields", "select"),
    ("format", "output"),
    ("show", "output"),
    ("server", "module"),
    ("retries", "retry"),
];

pub(super) struct Fields<'f> {
    pub(super) map: &'f Map<String, Value>,
    /// Whose they are: `` task `a` ``.
    pub(super) task: String,
    /// What stands before a field's name: `retry.`, or nothing.
    pub(super) above: &'static str,
    pub(super) problems: &'f mut Vec<PlanProblem>,
}

impl<'f> Fields<'f> {
    pub(super) fn wrong(&mut self, field: &str, message: impl Into<String>) {
        let field = format!("{}{field}", self.above);
        let problem = PlanProblem::field(&self.task, &field, message);
        self.problems.push(problem);
    }

    /// A value of the wrong kind: what it must be, and what it is.
    pub(super) fn must(&mut self, field: &str, be: &str, value: &Value) {
        self.wrong(field, format!("must be {be}, not {}", spoken_value(value)));
    }

    pub(super) fn none_but(&mut self, known: &[&str]) {
        for name in self.map.keys() {
            if !known.contains(&name.as_str()) {
                let elsewhere = ELSEWHERE.iter().find(|(other, _)| other == name);
                let elsewhere = elsewhere.map(|(_, ours)| *ours);
                let elsewhere = elsewhere.filter(|ours| known.contains(ours));
                let near = elsewhere.or_else(|| did_you_mean(name, known.iter().copied()));
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are {}", known.join(", ")),
                };
                self.wrong(&shorten(name), format!("is not a field; {help}"));
            }
        }
    }

    /// The field's value; one that is null is as good as absent.
    pub(super) fn get(&self, field: &str) -> Option<&'f Value> {
        self.map.get(field).filter(|value| !value.is_null())
    }

    pub(super) fn text(&mut self, field: &str) -> Option<&'f str> {
        let value = self.get(field)?;
        if value.as_str().is_none() {
            self.must(field, "a string", value);
        }
        value.as_str()
    }

    pub(super) fn required_text(&mut self, field: &str) -> Option<&'f str> {
        if self.get(field).is_none() {
            self.wrong(field, "is required");
        }
        self.text(field)
    }

    pub(super) fn flag(&mut self, field: &str) -> bool {
        let Some(value) = self.get(field) else {
            return false;
        };
        let flag = as_flag(value);
        if flag.is_none() {
            self.must(field, "true or false", value);
        }
        flag.unwrap_or_default()
    }

    /// Ids of tasks: a list of them, or one.
    pub(super) fn ids(&mut self, field: &str) -> Option<Vec<String>> {
        let value = self.get(field)?;
        let ids: Option<Vec<String>> = match value {
            Value::Array(items) => items.iter().map(as_id).collect(),
            Value::String(text) => Some(text.split(',').map(|id| bare_id(id).to_owned()).collect()),
            one => as_id(one).map(|id| vec![id]),
        };
        let ids = ids.filter(|ids| ids.iter().all(|id| !id.is_empty()));
        if ids.is_none() {
            let given = match value {
                Value::Array(items) => {
                    items.iter().find(|item| as_id(item).is_none_or(|id| id.is_empty()))
                }
                one => Some(one),
            };
            let given = given.map(spoken_value).unwrap_or_default();
            let message = format!("must be a list of ids, such as [\"search\"], and has {given}");
            self.wrong(field, message);
        }
        ids
    }

    pub(super) fn whole(&mut self, field: &str, most: u64) -> Option<u64> {
        let value = self.get(field)?;
        let number = match value {
            Value::String(text) => text.trim().parse().ok(),
            other => other.as_u64(),
        };
        let number = number.filter(|n| (1..=most).contains(n));
        if number.is_none() {
            self.must(field, &format!("a whole number from 1 to {most}"), value);
        }
        number
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&mut self, field: &str, words: &[(&str, T)]) -> Option<T> {
        let value = self.get(field)?;
        let given = value.as_str().unwrap_or_default();
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == given) {
            return Some(*meaning);
        }
        let names: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
        self.must(field, &format!("one of {}", names.join(", ")), value);
        None
    }
}

/// A boolean, also as text.
pub(super) fn as_flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// An id, also as a number or as a reference to the whole task.
fn as_id(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(bare_id(text).to_owned()),
        other => other.as_u64().map(|number| number.to_string()),
    }
}

/// The id in `${id}`.
fn bare_id(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("${").and_then(|text| text.strip_suffix('}'));
    inner.map_or(text, str::trim)
}
