//! A plan as it was sent: a list, or text with one task a line.

use super::follow::kind;
use super::problem::PlanProblem;
use super::task::TaskId;
use crate::duplicate_key;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// One task as it was written, and where: `task 2`, `line 3`.
pub(super) struct Entry<'s> {
    pub(super) place: String,
    pub(super) fields: Cow<'s, Map<String, Value>>,
}

/// The entries, as far as they are objects; the rest are problems.
pub(super) fn entries<'s>(
    source: &'s Value,
    most: usize,
    problems: &mut Vec<PlanProblem>,
) -> Vec<Entry<'s>> {
    let read = match source {
        Value::Array(items) => list(items.iter().map(Cow::Borrowed).collect(), most),
        Value::String(text) => of_text(text, most),
        other => Err(format!(
            "the tasks are a list, or text with one task a line, not {}",
            kind(other)
        )),
    };
    let read = read.unwrap_or_else(|whole| vec![Err(PlanProblem::whole(whole))]);
    if read.is_empty() {
        problems.push(PlanProblem::whole("a batch needs at least one task"));
    }
    let mut keep = |entry: Result<Entry<'s>, PlanProblem>| {
        entry.map_err(|problem| problems.push(problem)).ok()
    };
    read.into_iter().filter_map(&mut keep).collect()
}

type Read<'s> = Result<Vec<Result<Entry<'s>, PlanProblem>>, String>;

fn of_text(text: &str, most: usize) -> Read<'static> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('[') {
        let items: Vec<Value> = serde_json::from_str(text)
            .map_err(|error| format!("the tasks are not valid JSON: {error}"))?;
        if let Some(duplicate) = duplicate_key(text.as_bytes()) {
            return Err(format!("the tasks cannot be used: {duplicate}"));
        }
        return list(items.into_iter().map(Cow::Owned).collect(), most);
    }
    let lines = text.lines().enumerate();
    let lines: Vec<_> = lines.filter(|(_, line)| !line.trim().is_empty()).collect();
    few_enough(lines.len(), most)?;
    let entry = |(i, line): (usize, &str)| {
        let place = format!("line {}", i + 1);
        match serde_json::from_str(line) {
            Ok(value) => match duplicate_key(line.as_bytes()) {
                Some(duplicate) => Err(PlanProblem::task(&place, duplicate.to_string())),
                None => Entry::of(place, Cow::Owned(value)),
            },
            Err(error) => Err(PlanProblem::task(&place, not_json(line, &error))),
        }
    };
    Ok(lines.into_iter().map(entry).collect())
}

fn list(items: Vec<Cow<'_, Value>>, most: usize) -> Read<'_> {
    few_enough(items.len(), most)?;
    let items = items.into_iter().enumerate();
    let entries = items.map(|(i, item)| Entry::of(format!("task {}", i + 1), item));
    Ok(entries.collect())
}

fn few_enough(count: usize, most: usize) -> Result<(), String> {
    if count <= most {
        return Ok(());
    }
    Err(format!(
        "a batch may have {most} tasks, and this has {count}; split it, or use `foreach`"
    ))
}

/// The parser's words, with a column that counts in characters, and without a line, which is ours.
fn not_json(line: &str, error: &serde_json::Error) -> String {
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    let bytes = error.column().min(line.len());
    let before = line.as_bytes().iter().take(bytes);
    let column = before.filter(|byte| !matches!(byte, 0x80..=0xBF)).count();
    format!("not valid JSON: {words} at column {column}")
}

impl<'s> Entry<'s> {
    /// Its id, if references can name it.
    pub(super) fn id(&self) -> Option<&str> {
        let id = self.fields.get("id").and_then(Value::as_str);
        id.filter(|id| TaskId::read(id).is_ok())
    }

    fn of(place: String, value: Cow<'s, Value>) -> Result<Self, PlanProblem> {
        let fields = match value {
            Cow::Borrowed(Value::Object(fields)) => Cow::Borrowed(fields),
            Cow::Owned(Value::Object(fields)) => Cow::Owned(fields),
            other => {
                let message = format!("a task is an object, not {}", kind(&other));
                return Err(PlanProblem::task(&place, message));
            }
        };
        Ok(Self { place, fields })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(source: &Value, expected: &[&str], wrong: &[&str]) {
        let mut problems = Vec::new();
        let entries = entries(source, 3, &mut problems);
        let got = entries
            .iter()
            .map(|entry| format!("{} {}", entry.place, json!(*entry.fields)));
        assert_eq!(got.collect::<Vec<_>>(), expected, "{source}");
        let got = problems.iter().map(PlanProblem::to_string);
        assert_eq!(got.collect::<Vec<_>>(), wrong, "{source}");
    }

    #[test]
    fn lists_and_lines_are_read() {
        check(
            &json!([{"a": 1}, {}]),
            &[r#"task 1 {"a":1}"#, "task 2 {}"],
            &[],
        );
        check(
            &json!("{\"a\":1}\n{}"),
            &[r#"line 1 {"a":1}"#, "line 2 {}"],
            &[],
        );
        check(
            &json!("\n\r\n  {} \r\n\t\n{}\n"),
            &["line 3 {}", "line 5 {}"],
            &[],
        );
        check(&json!("\u{feff}{}"), &["line 1 {}"], &[]);
        check(
            &json!(" [{},\n {\"a\":[]}]\n"),
            &["task 1 {}", r#"task 2 {"a":[]}"#],
            &[],
        );
    }

    #[test]
    fn what_is_no_task_is_named() {
        let none = "a batch needs at least one task";
        check(&json!([]), &[], &[none]);
        check(&json!(""), &[], &[none]);
        check(&json!(" \n\n"), &[], &[none]);
        check(
            &json!({"id": "a"}),
            &[],
            &["the tasks are a list, or text with one task a line, not an object"],
        );
        check(
            &json!([{}, 3, null]),
            &["task 1 {}"],
            &[
                "task 2: a task is an object, not a number",
                "task 3: a task is an object, not null",
            ],
        );
        check(
            &json!("{}\n[]\n{\"設\" 1}"),
            &["line 1 {}"],
            &[
                "line 2: a task is an object, not a list",
                "line 3: not valid JSON: expected `:` at column 6",
            ],
        );
        check(
            &json!("{\"a\":"),
            &[],
            &["line 1: not valid JSON: EOF while parsing a value at column 5"],
        );
        check(
            &json!("[{},\n {]"),
            &[],
            &["the tasks are not valid JSON: key must be a string at line 2 column 3"],
        );
        check(
            &json!("{\"id\":\"a\",\"id\":\"b\"}\n{\"params\":{\"x\":1,\"x\":2}}\n{}"),
            &["line 3 {}"],
            &[
                "line 1: the key `id` is there twice in one object",
                "line 2: the key `x` is there twice in one object",
            ],
        );
        check(
            &json!("[{\"params\":{\"x\":1,\"x\":2}}]"),
            &[],
            &["the tasks cannot be used: the key `x` is there twice in one object"],
        );
    }

    #[test]
    fn too_many_are_refused_before_they_are_read() {
        let many = |count| {
            format!("a batch may have 3 tasks, and this has {count}; split it, or use `foreach`")
        };
        check(&json!([1, 2, 3, 4]), &[], &[&many(4)]);
        check(&json!("x\nx\n\nx\nx\nx"), &[], &[&many(5)]);
        check(&json!("[{},{},{},{}]"), &[], &[&many(4)]);
    }
}
