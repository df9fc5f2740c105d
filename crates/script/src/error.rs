//! The engine's errors in our words: one sentence for the caller, a place and a way out for the author.

use crate::guard::Guarded;
use crate::nesting::place;
use crate::script::Raised;
use model::Fault;
use starlark::ErrorKind;
use starlark::codemap::FileSpan;
use std::collections::HashMap;

/// The sources of a script, as their authors wrote them.
#[derive(Debug, Default, Clone)]
pub(crate) struct SourceMap(pub(crate) HashMap<String, (String, Option<Guarded>)>);

impl SourceMap {
    pub(crate) fn place(&self, span: &FileSpan) -> Option<model::Place> {
        let (source, guarded) = self.0.get(span.filename())?;
        let (begin, end) = (
            span.span.begin().get() as usize,
            span.span.end().get() as usize,
        );
        let back = |position| guarded.as_ref().map_or(position, |g| g.original(position));
        Some(place(span.filename(), source, back(begin), back(end)))
    }

    /// A fault with the place of the error, or of the innermost frame that has one.
    pub(crate) fn fault(&self, error: &starlark::Error) -> Fault {
        let message = message(error);
        let span = error.span().or_else(|| {
            error
                .call_stack()
                .frames
                .iter()
                .rev()
                .find_map(|frame| frame.location.as_ref())
        });
        let place = span.and_then(|span| self.place(span));
        let help = help(&message, place.as_ref().map(|p| p.excerpt.trim()));
        let mut fault = Fault::new(message);
        fault.place = place;
        fault.help = help;
        fault
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
    text.strip_prefix("fail: ")
        .unwrap_or(text)
        .trim()
        .to_owned()
}

/// What a script raised with `error(kind, …)`.
pub(crate) fn raised(error: &starlark::Error) -> Option<&Raised> {
    match error.kind() {
        ErrorKind::Native(cause) | ErrorKind::Other(cause) => cause.downcast_ref::<Raised>(),
        _ => None,
    }
}

/// Pythonisms and newcomers' slips: what stands in the line or message, and what to write instead.
const HELP: [(&str, &str); 16] = [
    (
        "keyword `import`",
        "libraries such as `json` are already there; to use another file: load(\"other.star\", \"name\")",
    ),
    (
        "keyword `from`",
        "to use another file: load(\"other.star\", \"name\")",
    ),
    (
        "keyword `try`",
        "there are no exceptions: r = attempt(fn, arg) gives r.ok, r.value and r.error",
    ),
    (
        "keyword `except`",
        "there are no exceptions: r = attempt(fn, arg) gives r.ok, r.value and r.error",
    ),
    (
        "keyword `raise`",
        "write fail(\"message\") or error(\"kind\", \"message\")",
    ),
    (
        "keyword `while`",
        "write `for i in range(1000):` and `break` when done",
    ),
    (
        "keyword `class`",
        "write struct(a = 1), record(a = int) or plain functions",
    ),
    (
        "keyword `with`",
        "there are no context managers; call the functions directly",
    ),
    ("keyword `is`", "write `==`, or `x == None`"),
    (
        "keyword `global`",
        "values of a module cannot change after loading; return the new value instead",
    ),
    (
        "keyword `async`",
        "calls wait by themselves; write a plain `def`",
    ),
    (
        "keyword `await`",
        "calls wait by themselves; write the call alone",
    ),
    ("keyword `yield`", "return a list"),
    (
        "keyword `assert`",
        "write `if not condition: fail(\"message\")`",
    ),
    (
        "input `@`",
        "there are no decorators: write `tool(my_function)` below the function",
    ),
    (
        "call expression is not allowed in type",
        "name the type first: State = one_of(\"open\", \"closed\"), then `state: State`",
    ),
];

fn help(message: &str, _line: Option<&str>) -> Option<String> {
    let known = HELP
        .iter()
        .find(|(part, _)| message.contains(part))
        .map(|(_, help)| (*help).to_owned());
    known.or_else(|| {
        message.contains("Immutable").then(|| {
            "values of a module cannot change after loading; make a new value and return it"
                .to_owned()
        })
    })
}
