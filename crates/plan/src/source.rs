//! A plan as it was sent: a list, or text with one task per line. Other spellings that have only one
//! meaning are read as it.

use super::problem::PlanProblem;
use super::task::TaskId;
use model::{
    drop_trailing_commas, duplicate_key, kind_of, normalize_call, read_json_text, strip_fence,
};
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
    let read = match inside(source) {
        Value::Array(items) => list(items.iter().map(Cow::Borrowed).collect(), most),
        Value::String(text) => of_text(text, most),
        one @ Value::Object(_) => list(vec![Cow::Borrowed(one)], most),
        other => Err(format!(
            "the tasks are a list of objects, such as [{{\"id\": \"a\", \"module\": \"m\", \"tool\": \"t\", \
             \"output\": true}}], not {}",
            kind_of(other)
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

/// The tasks of an object that holds nothing but them.
fn inside(source: &Value) -> &Value {
    let object = source.as_object().filter(|object| object.len() == 1);
    let tasks = object.and_then(|object| object.get("tasks").or(object.get("commands")));
    tasks.unwrap_or(source)
}

fn of_text(text: &str, most: usize) -> Read<'static> {
    let text = strip_fence(text);
    if text.trim_start().starts_with('[') {
        return of_array(text, most);
    }
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let lines: Vec<_> = lines
        .map(|(i, line)| (format!("line {}", i + 1), line, serde_json::from_str(line)))
        .collect();
    let objects = match lines.as_slice() {
        [(_, line, Ok(one))] if duplicate_key(line.as_bytes()).is_none() => {
            inside(one).as_array().cloned()
        }
        lines if lines.iter().all(|(_, _, read)| read.is_ok()) => None,
        _ => of_objects(text),
    };
    if let Some(objects) = objects {
        return list(objects.into_iter().map(Cow::Owned).collect(), most);
    }
    few_enough(lines.len(), most)?;
    let entry = |(place, line, read): (String, &str, serde_json::Result<Value>)| match read {
        Ok(value) => match duplicate_key(line.as_bytes()) {
            Some(duplicate) => Err(PlanProblem::task(&place, duplicate.to_string())),
            None => Entry::of(place, Cow::Owned(value)),
        },
        Err(error) => Err(PlanProblem::task(&place, not_json(line, &error))),
    };
    Ok(lines.into_iter().map(entry).collect())
}

fn of_array(text: &str, most: usize) -> Read<'static> {
    let read = |text: &str| serde_json::from_str::<Vec<Value>>(text);
    let (items, text) = match read(text) {
        Ok(items) => (items, Cow::Borrowed(text)),
        Err(error) => {
            let tidy = drop_trailing_commas(text);
            let wrong = |_| format!("the tasks are not valid JSON: {error}");
            (read(&tidy).map_err(wrong)?, Cow::Owned(tidy))
        }
    };
    if let Some(duplicate) = duplicate_key(text.as_bytes()) {
        return Err(format!("the tasks cannot be used: {duplicate}"));
    }
    list(items.into_iter().map(Cow::Owned).collect(), most)
}

/// Objects over several lines, one after the other or with commas between them; or one object that holds
/// all tasks.
fn of_objects(text: &str) -> Option<Vec<Value>> {
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let (mut values, mut begin) = (Vec::new(), 0);
    while let Some(Ok(value)) = objects.next() {
        let end = objects.byte_offset();
        if duplicate_key(&text.as_bytes()[begin..end]).is_some() {
            return None;
        }
        begin = end;
        values.push(value);
    }
    if !text[begin..].trim().is_empty() {
        let Value::Array(all) = read_json_text(&format!("[{text}]"))? else {
            return None;
        };
        values = all;
    }
    let inner = match values.as_slice() {
        [one] => inside(one).as_array().cloned(),
        _ => None,
    };
    Some(inner.unwrap_or(values))
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
    Err(format!("a batch may have {most} tasks, and this has {count}; split it, or use `foreach`"))
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
        let text = value.as_str().and_then(read_json_text);
        let mut fields = match text.map_or(value, Cow::Owned) {
            Cow::Borrowed(Value::Object(fields)) => Cow::Borrowed(fields),
            Cow::Owned(Value::Object(fields)) => Cow::Owned(fields),
            other => {
                let message = format!("a task is an object, not {}", kind_of(&other));
                return Err(PlanProblem::task(&place, message));
            }
        };
        normalize_call(&mut fields);
        if let Some(number) = fields.get("id").and_then(Value::as_u64) {
            let id = Value::from(number.to_string());
            fields.to_mut().insert("id".to_owned(), id);
        }
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
        let got = entries.iter().map(|entry| format!("{} {}", entry.place, json!(*entry.fields)));
        assert_eq!(got.collect::<Vec<_>>(), expected, "{source}");
        let got = problems.iter().map(PlanProblem::to_string);
        assert_eq!(got.collect::<Vec<_>>(), wrong, "{source}");
    }

    #[test]
    fn lists_and_lines_are_read() {
        check(&json!([{"a": 1}, {}]), &[r#"task 1 {"a":1}"#, "task 2 {}"], &[]);
        check(&json!("{\"a\":1}\n{}"), &[r#"line 1 {"a":1}"#, "line 2 {}"], &[]);
        check(&json!("\n\r\n  {} \r\n\t\n{}\n"), &["line 3 {}", "line 5 {}"], &[]);
        check(&json!("\u{feff}{}"), &["line 1 {}"], &[]);
        check(&json!(" [{},\n {\"a\":[]}]\n"), &["task 1 {}", r#"task 2 {"a":[]}"#], &[]);
    }

    #[test]
    fn other_spellings_of_a_list_are_read_as_one() {
        let both = [r#"task 1 {"id":"1"}"#, r#"task 2 {"id":"b"}"#];
        for source in [
            json!([{"id": 1}, "{\"id\": \"b\"}"]),
            json!({"tasks": [{"id": 1}, {"id": "b"}]}),
            json!("{\"tasks\": [{\"id\": 1}, {\"id\": \"b\"}]}"),
            json!("{\n\"commands\": [{\"id\": 1}, {\"id\": \"b\"},],\n}"),
            json!("```json\n[{\"id\": 1}, {\"id\": \"b\"}]\n```"),
            json!("[{\"id\": 1,}, {\"id\": \"b\"},\n]"),
            json!("{\n \"id\": 1\n}\n{\n \"id\": \"b\"}"),
            json!("{\"id\": 1},\n{\"id\": \"b\"},"),
            json!("{\"id\": 1}{\"id\": \"b\"}"),
        ] {
            check(&source, &both, &[]);
        }
        check(&json!({"id": "a"}), &[r#"task 1 {"id":"a"}"#], &[]);
        check(&json!("{\"id\": 7}"), &[r#"line 1 {"id":"7"}"#], &[]);
    }

    #[test]
    fn what_is_no_task_is_named() {
        let none = "a batch needs at least one task";
        check(&json!([]), &[], &[none]);
        check(&json!(""), &[], &[none]);
        check(&json!(" \n\n"), &[], &[none]);
        check(
            &json!(3),
            &[],
            &[
                "the tasks are a list of objects, such as [{\"id\": \"a\", \"module\": \"m\", \"tool\": \"t\", \"output\": true}], not a number",
            ],
        );
        check(
            &json!([{}, 3, null]),
            &["task 1 {}"],
            &["task 2: a task is an object, not a number", "task 3: a task is an object, not null"],
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
