//! What each library is for, in a sentence, and which functions without one belong together.

use super::entry::Entry;

/// A test holds this against the libraries there are.
const SENTENCES: [(&str, &str); 44] = [
    (
        "answers",
        "Blocks of an answer that are more than one text: pictures, sound, documents, links.",
    ),
    ("base64", "Text in an alphabet that passes everywhere."),
    ("builtins", "Starlark's own functions, those that could use up the machine bounded."),
    ("bytes", "What a value of bytes can do."),
    (
        "control",
        "How a call fails, goes on after a failure, works on several things at once, and speaks to whoever runs it.",
    ),
    ("csv", "Rows of cells, as spreadsheets pass them on."),
    (
        "ctx",
        "What a call knows about itself and may ask of its module; a first parameter called `ctx` gets it.",
    ),
    (
        "ctx.question",
        "Questions for `ctx.ask`, made with the arguments of `ctx.elicit`, `ctx.sample` and `ctx.roots`.",
    ),
    ("ctx.state", "Small values that a module keeps across calls, reloads and restarts."),
    ("ctx.tools", "Tools that come and go while a module runs."),
    ("data", "Files that come with a module, read while it loads."),
    ("declarations", "How a file says what it offers, and of which types."),
    ("dict", "What a dict can do."),
    ("env", "Variables of the server's environment."),
    ("exec", "Other programs, run without a shell."),
    ("files", "Files that a module was granted, by paths relative to its folder."),
    ("fuzzy", "What was meant, when what was typed is only near it."),
    ("hash", "Digests of texts, in hexadecimal digits."),
    ("hex", "Text as two digits a byte."),
    ("http", "Requests to other servers, judged, followed, tried again and never too long."),
    ("json", "Values as JSON text and back, with every digit kept."),
    ("list", "What a list can do."),
    ("log", "Lines for the server's log, which goes to stderr, and for clients that ask for them."),
    ("math", "Arithmetic: what has no value, or none that a float can hold, is an error."),
    ("postgres", "Databases on PostgreSQL servers."),
    ("random", "Chance that nobody can guess."),
    (
        "re",
        "Regular expressions whose time grows with the text alone: no back-references, no look-around.",
    ),
    ("set", "What a set can do."),
    ("sqlite", "Databases in files."),
    ("str", "What a text can do."),
    (
        "t",
        "What a test is given that asks for it, `def test_x(t)`: tools called for real, in a world that is played.",
    ),
    ("t.answers", "What `t.call` gives."),
    ("t.exec", "Commands that a test plays."),
    ("t.http", "Servers that a test plays."),
    ("t.postgres", "PostgreSQL databases that a test plays."),
    ("t.sqlite", "SQLite databases that a test plays."),
    ("testing", "What a test asserts; there in tests alone."),
    ("text", "Texts cut, laid out, filled in, and made from HTML."),
    ("time", "Seconds since 1970, and dates as people write them."),
    ("toml", "The format of configuration files, read and written."),
    ("typing", "Names for types that have no other."),
    ("url", "Addresses taken apart and put together, as browsers do it."),
    ("uuid", "Names that nobody else has given."),
    ("yaml", "YAML 1.2 as data, read and written."),
];

pub(super) fn sentence(library: &str) -> &'static str {
    let known = SENTENCES.iter().find(|(name, _)| *name == library);
    known.map_or("", |(_, sentence)| sentence)
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
