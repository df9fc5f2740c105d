//! JSON with references in its strings: parsed when a plan is read, filled when a task starts.

use super::cursor::{Cursor, Slip};
use super::reference::{Reference, show_name};
use super::scope::Scope;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Template {
    /// Nothing in it refers to anything.
    Plain(Value),
    /// The whole string is one reference: its value, with its type.
    Whole(Reference),
    Text(Vec<Part>),
    List(Vec<Template>),
    Object(Vec<(String, Template)>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Text(String),
    Reference(Reference),
}

/// A reference that stands somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) root: String,
    pub(super) has_default: bool,
    /// `params.page_id`, and where in that text.
    pub(super) field: String,
    pub(super) column: usize,
}

/// What was found on the way through a task's texts.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) mentions: Vec<Mention>,
    pub(super) slips: Vec<(String, Slip)>,
}

impl Findings {
    pub(super) fn mention(&mut self, field: String, column: usize, reference: &Reference) {
        self.mentions.push(Mention {
            root: reference.root.clone(),
            has_default: reference.default.is_some(),
            field,
            column,
        });
    }
}

/// Where a value stands; written out only when somebody asks.
#[derive(Clone, Copy)]
enum Path<'p> {
    Field(&'p str),
    Name(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl Path<'_> {
    fn show(self) -> String {
        match self {
            Self::Field(field) => field.to_owned(),
            Self::Name(above, name) => format!("{}{}", above.show(), show_name(name)),
            Self::Index(above, index) => format!("{}[{index}]", above.show()),
        }
    }
}

impl Template {
    pub(super) fn read(value: &Value, field: &str, findings: &mut Findings) -> Self {
        Self::read_at(value, Path::Field(field), findings)
    }

    fn read_at(value: &Value, path: Path<'_>, findings: &mut Findings) -> Self {
        match value {
            Value::String(text) if text.contains("${") => Self::read_text(text, path, findings),
            Value::Array(items) => Self::list(
                items
                    .iter()
                    .enumerate()
                    .map(|(i, item)| Self::read_at(item, Path::Index(&path, i), findings))
                    .collect(),
            ),
            Value::Object(map) => Self::object(
                map.iter()
                    .map(|(key, value)| {
                        let inner = Self::read_at(value, Path::Name(&path, key), findings);
                        (key.clone(), inner)
                    })
                    .collect(),
            ),
            plain => Self::Plain(plain.clone()),
        }
    }

    fn read_text(text: &str, path: Path<'_>, findings: &mut Findings) -> Self {
        let parts = match parts(text) {
            Ok(parts) => parts,
            Err(slip) => {
                findings.slips.push((path.show(), slip));
                return Self::Plain(Value::Null);
            }
        };
        for (column, part) in &parts {
            if let Part::Reference(reference) = part {
                findings.mention(path.show(), *column, reference);
            }
        }
        let mut parts: Vec<Part> = parts.into_iter().map(|(_, part)| part).collect();
        match (parts.pop(), parts.is_empty()) {
            (Some(Part::Reference(reference)), true) => Self::Whole(reference),
            (Some(Part::Text(text)), true) => Self::Plain(Value::String(text)),
            (last, _) => Self::Text(parts.into_iter().chain(last).collect()),
        }
    }

    fn list(items: Vec<Self>) -> Self {
        if !items.iter().all(Self::is_plain) {
            return Self::List(items);
        }
        Self::Plain(items.into_iter().filter_map(Self::plain).collect())
    }

    fn object(fields: Vec<(String, Self)>) -> Self {
        if !fields.iter().all(|(_, inner)| inner.is_plain()) {
            return Self::Object(fields);
        }
        let fields = fields.into_iter();
        let fields = fields.filter_map(|(key, inner)| Some((key, inner.plain()?)));
        Self::Plain(Value::Object(fields.collect()))
    }

    fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    fn plain(self) -> Option<Value> {
        match self {
            Self::Plain(value) => Some(value),
            _ => None,
        }
    }

    /// The value with every reference resolved. What comes in by one is never looked at again.
    pub(super) fn fill(&self, field: &str, scope: &Scope<'_>) -> Result<Value, String> {
        self.fill_at(Path::Field(field), scope)
    }

    fn fill_at(&self, path: Path<'_>, scope: &Scope<'_>) -> Result<Value, String> {
        let here = |why: String| format!("`{}`: {why}", path.show());
        match self {
            Self::Plain(value) => Ok(value.clone()),
            Self::Whole(reference) => scope.value(reference).map_err(here),
            Self::Text(parts) => {
                let text: Result<String, String> =
                    parts.iter().map(|part| part.text(scope)).collect();
                text.map(Value::String).map_err(here)
            }
            Self::List(items) => items
                .iter()
                .enumerate()
                .map(|(i, item)| item.fill_at(Path::Index(&path, i), scope))
                .collect(),
            Self::Object(fields) => {
                let fill = |(key, inner): &(String, Self)| {
                    let value = inner.fill_at(Path::Name(&path, key), scope)?;
                    Ok((key.clone(), value))
                };
                let fields: Result<_, String> = fields.iter().map(fill).collect();
                fields.map(Value::Object)
            }
        }
    }
}

impl Part {
    fn text(&self, scope: &Scope<'_>) -> Result<String, String> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::Reference(reference) => scope.text(reference),
        }
    }
}

/// The text in its parts, each with its column; `$${` is the text `${`.
fn parts(text: &str) -> Result<Vec<(usize, Part)>, Slip> {
    let mut cursor = Cursor::new(text);
    let (mut parts, mut plain) = (Vec::new(), String::new());
    while !cursor.is_at_end() {
        plain.push_str(cursor.take_while(|c| c != '$'));
        let column = cursor.column();
        if cursor.eat("$${") {
            plain.push_str("${");
        } else if cursor.eat("${") {
            if !plain.is_empty() {
                parts.push((column, Part::Text(std::mem::take(&mut plain))));
            }
            let reference = Reference::read(&mut cursor)?;
            parts.push((column, Part::Reference(reference)));
        } else if cursor.eat("$") {
            plain.push('$');
        }
    }
    if !plain.is_empty() {
        parts.push((cursor.column(), Part::Text(plain)));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(value: &Value, expected: Result<Value, &str>) {
        let mut findings = Findings::default();
        let template = Template::read(value, "params", &mut findings);
        let results = json!({
            "a": {"id": "p1", "n": 5, "list": [1], "none": null, "evil": "${b.secret} $${x}"},
            "b": {"secret": "s3cret"},
            "k": "id",
        });
        let results = |id: &str| results.get(id);
        let scope = Scope {
            results: &results,
            item: None,
        };
        let slip = findings.slips.first();
        let slip = slip.map(|(field, slip)| format!("{field} {}: {}", slip.column, slip.message));
        let got = slip.map_or_else(|| template.fill("params", &scope), Err);
        assert_eq!(got, expected.map_err(str::to_owned), "{value}");
    }

    #[test]
    fn a_string_that_is_one_reference_keeps_the_type() {
        check(&json!({"n": "${a.n}"}), Ok(json!({"n": 5})));
        check(&json!(["${a.list}", "${a.none}"]), Ok(json!([[1], null])));
        check(&json!("${ a.n }"), Ok(json!(5)));
        check(&json!("${a.n} "), Ok(json!("5 ")));
        check(&json!("${a.n}${a.n}"), Ok(json!("55")));
        check(&json!("${json(a.list)}"), Ok(json!("[1]")));
    }

    #[test]
    fn text_takes_plain_values_in() {
        check(
            &json!("page ${a.id}, ${a.n} times"),
            Ok(json!("page p1, 5 times")),
        );
        check(&json!("設計 ${a.id}"), Ok(json!("設計 p1")));
        check(&json!("all: ${json(a.list)}"), Ok(json!("all: [1]")));
        check(&json!("none: ${a.none ?? \"-\"}"), Ok(json!("none: -")));
        check(
            &json!({"x": {"y": ["", "see ${a.list}"]}}),
            Err(
                "`params.x.y[1]`: `a.list` is a list, which text cannot hold; write ${json(a.list)} for its JSON",
            ),
        );
        check(
            &json!({"x y": "${a.idd}"}),
            Err(
                "`params[\"x y\"]`: `a` has no `idd`; did you mean `id`? it has id, n, list, none, evil",
            ),
        );
    }

    #[test]
    fn dollars_and_braces_are_text() {
        for text in [
            "$", "$$", "$x", "{}", "}", "a $ {b}", "$ {a}", "{a.id}", "$(a)",
        ] {
            check(&json!(text), Ok(json!(text)));
        }
        check(&json!("$${a.id}"), Ok(json!("${a.id}")));
        check(&json!("$$${a.id}"), Ok(json!("$${a.id}")));
        check(&json!("$${${a.id}}"), Ok(json!("${p1}")));
        check(&json!("$${"), Ok(json!("${")));
        check(
            &json!(["$${x}", {"k": "$${"}]),
            Ok(json!(["${x}", {"k": "${"}])),
        );
    }

    #[test]
    fn what_comes_in_is_never_scanned_and_keys_are_text() {
        check(&json!("${a.evil}"), Ok(json!("${b.secret} $${x}")));
        check(&json!("> ${a.evil}"), Ok(json!("> ${b.secret} $${x}")));
        check(
            &json!("${a.x ?? \"${b.secret}\"}"),
            Ok(json!("${b.secret}")),
        );
        check(&json!("$${a.x}${a.id}"), Ok(json!("${a.x}p1")));
        check(&json!({"${k}": "${k}"}), Ok(json!({"${k}": "id"})));
        check(&json!({"${": 1}), Ok(json!({"${": 1})));
    }

    #[test]
    fn slips_are_found_when_read() {
        check(
            &json!({"q": ["ok", {"x": "日本 ${a.}"}]}),
            Err(
                "params.q[1].x 8: expected a name (an unusual one is written as [\"na me\"]), found `}`",
            ),
        );
        check(
            &json!("1 ${a"),
            Err("params 3: this `${` is never closed; the text `${` is written as `$${`"),
        );
        check(
            &json!("${a} ${}"),
            Err("params 8: expected the id of a task, found `}`"),
        );
    }

    #[test]
    fn mentions_know_their_place() {
        let mut findings = Findings::default();
        let value = json!({"a": "x ${b.c} ${d ?? 1}", "$${e}": "$${f}"});
        Template::read(&value, "params", &mut findings);
        let got: Vec<(&str, bool, &str, usize)> = findings
            .mentions
            .iter()
            .map(|m| (m.root.as_str(), m.has_default, m.field.as_str(), m.column))
            .collect();
        assert_eq!(
            got,
            [("b", false, "params.a", 3), ("d", true, "params.a", 10)]
        );
    }
}
