//! `questions = [...]` of a tool: requests in plain language, which tool search indexes.

use crate::stdlib::prelude::*;

const MAX_QUESTIONS: usize = 50;
const MAX_CHARACTERS: usize = 200;

/// Reads the questions of a declared tool; none if it has no `questions`.
pub(crate) fn read_questions(given: Option<Value<'_>>) -> Result<Vec<String>, String> {
    let Some(given) = given.filter(|value| !value.is_none()) else {
        return Ok(Vec::new());
    };
    let list = ListRef::from_value(given).map(ListRef::content);
    let tuple = || TupleRef::from_value(given).map(TupleRef::content);
    let Some(items) = list.or_else(tuple) else {
        return Err(format!(
            "`questions` is a list of strings such as [\"who is on call?\"], not a {}",
            given.get_type()
        ));
    };
    if items.len() > MAX_QUESTIONS {
        return Err(format!(
            "`questions` has {} entries; at most {MAX_QUESTIONS} are allowed",
            items.len()
        ));
    }
    (0..).zip(items).map(|(index, item)| read(index, *item)).collect()
}

fn read(index: usize, item: Value<'_>) -> Result<String, String> {
    let Some(text) = item.unpack_str() else {
        return Err(format!("`questions[{index}]` must be a string, not a {}", item.get_type()));
    };
    let text = text.trim();
    let characters = text.chars().count();
    if characters == 0 {
        return Err(format!("`questions[{index}]` is empty; remove it"));
    }
    if characters > MAX_CHARACTERS {
        return Err(format!(
            "`questions[{index}]` has {characters} characters; at most {MAX_CHARACTERS} are allowed"
        ));
    }
    Ok(text.to_owned())
}
