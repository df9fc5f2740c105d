//! Compact output: an answer in as few tokens as it can be said in.
//!
//! What saves tokens is choosing fields (`select`), or what the author makes of an answer (`compact`);
//! the notation comes second. Whatever is not in the text is said in one line before it. What a text costs,
//! and tools found by plain words, are here too: they serve the same end.

mod budget;
mod cjk;
mod columns;
#[cfg(test)]
mod corpus;
mod fields;
mod first_block;
mod lines;
mod markdown;
mod note;
mod project;
mod render;
mod rows;
mod search;
mod sections;
mod token_estimate;
mod tokens;
mod toon;

pub use first_block::{first_block, is_bare_json};
pub use lines::break_json_lines;
pub use project::apply_selection;
pub use search::{Findable, SearchIndex};
pub use tokens::{TOKENS_ARE_COUNTED, count_tokens};

use model::Selection;
use note::{Facts, Layout, Unit};
use serde_json::Value;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A notation for answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Minified.
    Json,
    Toon,
    Markdown,
    /// A text that is the answer itself.
    Text,
}

/// What is asked of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'w> {
    /// The caller's notation; if he names none, the smallest. JSON is the whole answer, of which only
    /// the caller's own `select` takes something away.
    pub format: Option<Format>,
    /// The caller's selection.
    pub select: Option<&'w Selection>,
    /// The author's, for callers that have none.
    pub declared: Option<&'w Selection>,
    /// In tokens; what is longer is cut.
    pub budget: usize,
    pub ways: Ways<'w>,
}

/// What a caller writes to get more, as far as it can be had.
#[derive(Debug, Clone, Copy)]
pub struct Ways<'w> {
    /// The whole result.
    pub whole: Option<&'w str>,
    /// Other items of it: what stands before and after their range.
    pub items: Option<(&'w str, &'w str)>,
}

/// A result as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compact {
    pub format: Format,
    pub body: String,
    /// What the reader should know: the format, what is not there, how to get it.
    pub note: Option<String>,
    /// The note, or the name of the notation where clients would take the body for data that they reject.
    first_line: Option<String>,
    /// Of the whole text.
    pub tokens: usize,
}

/// Makes an answer compact. `made` is what the author's `compact` function made of `raw`, if the tool
/// has one and [`Wish::wants_authors`] said that it is wanted.
///
/// Never larger than minified JSON, unless the caller asks for what is, or the author wrote a text; but for
/// the line breaks in long JSON, and the line before a list or scalar that would be bare JSON.
pub fn compact(raw: &Value, made: Option<&Value>, wish: &Wish<'_>) -> Compact {
    let made = made.filter(|made| wish.wants_authors() && *made != raw);
    let (mut value, mut facts) = match made {
        Some(made) => (made.clone(), Facts::by_tool()),
        None => wish.select_from(raw),
    };
    if let Some(items) = wish.items() {
        facts.cuts.extend(budget::slice(&mut value, items));
    }
    let answer = wish.fit(value, facts, &Unit::Items);
    let authors = made.is_some_and(|made| !made.is_string())
        || made.is_none() && wish.declared_fields().is_some();
    if authors && wish.format.is_none() && !pays(&answer, &raw.to_string()) {
        return compact(raw, None, &wish.without_declared());
    }
    answer
}

/// Makes the results of a `foreach` compact: each is shaped as [`compact`] would shape it, and the list of
/// them is written in one notation, within one budget. `made` has what the author's function made of each
/// result, where it made something.
pub fn compact_each(results: &[Value], made: &[Option<Value>], wish: &Wish<'_>) -> Compact {
    let made_of = |place: usize| {
        let made = made.get(place).and_then(Option::as_ref);
        made.filter(|_| wish.wants_authors())
    };
    let others = results.iter().enumerate();
    let others = others.filter(|(place, _)| made_of(*place).is_none());
    let others: Vec<&Value> = others.map(|(_, result)| result).collect();
    let (selected, mut facts) = wish.select_from_each(&others);
    facts.by_tool = others.len() < results.len();
    facts.layout = Layout::List;
    let mut selected = selected.into_iter();
    let shaped = (0..results.len()).filter_map(|place| match made_of(place) {
        Some(made) => Some(made.clone()),
        None => selected.next(),
    });
    let mut shaped: Vec<Value> = shaped.collect();
    if let Some(items) = wish.items() {
        facts.cuts = budget::slice_each(&mut shaped, items);
    }
    let is_text = |place| made_of(place).is_some_and(Value::is_string);
    let authors = !results.is_empty()
        && (facts.by_tool || wish.declared_fields().is_some())
        && !(0..results.len()).all(is_text);
    let answer = wish.fit(Value::Array(shaped), facts, &Unit::Results);
    if authors && wish.format.is_none() && !pays(&answer, &json_of(results)) {
        return compact_each(results, &[], &wish.without_declared());
    }
    answer
}

fn json_of(results: &[Value]) -> String {
    let results: Vec<String> = results.iter().map(Value::to_string).collect();
    format!("[{}]", results.join(","))
}

/// Whether what the author took away is worth the line that says so.
fn pays(answer: &Compact, json: &str) -> bool {
    // Counting is not free, and usually there is no doubt.
    answer.body.len() < json.len() / 4 || answer.tokens < count_tokens(json)
}

impl<'w> Wish<'w> {
    /// Whether the author's `compact` function is wanted: not by who wants the answer itself.
    pub fn wants_authors(&self) -> bool {
        self.format != Some(Format::Json) && !self.select.is_some_and(Selection::names_fields)
    }

    /// The fields that the author declared, if they are to be used.
    fn declared_fields(&self) -> Option<&Selection> {
        self.declared.filter(|_| self.wants_authors())
    }

    /// The same, for callers of tools whose author declared no fields.
    fn without_declared(&self) -> Self {
        Self { declared: None, ..*self }
    }

    /// The items or lines that the caller asked for.
    fn items(&self) -> Option<&'w Range<usize>> {
        self.select.and_then(|select| select.items.as_ref())
    }

    fn select_from(&self, raw: &Value) -> (Value, Facts) {
        let (mut values, facts) = self.select_from_each(&[raw]);
        (values.pop().unwrap_or_default(), facts)
    }

    /// The selected fields of each result. The result with most fields left out stands for all.
    fn select_from_each(&self, results: &[&Value]) -> (Vec<Value>, Facts) {
        let mut facts = Facts::default();
        let Some(selection) = self.declared_fields().or(self.select) else {
            let whole = results.iter().map(|result| (*result).clone());
            return (whole.collect(), facts);
        };
        let mut values = Vec::new();
        for projected in project::project_each(selection, results) {
            facts.left_out = facts.left_out.max(projected.left_out);
            for path in projected.nowhere {
                if !facts.nowhere.contains(&path) {
                    facts.nowhere.push(path);
                }
            }
            values.push(projected.value);
        }
        (values, facts)
    }

    /// As much of a value as the budget allows.
    fn fit(&self, mut value: Value, mut facts: Facts, items_unit: &Unit) -> Compact {
        let (budget, cuts) = (self.budget, &mut facts.cuts);
        budget::shorten_to_bytes(&mut value, budget, items_unit, cuts);
        loop {
            let answer = self.render(&value, &facts);
            let (tokens, cuts) = (answer.tokens, &mut facts.cuts);
            if tokens <= budget || !budget::shorten(&mut value, tokens, budget, items_unit, cuts) {
                return answer;
            }
        }
    }

    fn render(&self, value: &Value, facts: &Facts) -> Compact {
        match (self.format, value) {
            (None, _) => render::smallest(value, facts, self.ways),
            (_, Value::String(text)) if facts.by_tool => render::as_it_is(text, facts, self.ways),
            (Some(format), _) => render::named(value, format, facts, self.ways),
        }
    }
}

impl Ways<'_> {
    /// Through the meta tool `call`.
    pub const CALL: Ways<'static> =
        Ways { whole: Some("output: \"json\""), items: Some(("select \"", "\"")) };
    /// In a batch.
    pub const BATCH: Ways<'static> =
        Ways { whole: Some("raw_output: true"), items: Some(("select \"", "\"")) };
    /// On the command line.
    pub const COMMAND: Ways<'static> =
        Ways { whole: Some("--format json"), items: Some(("--select \"", "\"")) };
    /// By the name of a tool that takes `fields`.
    pub const FIELDS: Ways<'static> =
        Ways { whole: Some("fields: [\"*\"]"), items: Some(("fields: [\"", "\"]")) };
    /// By the name of a tool that does not.
    pub const NONE: Ways<'static> = Ways { whole: None, items: None };
}

impl Compact {
    /// The text of one content block. The note comes first: clients cut long results, and join blocks with
    /// nothing between them.
    pub fn text(&self) -> String {
        match &self.first_line {
            Some(line) => format!("{line}{}", self.body),
            None => self.body.clone(),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "json",
            Self::Toon => "toon",
            Self::Markdown => "markdown",
            Self::Text => "text",
        })
    }
}

/// The notations that can be asked for.
impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "json" => Ok(Self::Json),
            "toon" => Ok(Self::Toon),
            "markdown" => Ok(Self::Markdown),
            _ => Err(format!(
                "`{text}` is not a format; write `compact`, `json`, `toon` or `markdown`"
            )),
        }
    }
}

#[cfg(test)]
mod compact_tests;
#[cfg(test)]
mod each_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod restore_tests;
