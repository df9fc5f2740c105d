//! Takes the fields of an object by type, and notes what does not fit.

use super::problem::PlanProblem;
use crate::accept::spoken_value;
use crate::did_you_mean;
use serde_json::{Map, Value};

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
                let help = match did_you_mean(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are {}", known.join(", ")),
                };
                self.wrong(
                    &crate::accept::shorten(name),
                    format!("is not a field; {help}"),
                );
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
        let value = self.get(field);
        if let Some(value) = value.filter(|value| !value.is_boolean()) {
            self.must(field, "true or false", value);
        }
        value.and_then(Value::as_bool).unwrap_or_default()
    }

    pub(super) fn texts(&mut self, field: &str, be: &str) -> Option<Vec<String>> {
        let value = self.get(field)?;
        let text = |item: &Value| item.as_str().filter(|t| !t.is_empty()).map(str::to_owned);
        let items = value.as_array();
        let texts = items.and_then(|items| items.iter().map(text).collect());
        if texts.is_none() {
            self.must(field, be, value);
        }
        texts
    }

    pub(super) fn whole(&mut self, field: &str, most: u64) -> Option<u64> {
        let value = self.get(field)?;
        let number = value.as_u64().filter(|n| (1..=most).contains(n));
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
