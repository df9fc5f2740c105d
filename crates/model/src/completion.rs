//! What somebody who types may mean: completions of an argument.

use crate::Schema;
use serde_json::Value;

/// As many as a client takes at once.
const MOST: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    pub values: Vec<String>,
    /// How many there are, those left out included.
    pub total: usize,
}

impl Completion {
    pub fn new(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(MOST);
        Self { values, total }
    }

    pub fn has_more(&self) -> bool {
        self.total > self.values.len()
    }
}

impl Schema {
    /// What a type itself says can be written for this beginning; types with endless values say nothing.
    pub fn completions(&self, beginning: &str) -> Vec<String> {
        let beginning = beginning.to_lowercase();
        let mut all = Vec::new();
        self.choices(&mut all);
        all.retain(|choice| choice.to_lowercase().starts_with(&beginning));
        all
    }

    fn choices(&self, into: &mut Vec<String>) {
        match self {
            Self::Bool => into.extend(["true".to_owned(), "false".to_owned()]),
            Self::OneOf(choices) => into.extend(choices.iter().map(|choice| match choice {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            })),
            Self::Union(kinds) => kinds.iter().for_each(|kind| kind.choices(into)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn choices_complete_themselves() {
        let check = |schema: &Schema, beginning: &str, expected: &[&str]| {
            assert_eq!(schema.completions(beginning), expected);
        };
        let state = Schema::OneOf(vec![json!("open"), json!("closed"), json!("Other")]);
        check(&state, "", &["open", "closed", "Other"]);
        check(&state, "O", &["open", "Other"]);
        check(&state, "x", &[]);
        check(&Schema::Bool, "T", &["true"]);
        check(&Schema::OneOf(vec![json!(1), json!(12)]), "1", &["1", "12"]);
        let maybe = Schema::Union(vec![state, Schema::Null]);
        check(&maybe, "cl", &["closed"]);
        check(&Schema::Str, "", &[]);
    }

    #[test]
    fn a_hundred_at_the_most() {
        let all: Vec<String> = (0..101).map(|i| i.to_string()).collect();
        let completion = Completion::new(all.clone());
        assert_eq!(completion.values, all[..100]);
        assert_eq!((completion.total, completion.has_more()), (101, true));
        assert!(!Completion::new(all[..100].to_vec()).has_more());
    }
}
