//! A way into a value: `user.login`, `labels[*].name`, `properties["Due date"].date`.

use serde_json::Value;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Key(String),
    /// Of a list, every item.
    Each,
    /// Of a list, one item; a negative number counts from the end.
    At(i64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// Reads a path, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        let mut rest = text;
        // A name may follow a dot, or stand first; brackets may follow anything.
        let mut name_expected = !text.starts_with('[');
        while name_expected || !rest.is_empty() {
            let (step, after) = if name_expected { name(text, rest)? } else { bracket(rest)? };
            steps.push(step);
            rest = after;
            name_expected = rest.starts_with('.');
            if name_expected {
                rest = &rest[1..];
            }
        }
        Ok(Self(steps))
    }

    /// The value it leads to; an item of a mapped list that has no such thing counts as null.
    pub fn find(&self, value: &Value) -> Option<Value> {
        walk(&self.0, value)
    }

    /// Whether it leads anywhere in the value.
    pub fn leads(&self, value: &Value) -> bool {
        reaches(&self.0, value)
    }

    pub fn has_index(&self) -> bool {
        self.0.iter().any(|step| matches!(step, Step::At(_)))
    }

    /// What a field that nobody named is called: its path, without brackets.
    pub fn name(&self) -> String {
        let keys: Vec<&str> = self.0.iter().filter_map(Step::key).collect();
        keys.join(".")
    }

    pub fn first_key(&self) -> Option<&str> {
        self.0.first().and_then(Step::key)
    }

    /// The last key, which makes the best name.
    pub fn last_key(&self) -> Option<&str> {
        self.0.iter().rev().find_map(Step::key)
    }

    /// The same path with `[*]` wherever it meets a list, if that leads somewhere.
    pub fn through_lists(&self, value: &Value) -> Option<Self> {
        let (mut steps, mut here) = (Vec::new(), value);
        for step in &self.0 {
            if let (Step::Key(_), Value::Array(items)) = (step, here) {
                steps.push(Step::Each);
                here = items.first()?;
            }
            here = match step {
                Step::Each => here.as_array()?.first()?,
                step => step.child(here)?,
            };
            steps.push(step.clone());
        }
        Some(Self(steps))
    }

    /// The path with one more step.
    #[must_use]
    pub fn then(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    /// The path with the steps of another after its own.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self([self.0.as_slice(), other.0.as_slice()].concat())
    }

    /// The way on from the items of the list `key`, if it goes through them.
    pub fn below(&self, key: &str) -> Option<Self> {
        match self.0.as_slice() {
            [Step::Key(first), Step::Each, rest @ ..] if first == key && !rest.is_empty() => {
                Some(Self(rest.to_vec()))
            }
            _ => None,
        }
    }
}

impl Step {
    /// The value that the step leads to; none for `[*]`, which leads to several.
    pub fn child<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Key(key) => value.get(key),
            Self::Each => None,
            Self::At(index) => {
                let items = value.as_array()?;
                let from_end = || items.len().checked_sub(index.unsigned_abs().try_into().ok()?);
                items.get(usize::try_from(*index).ok().or_else(from_end)?)
            }
        }
    }

    fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Each | Self::At(_) => None,
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if is_bare(key) && i == 0 => f.write_str(key)?,
                Step::Key(key) if is_bare(key) => write!(f, ".{key}")?,
                Step::Key(key) => write!(f, "[{}]", Value::from(key.as_str()))?,
                Step::Each => f.write_str("[*]")?,
                Step::At(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Whether a key can stand in a path without quotes, also where the path is in a list or in a note.
fn is_bare(key: &str) -> bool {
    const MARKS: [char; 9] = ['.', '[', ']', ':', ',', ';', '(', ')', '"'];
    let is_mark = |c: char| MARKS.contains(&c) || c.is_control();
    !key.is_empty() && key.trim() == key && !key.contains(is_mark)
}

fn walk(steps: &[Step], value: &Value) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(value.clone());
    };
    match step {
        Step::Key(_) | Step::At(_) => walk(rest, step.child(value)?),
        Step::Each => {
            let items = value.as_array().filter(|_| reaches(steps, value))?;
            let found = items.iter().map(|item| walk(rest, item));
            Some(found.map(Option::unwrap_or_default).collect())
        }
    }
}

/// A list without items could have held anything.
fn reaches(steps: &[Step], value: &Value) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return true;
    };
    match (step, value) {
        (Step::Each, Value::Array(items)) => {
            items.is_empty() || items.iter().any(|item| reaches(rest, item))
        }
        _ => step.child(value).is_some_and(|child| reaches(rest, child)),
    }
}

fn name<'t>(text: &str, rest: &'t str) -> Result<(Step, &'t str), String> {
    let end = rest.find(['.', '[', ']']).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    if name.trim().is_empty() {
        return Err(match (text.len() == rest.len(), after.is_empty()) {
            (true, true) => "names nothing; write a field such as `title` or `user.login`".into(),
            (true, false) => format!("starts with `{}`; start with a field", &after[..1]),
            (false, true) => "ends with a dot; write the field that follows it".into(),
            (false, false) => "has a dot that no field follows".into(),
        });
    }
    if after.starts_with(']') {
        return Err("closes a bracket that is not open".into());
    }
    Ok((Step::Key(name.trim().to_owned()), after))
}

fn bracket(rest: &str) -> Result<(Step, &str), String> {
    let Some(inner) = rest.strip_prefix('[') else {
        return Err(format!("has `{rest}` after a bracket; put a dot before it"));
    };
    if inner.starts_with('"') {
        return quoted(inner);
    }
    let Some((inner, after)) = inner.split_once(']') else {
        return Err("opens a bracket and does not close it".into());
    };
    let step = match (inner.trim(), inner.trim().parse()) {
        ("*", _) => Step::Each,
        (_, Ok(index)) => Step::At(index),
        (other, Err(_)) => {
            return Err(format!(
                "has `[{other}]`; between brackets stands `*`, a number, or a name in quotes"
            ));
        }
    };
    Ok((step, after))
}

/// A name in quotes, as JSON writes it, and its bracket.
fn quoted(inner: &str) -> Result<(Step, &str), String> {
    let mut names = serde_json::Deserializer::from_str(inner).into_iter::<String>();
    let name = names.next().and_then(Result::ok);
    let Some((name, after)) = name.zip(inner.get(names.byte_offset()..)) else {
        return Err("opens a quote and does not close it".into());
    };
    match after.trim_start().strip_prefix(']') {
        Some(after) => Ok((Step::Key(name), after)),
        None => Err("opens a bracket and does not close it".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_read() {
        let key = |name: &str| Step::Key(name.into());
        for (text, steps) in [
            ("title", vec![key("title")]),
            ("user.login", vec![key("user"), key("login")]),
            ("labels[*].name", vec![key("labels"), Step::Each, key("name")]),
            ("tags[*]", vec![key("tags"), Step::Each]),
            ("a[0]", vec![key("a"), Step::At(0)]),
            ("a[ -1 ].b", vec![key("a"), Step::At(-1), key("b")]),
            ("rows[*][0]", vec![key("rows"), Step::Each, Step::At(0)]),
            (r#"p["Due. \"x\""].date"#, vec![key("p"), key("Due. \"x\""), key("date")]),
            (r#"["a.b"]"#, vec![key("a.b")]),
            ("[*].id", vec![Step::Each, key("id")]),
            ("Project Name", vec![key("Project Name")]),
            ("名前.姓", vec![key("名前"), key("姓")]),
        ] {
            assert_eq!(Path::parse(text), Ok(Path(steps)), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_path_is_said() {
        for (text, wrong) in [
            ("", "names nothing; write a field such as `title` or `user.login`"),
            ("  ", "names nothing; write a field such as `title` or `user.login`"),
            (".id", "starts with `.`; start with a field"),
            ("]", "starts with `]`; start with a field"),
            ("a.", "ends with a dot; write the field that follows it"),
            ("a..b", "has a dot that no field follows"),
            ("a.[0]", "has a dot that no field follows"),
            ("a]", "closes a bracket that is not open"),
            ("a[0", "opens a bracket and does not close it"),
            ("a[\"b", "opens a quote and does not close it"),
            ("a[\"b\"", "opens a bracket and does not close it"),
            ("a[*]b", "has `b` after a bracket; put a dot before it"),
            ("a[b]", "has `[b]`; between brackets stands `*`, a number, or a name in quotes"),
            ("a[]", "has `[]`; between brackets stands `*`, a number, or a name in quotes"),
            ("a[1:2]", "has `[1:2]`; between brackets stands `*`, a number, or a name in quotes"),
        ] {
            assert_eq!(Path::parse(text), Err(wrong.into()), "{text}");
        }
    }

    #[test]
    fn paths_lead_somewhere_or_nowhere() {
        let value = json!({"user": {"login": "ada", "x": null}, "tags": ["a", "b"], "none": [],
                           "labels": [{"name": "bug"}, {}], "rows": [[1, 2], [3, 4]]});
        for (path, found) in [
            ("user.login", Some(json!("ada"))),
            ("user.x", Some(json!(null))),
            ("user.y", None),
            ("user[0]", None),
            ("tags.name", None),
            ("tags[*]", Some(json!(["a", "b"]))),
            ("tags[-1]", Some(json!("b"))),
            ("tags[2]", None),
            ("tags[-3]", None),
            ("none[*].name", Some(json!([]))),
            ("labels[*].name", Some(json!(["bug", null]))),
            ("labels[*].color", None),
            ("rows[*][1]", Some(json!([2, 4]))),
            ("rows[*][*]", Some(json!([[1, 2], [3, 4]]))),
        ] {
            assert_eq!(Path::parse(path).unwrap().find(&value), found, "{path}");
        }
    }

    #[test]
    fn a_path_is_shown_as_it_is_written() {
        for text in ["a.b", "a[*].b", "a[-1]", "a[\"b.c\"].d", "[*].id"] {
            assert_eq!(Path::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic() {
        let parts = ["a", ".", "[", "]", "*", "\"", "-1", ":", "é", " ", "\\"];
        for n in 0..parts.len().pow(5) {
            let pick = |i: u32| parts[n / parts.len().pow(i) % parts.len()];
            let text: String = (0..5).map(pick).collect();
            if let Ok(path) = Path::parse(&text) {
                let shown = path.to_string();
                assert_eq!(Path::parse(&shown), Ok(path), "{text} as {shown}");
            }
        }
    }
}
