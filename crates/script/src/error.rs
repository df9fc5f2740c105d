//! The engine's errors in our words: one sentence for the caller, a place and a way out for the author.

use crate::guard::Guarded;
use crate::nesting::place;
use crate::script::Raised;
use crate::teach;
use model::Fault;
use regex::{Captures, Regex};
use starlark::ErrorKind;
use starlark::codemap::FileSpan;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The sources of a script, as their authors wrote them. Files that load one another share them.
#[derive(Debug, Default, Clone)]
pub(crate) struct SourceMap(pub(crate) HashMap<String, Arc<Source>>);

#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) text: String,
    guarded: Option<Guarded>,
}

impl SourceMap {
    pub(crate) fn of(file: &str, text: String, guarded: Option<Guarded>) -> Self {
        let source = Arc::new(Source { text, guarded });
        Self(HashMap::from([(file.to_owned(), source)]))
    }

    /// The source of a file, as its author wrote it.
    pub(crate) fn text(&self, file: &str) -> &str {
        self.0.get(file).map_or("", |source| &source.text)
    }

    pub(crate) fn place(&self, span: &FileSpan) -> Option<model::Place> {
        let (begin, end) = (span.span.begin().get(), span.span.end().get());
        self.place_at(span.filename(), begin as usize, end as usize)
    }

    /// The place of a span of the text that the engine has read.
    pub(crate) fn place_at(&self, file: &str, begin: usize, end: usize) -> Option<model::Place> {
        let Source { text, guarded } = &**self.0.get(file)?;
        let back = |position| guarded.as_ref().map_or(position, |g| g.original(position));
        Some(place(file, text, back(begin), back(end)))
    }

    /// A fault with the place of the error, or of the innermost frame that has one.
    pub(crate) fn fault(&self, error: &starlark::Error) -> Fault {
        let message = message(error);
        let span = error.span().or_else(|| {
            error.call_stack().frames.iter().rev().find_map(|frame| frame.location.as_ref())
        });
        teach::fault(message, span.and_then(|span| self.place(span)))
    }
}

/// What went wrong, without position or backtrace.
pub(crate) fn message(error: &starlark::Error) -> String {
    if let Some(raised) = raised(error) {
        return raised.message.clone();
    }
    let text = match error.kind() {
        ErrorKind::Fail(cause)
        | ErrorKind::Native(cause)
        | ErrorKind::Value(cause)
        | ErrorKind::Other(cause) => {
            format!("{cause:#}")
        }
        ErrorKind::StackOverflow(_) => {
            return "the functions call each other too deeply (limit `call_depth`)".into();
        }
        other => other.to_string(),
    };
    let text = text.strip_prefix("Parse error: ").unwrap_or(&text);
    let text = text.strip_prefix("fail: ").unwrap_or(text).trim();
    match error.kind() {
        ErrorKind::Fail(_) => text.to_owned(),
        _ => without_wrong_floats(text),
    }
}

/// What the engine's messages have that quote a value.
const QUOTING: [&str; 5] =
    ["(repr: ", "Key `", "Value `", "non-pair element", "Unknown enum element"];

/// Texts, which stay, and floats as the engine writes those with an exponent.
static QUOTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""(?:[^"\\]|\\.)*"|-?(?:\d(?:\.\d+)?|inf)e[+-]\d{2,3}"#).ok());

/// The engine has written values into its message, and only it knew them: a float that may be wrong
/// is left out.
fn without_wrong_floats(text: &str) -> String {
    let quotes = QUOTING.iter().any(|part| text.contains(part));
    let Some(quoted) = quotes.then(|| QUOTED.as_ref()).flatten() else {
        return text.to_owned();
    };
    let kept = |found: &Captures<'_>| match &found[0] {
        text if text.starts_with('"') => text.to_owned(),
        _ => "<float>".to_owned(),
    };
    quoted.replace_all(text, kept).into_owned()
}

/// What a script raised with `error(kind, …)`.
pub(crate) fn raised(error: &starlark::Error) -> Option<&Raised> {
    match error.kind() {
        ErrorKind::Native(cause) | ErrorKind::Other(cause) => cause.downcast_ref::<Raised>(),
        _ => None,
    }
}
