//! Compact output: an answer in as few tokens as it can be said in.
//!
//! What saves tokens is choosing fields (`select`), or what the author makes of an answer (`compact`);
//! the notation comes second. Whatever is not in the text is said in one line beside it.

mod budget;
mod columns;
mod fields;
mod markdown;
mod note;
mod path;
mod pieces;
mod project;
mod render;
mod rows;
mod selection;
mod toon;

pub use selection::{BadSelect, Selection};

use note::Facts;
use serde_json::Value;
use std::fmt;
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

/// What a caller writes to get more, in the words of the door he came by.
#[derive(Debug, Clone, Copy)]
pub struct Ways<'w> {
    /// The whole answer.
    pub whole: &'w str,
    /// Other items of it.
    pub select: &'w str,
}

/// An answer as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compact {
    pub format: Format,
    pub body: String,
    /// What the reader should know: the format, what is not there, how to get it.
    pub note: Option<String>,
    /// Of body and note together.
    pub tokens: usize,
}

/// Makes an answer compact. `made` is what the author's `compact` function made of `raw`, if the tool
/// has one and [`Wish::wants_authors`] said that it is wanted.
///
/// Never larger than minified JSON, unless the caller asks for what is, or the author wrote a text.
pub fn compact(raw: &Value, made: Option<&Value>, wish: &Wish<'_>) -> Compact {
    let made = made.filter(|_| wish.wants_authors());
    let (value, facts) = match made {
        Some(made) => (made.clone(), Facts::by_tool()),
        None => wish.select_from(raw),
    };
    let answer = wish.fit(value, facts);
    let authors = made.is_some_and(|made| !made.is_string())
        || made.is_none() && wish.declared_fields().is_some();
    if authors && wish.format.is_none() && !pays(&answer, raw) {
        let plain = Wish {
            declared: None,
            ..*wish
        };
        return compact(raw, None, &plain);
    }
    answer
}

/// Whether what the author took away is worth the line that says so.
fn pays(answer: &Compact, raw: &Value) -> bool {
    let json = raw.to_string();
    // Counting is not free, and usually there is no doubt.
    answer.body.len() < json.len() / 4 || answer.tokens < crate::count_tokens(&json)
}

impl Wish<'_> {
    /// Whether the author's `compact` function is wanted: not by who wants the answer itself.
    pub fn wants_authors(&self) -> bool {
        self.format != Some(Format::Json) && !self.select.is_some_and(Selection::names_fields)
    }

    /// The fields that the author declared, if they are to be used.
    fn declared_fields(&self) -> Option<&Selection> {
        self.declared.filter(|_| self.wants_authors())
    }

    fn select_from(&self, raw: &Value) -> (Value, Facts) {
        let selection = self.declared_fields().or(self.select);
        let Some(selection) = selection else {
            return (raw.clone(), Facts::default());
        };
        let projected = selection.project(raw);
        let facts = Facts {
            left_out: projected.left_out,
            nowhere: projected.nowhere,
            ..Facts::default()
        };
        (projected.value, facts)
    }

    /// The items that were asked for, and as many of them as the budget allows.
    fn fit(&self, mut value: Value, mut facts: Facts) -> Compact {
        if let Some(items) = self.select.and_then(|select| select.items.as_ref()) {
            facts.cuts.extend(budget::slice(&mut value, items));
        }
        budget::shorten_to_bytes(&mut value, self.budget, &mut facts.cuts);
        loop {
            let answer = self.render(&value, &facts);
            if answer.tokens <= self.budget
                || !budget::shorten(&mut value, answer.tokens, self.budget, &mut facts.cuts)
            {
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
    pub const CALL: Ways<'static> = Ways {
        whole: "output: \"json\"",
        select: "select",
    };
    /// In a batch.
    pub const BATCH: Ways<'static> = Ways {
        whole: "raw_output: true",
        select: "select",
    };
    /// On the command line.
    pub const COMMAND: Ways<'static> = Ways {
        whole: "--format json",
        select: "--select",
    };
    /// By the tool's own name, where neither can be said.
    pub const FLAT: Ways<'static> = Ways {
        whole: "`call` and output: \"json\"",
        select: "`call` and select",
    };
}

impl Compact {
    /// Body and note, one below the other.
    pub fn text(&self) -> String {
        match &self.note {
            Some(note) => format!("{}\n{note}", self.body),
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
mod property_tests;
#[cfg(test)]
mod restore_tests;
