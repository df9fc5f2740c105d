//! JSON with references in its strings: parsed when a plan is read, filled when a task starts.

use super::budget::CopyBudget;
use super::cursor::{Cursor, Slip};
use super::misspelt::{MARKS, Names};
use super::reference::{Reference, show_name};
use super::scope::Scope;
use model::kind_of;
use serde_json::{Map, Value};
use std::borrow::Cow;

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
pub(super) struct Findings<'n> {
    pub(super) names: Names<'n>,
    pub(super) mentions: Vec<Mention>,
    pub(super) slips: Vec<(String, Slip)>,
}

impl<'n> Findings<'n> {
    pub(super) fn new(names: Names<'n>) -> Self {
        Self { names, ..Self::default() }
    }

    /// Notes a reference. Of those in one field to one known task, the first is enough.
    pub(super) fn mention(&mut self, field: String, column: usize, reference: &Reference) {
        let is_alike = |one: &Mention| {
            one.root == reference.root
                && one.has_default == reference.default.is_some()
                && top(&one.field) == top(&field)
        };
        if self.names.has(&reference.root) && self.mentions.iter().any(is_alike) {
            return;
        }
        self.mentions.push(Mention {
            root: reference.root.clone(),
            has_default: reference.default.is_some(),
            field,
            column,
        });
    }
}

/// `params` of `params.page[0]`.
fn top(field: &str) -> Option<&str> {
    field.split(['.', '[']).next()
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
    pub(super) fn read(value: &Value, field: &str, findings: &mut Findings<'_>) -> Self {
        Self::read_at(value, Path::Field(field), findings)
    }

    fn read_at(value: &Value, path: Path<'_>, findings: &mut Findings<'_>) -> Self {
        match value {
            Value::String(text) if text.contains(MARKS) => Self::read_text(text, path, findings),
            Value::Array(items) => Self::list(
                items
                    .iter()
                    .enumerate()
                    .map(|(i, item)| Self::read_at(item, Path::Index(&path, i), findings))
                    .collect(),
            ),
            Value::Object(map) => {
                findings.check_pointer(map, path);
                Self::object(
                    map.iter()
                        .map(|(key, value)| {
                            let path = Path::Name(&path, key);
                            let inner = Self::read_at(value, path, findings);
                            (findings.read_key(key, path), inner)
                        })
                        .collect(),
                )
            }
            plain => Self::Plain(plain.clone()),
        }
    }

    fn read_text(text: &str, path: Path<'_>, findings: &mut Findings<'_>) -> Self {
        let parts = match parts(text, &findings.names) {
            Ok(parts) => parts,
            Err(slip) => {
                findings.slips.push((path.show(), slip));
                // No value is known: what was meant is a reference.
                return Self::Text(Vec::new());
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
    pub(super) fn fill(
        &self,
        field: &str,
        scope: &Scope<'_>,
        budget: &mut CopyBudget<'_>,
    ) -> Result<Value, String> {
        self.fill_at(Path::Field(field), scope, budget)
    }

    /// How many items a `foreach` has; every reference in it can be resolved.
    pub(super) fn count_items(
        &self,
        scope: &Scope<'_>,
        budget: &mut CopyBudget<'_>,
    ) -> Result<Result<usize, &'static str>, String> {
        if let Self::List(items) = self {
            for index in 0..items.len() {
                self.item(index, scope, &mut budget.renewed())?;
            }
            return Ok(Ok(items.len()));
        }
        let list = self.resolve(Path::Field("foreach"), scope, budget)?;
        Ok(list.as_array().map(Vec::len).ok_or_else(|| kind_of(&list)))
    }

    /// One item of a `foreach`, shared with the result it stands in where that holds it as a whole.
    pub(super) fn item<'s>(
        &'s self,
        index: usize,
        scope: &'s Scope<'_>,
        budget: &mut CopyBudget<'_>,
    ) -> Result<Cow<'s, Value>, String> {
        let path = Path::Field("foreach");
        if let Self::List(items) = self {
            let item = items.get(index);
            let item = item.map(|item| item.resolve(Path::Index(&path, index), scope, budget));
            return item.unwrap_or_else(|| Ok(Cow::Owned(Value::Null)));
        }
        Ok(match self.resolve(path, scope, budget)? {
            Cow::Borrowed(list) => Cow::Borrowed(list.get(index).unwrap_or(&Value::Null)),
            Cow::Owned(mut list) => {
                Cow::Owned(list.get_mut(index).map_or(Value::Null, Value::take))
            }
        })
    }

    /// The value, borrowed where it is there as a whole.
    fn resolve<'s>(
        &'s self,
        path: Path<'_>,
        scope: &'s Scope<'_>,
        budget: &mut CopyBudget<'_>,
    ) -> Result<Cow<'s, Value>, String> {
        match self {
            Self::Plain(value) => Ok(Cow::Borrowed(value)),
            Self::Whole(reference) => {
                let value = scope.value(reference, budget);
                value.map_err(|why| show_at(path, &why))
            }
            _ => self.fill_at(path, scope, budget).map(Cow::Owned),
        }
    }

    fn fill_at(
        &self,
        path: Path<'_>,
        scope: &Scope<'_>,
        budget: &mut CopyBudget<'_>,
    ) -> Result<Value, String> {
        match self {
            Self::Plain(value) => Ok(budget.copy_written(value)),
            Self::Whole(reference) => match self.resolve(path, scope, budget)? {
                Cow::Borrowed(value) => budget
                    .copy(value)
                    .map_err(|error| show_at(path, &format!("`{reference}` {}", error.why))),
                Cow::Owned(value) => Ok(value),
            },
            Self::Text(parts) => {
                let mut text = String::new();
                let mut parts = parts.iter();
                let written = parts.try_for_each(|part| part.write(&mut text, scope, budget));
                written.map_err(|why| show_at(path, &why))?;
                Ok(Value::String(text))
            }
            Self::List(items) => items
                .iter()
                .enumerate()
                .map(|(i, item)| item.fill_at(Path::Index(&path, i), scope, budget))
                .collect(),
            Self::Object(fields) => {
                let fill = |(key, inner): &(String, Self)| {
                    let value = inner.fill_at(Path::Name(&path, key), scope, budget)?;
                    Ok((key.clone(), value))
                };
                let fields: Result<_, String> = fields.iter().map(fill).collect();
                fields.map(Value::Object)
            }
        }
    }

    /// Shows every reference in it.
    pub(super) fn visit_references<'t>(&'t self, visit: &mut dyn FnMut(&'t Reference)) {
        match self {
            Self::Plain(_) => {}
            Self::Whole(reference) => visit(reference),
            Self::Text(parts) => parts.iter().for_each(|part| {
                if let Part::Reference(reference) = part {
                    visit(reference);
                }
            }),
            Self::List(items) => items.iter().for_each(|item| item.visit_references(visit)),
            Self::Object(fields) => {
                for (_, inner) in fields {
                    inner.visit_references(visit);
                }
            }
        }
    }

    /// The reference that is all of it.
    pub(super) fn whole(&self) -> Option<&Reference> {
        match self {
            Self::Whole(reference) => Some(reference),
            _ => None,
        }
    }

    /// The fields of an object that hold no references, and the names of the others.
    pub(super) fn known_fields(&self) -> Option<(Map<String, Value>, Vec<&str>)> {
        match self {
            Self::Object(fields) => {
                let (mut known, mut later) = (Map::new(), Vec::new());
                for (name, inner) in fields {
                    match inner {
                        Self::Plain(value) => {
                            known.insert(name.clone(), value.clone());
                        }
                        _ => later.push(name.as_str()),
                    }
                }
                Some((known, later))
            }
            Self::Plain(Value::Object(map)) => Some((map.clone(), Vec::new())),
            _ => None,
        }
    }
}

fn show_at(path: Path<'_>, why: &str) -> String {
    format!("`{}`: {why}", path.show())
}

impl Part {
    fn write(
        &self,
        text: &mut String,
        scope: &Scope<'_>,
        budget: &mut CopyBudget<'_>,
    ) -> Result<(), String> {
        match self {
            Self::Text(part) => {
                text.push_str(part);
                Ok(())
            }
            Self::Reference(reference) => scope.write(reference, text, budget),
        }
    }
}

impl Findings<'_> {
    /// The text of a key, which cannot hold references; `$${` is the text `${` here too.
    fn read_key(&mut self, key: &str, path: Path<'_>) -> String {
        let names = self.names;
        let mut slip = names.find_whole(key).map(|found| found.slip_in_key(1, &names));
        let mut column = 1;
        for segment in key.split("$${") {
            let reference = segment.find("${").map(|at| Slip {
                column: column + segment[..at].chars().count(),
                message: format!("a key cannot hold a reference; {ESCAPE}"),
            });
            let found = names.find(segment);
            let found = found.map(|found| found.slip_in_key(column, &names));
            slip = slip.or(reference).or(found);
            column += segment.chars().count() + "$${".len();
        }
        self.slips.extend(slip.map(|slip| (path.show(), slip)));
        key.replace("$${", "${")
    }

    /// An object that refers to another task by `$ref`.
    fn check_pointer(&mut self, map: &Map<String, Value>, path: Path<'_>) {
        let text = map.get("$ref").and_then(Value::as_str);
        let meant = text.and_then(|text| self.names.read_pointer(text));
        self.slips.extend(meant.map(|meant| {
            let message = format!("`$ref` is not a reference: {}", meant.correction(&self.names));
            (path.show(), Slip { column: 1, message })
        }));
    }
}

/// How the text `${` is written.
pub(super) const ESCAPE: &str = "the text `${` is written as `$${`";

/// The text in its parts, each with its column; `$${` is the text `${`.
fn parts(text: &str, names: &Names<'_>) -> Result<Vec<(usize, Part)>, Slip> {
    if let Some(found) = names.find_whole(text) {
        return Err(found.slip(1, names));
    }
    let mut cursor = Cursor::new(text);
    let (mut parts, mut plain) = (Vec::new(), String::new());
    while !cursor.is_at_end() {
        let column = cursor.column();
        let end = next_mark(cursor.rest()).unwrap_or(cursor.rest().len());
        let between = cursor.take(end);
        if let Some(found) = names.find(between) {
            return Err(found.slip(column, names));
        }
        plain.push_str(between);
        let column = cursor.column();
        if cursor.eat("$${") {
            plain.push_str("${");
        } else if cursor.eat("${") {
            if !plain.is_empty() {
                parts.push((column, Part::Text(std::mem::take(&mut plain))));
            }
            let reference = read_reference(&mut cursor, names)?;
            parts.push((column, Part::Reference(reference)));
        }
    }
    if !plain.is_empty() {
        parts.push((cursor.column(), Part::Text(plain)));
    }
    Ok(parts)
}

/// Where the next `${` or `$${` begins.
fn next_mark(text: &str) -> Option<usize> {
    let mut dollars = text.match_indices('$').map(|(at, _)| at);
    dollars.find(|at| text[*at..].starts_with("${") || text[*at..].starts_with("$${"))
}

/// Reads what follows `${`. What is wrong with it is said with what to write instead.
fn read_reference(cursor: &mut Cursor<'_>, names: &Names<'_>) -> Result<Reference, Slip> {
    let (inner, column) = (cursor.rest(), cursor.column());
    Reference::read(cursor).map_err(|slip| {
        let is_unclosed = slip.column < column;
        let message = match names.read_inside(inner) {
            Some(meant) if is_unclosed => format!("{}: write {}", slip.message, meant.spelling()),
            Some(meant) => {
                format!("{}; a reference is written {}", slip.message, meant.spelling())
            }
            None => slip.message,
        };
        let message = format!("{message}; {ESCAPE}");
        Slip { message, ..slip }
    })
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
