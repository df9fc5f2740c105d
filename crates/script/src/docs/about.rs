//! Which functions without a library belong together, and what libraries that are not ours are for.

use super::entry::Entry;
use crate::stdlib::context::NAMESPACES;
use crate::stdlib::{LIBRARIES, Natives, testing};
use starlark::docs::{DocString, DocStringKind};
use starlark::environment::GlobalsBuilder;

/// What Starlark itself brings, and functions of ours that stand without a library.
const SENTENCES: [(&str, &str); 10] = [
    (
        "answers",
        "Blocks of an answer that are more than one text: pictures, sound, documents, links.",
    ),
    ("builtins", "Starlark's own functions, those that could use up the machine bounded."),
    ("bytes", "What a value of bytes can do."),
    (
        "control",
        "How a call fails, goes on after a failure, works on several things at once, and speaks to whoever runs it.",
    ),
    ("declarations", "How a file says what it offers, and of which types."),
    ("dict", "What a dict can do."),
    ("list", "What a list can do."),
    ("set", "What a set can do."),
    ("str", "What a text can do."),
    ("typing", "Names for types that have no other."),
];

/// What a library is for: its `#[starlark_module]` says it, if it is ours.
pub(super) fn sentence(library: &str) -> String {
    if let Some((_, sentence)) = SENTENCES.iter().find(|(name, _)| *name == library) {
        return (*sentence).to_owned();
    }
    let in_ctx = library.strip_prefix("ctx.").unwrap_or_default();
    let mut ours = LIBRARIES.iter().chain([&("testing", testing::natives as Natives)]);
    let mut of_ctx = NAMESPACES.iter();
    let found = ours.find(|(name, _)| *name == library);
    let found = found.or_else(|| of_ctx.find(|(name, _)| *name == in_ctx));
    let docs = found.and_then(|(_, natives)| {
        let globals = GlobalsBuilder::new().with(natives).build();
        DocString::from_docstring(DocStringKind::Rust, globals.docstring()?)
    });
    docs.map(|docs| docs.summary).unwrap_or_default()
}

/// Functions of ours that stand without a library. All others are Starlark's.
const GROUPS: [(&str, &[&str]); 3] = [
    ("answers", &["audio", "embedded", "image", "link", "text"]),
    ("control", &["attempt", "error", "fail", "parallel", "print"]),
    (
        "declarations",
        &[
            "Extension",
            "Tool",
            "ToolParameter",
            "enum",
            "field",
            "one_of",
            "param",
            "permissions",
            "prompt",
            "record",
            "resource",
            "tool",
        ],
    ),
];

pub(super) fn group(function: &str) -> &'static str {
    let of = GROUPS.iter().find(|(_, names)| names.contains(&function));
    of.map_or("builtins", |(group, _)| group)
}

/// Libraries that can also be called by their bare names, which the engine cannot document.
pub(super) const CALLED: [&str; 2] = ["hash", "text"];

pub(super) fn called() -> [Entry; 2] {
    let entry = |name: &str, signature: &str, summary: &str, example: &str| Entry {
        name: name.to_owned(),
        signature: signature.to_owned(),
        summary: summary.to_owned(),
        details: String::new(),
        examples: format!("```python\n>>> {example}\n```"),
    };
    [
        entry(
            "hash",
            "hash(x: str, /) -> int",
            "The number that Starlark's specification gives a text; for digests see the library `hash`.",
            "hash(\"hello\")\n99162322",
        ),
        entry(
            "text",
            "text(s: str, /) -> content",
            "A block of text in an answer; a string returned alone is one by itself.",
            "text(\"3 pieces\")\ncontent({\"type\":\"text\",\"text\":\"3 pieces\"})",
        ),
    ]
}
