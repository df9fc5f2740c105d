//! Mends what can be mended without asking.
#![expect(
    clippy::disallowed_methods,
    reason = "this command changes the author's files"
)]

use super::Finding;
use model::{Fault, Manifest, Place};
use script::Sketch;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

#[derive(Debug, Clone)]
pub(crate) enum Fix {
    /// What is marked becomes this.
    Replace(String),
    /// The line that is marked goes.
    DeleteLine,
    /// A name in a `load`, and the `load` with the last of them.
    Unload,
    /// `@tool` becomes a line below the function.
    Undecorate,
    /// The file is not there yet.
    Write { text: String },
}

/// Of Python's imports, those whose names are there already.
const LIBRARIES: [&str; 18] = [
    "base64", "csv", "env", "exec", "files", "hash", "postgres", "sqlite", "http", "json", "log",
    "math", "random", "re", "time", "toml", "uuid", "yaml",
];

impl Fix {
    /// What follows from the fault alone.
    pub(super) fn of(code: &str, fault: &Fault) -> Option<Self> {
        let line = fault.place.as_ref()?.excerpt.trim();
        match code {
            "E0101" => {
                let name = line.strip_prefix("import ")?.trim();
                LIBRARIES.contains(&name).then_some(Self::DeleteLine)
            }
            "E0103" => decoration(line).map(|_| Self::Undecorate),
            "E0201" => near(fault.help.as_deref()?).map(Self::Replace),
            "W0203" => Some(Self::Unload),
            _ => None,
        }
    }

    /// Which bytes of a source go, and what comes instead.
    fn edit(&self, place: &Place, source: &str) -> Option<(Range<usize>, String)> {
        let marked = marked(place, source)?;
        match self {
            Self::Replace(by) => Some((marked, by.clone())),
            Self::DeleteLine => Some((line(source, marked.start), String::new())),
            Self::Unload => Some((unload(source, marked)?, String::new())),
            Self::Undecorate => undecorate(source, marked.start),
            Self::Write { .. } => None,
        }
    }
}

/// The name that was meant beyond doubt: a library, or what Python's function is called in it. Which of
/// his own names an author meant, he knows best.
fn near(help: &str) -> Option<String> {
    if let Some(rest) = help.strip_prefix("did you mean `") {
        let name = rest.strip_suffix("`?")?;
        return LIBRARIES.contains(&name).then(|| name.to_owned());
    }
    let rest = help.strip_prefix("Python's `")?;
    let (theirs, rest) = rest.split_once("` is `")?;
    let (library, function) = rest.strip_suffix("` here")?.split_once('.')?;
    let same = theirs.split_once('.')?.0 == library;
    same.then(|| function.to_owned())
}

/// Mends what it can, file by file; answers what was mended.
pub(crate) fn mend(findings: &[Finding]) -> Mended<'_> {
    let mut by_file: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.fix.is_some()) {
        by_file.entry(&finding.file).or_default().push(finding);
    }
    let mut mended = Mended::default();
    for (file, findings) in by_file {
        match mend_file(file, findings) {
            Ok(done) => mended.done.extend(done),
            Err(error) => mended
                .failed
                .push(format!("{file} cannot be changed: {error}")),
        }
    }
    mended
}

/// What was mended, and which files could not be changed.
#[derive(Default)]
pub(crate) struct Mended<'f> {
    pub(crate) done: Vec<&'f Finding>,
    pub(crate) failed: Vec<String>,
}

fn mend_file<'f>(file: &str, findings: Vec<&'f Finding>) -> io::Result<Vec<&'f Finding>> {
    if let Some(text) = findings.iter().find_map(|one| match &one.fix {
        Some(Fix::Write { text }) => Some(text),
        _ => None,
    }) {
        fs::write(file, text)?;
        return Ok(findings);
    }
    let source = fs::read_to_string(file)?;
    let edit = |finding: &&Finding| {
        let place = finding.fault.place.as_ref()?;
        finding.fix.as_ref()?.edit(place, &source)
    };
    let mut edits: Vec<_> = findings
        .into_iter()
        .filter_map(|finding| Some((edit(&finding)?, finding)))
        .collect();
    // From the end, so that places before stay where they are.
    edits.sort_by_key(|((range, _), _)| std::cmp::Reverse(range.start));
    let (mut text, mut mended, mut done) = (source.clone(), Vec::new(), usize::MAX);
    for ((range, by), finding) in edits {
        if range.end <= done {
            done = range.start;
            text.replace_range(range, &by);
            mended.push(finding);
        }
    }
    if text == source || is_worse(file, &source, &text) {
        return Ok(Vec::new());
    }
    replace(Path::new(file), &text)?;
    Ok(mended)
}

/// What could be read before can be read afterwards, or nothing is written.
fn is_worse(file: &str, before: &str, after: &str) -> bool {
    let reads = |text: &str| {
        if file.ends_with("module.toml") {
            Manifest::parse(file, text, env!("CARGO_PKG_VERSION")).is_ok()
        } else {
            Sketch::read(file, text).is_ok()
        }
    };
    reads(before) && !reads(after)
}

/// Whole, or not at all; with the rights that the file had.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    // A file that may not be written stays as it is, though its folder might allow it.
    fs::OpenOptions::new().append(true).open(&path)?;
    let mut aside = path.clone().into_os_string();
    aside.push(".new");
    fs::write(&aside, text)?;
    fs::set_permissions(&aside, fs::metadata(&path)?.permissions())?;
    fs::rename(&aside, &path)
}

fn marked(place: &Place, source: &str) -> Option<Range<usize>> {
    let start: usize = source
        .split_inclusive('\n')
        .take(place.line - 1)
        .map(str::len)
        .sum();
    let line = source[start..].lines().next()?;
    if line != place.excerpt {
        return None;
    }
    let at = |characters: usize| {
        let mut places = line.char_indices().map(|(at, _)| at);
        places.nth(characters).unwrap_or(line.len())
    };
    Some(start + at(place.column - 1)..start + at(place.column - 1 + place.width))
}

/// The whole line, with its end.
fn line(source: &str, at: usize) -> Range<usize> {
    let start = source[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = source[at..]
        .find('\n')
        .map_or(source.len(), |end| at + end + 1);
    start..end
}

/// The name with its comma; or the statement, if nothing else is loaded by it. Nothing where the
/// statement does not stand alone on its lines.
fn unload(source: &str, name: Range<usize>) -> Option<Range<usize>> {
    let begin = source[..name.start].rfind("load(")?;
    let open = begin + "load(".len();
    let (args, close) = arguments(source, open)?;
    let first = line(source, begin).start;
    let after = line(source, close);
    let is_alone = first == begin && source[close + 1..after.end].trim().is_empty();
    let at = args.iter().position(|arg| arg.contains(&name.start))?;
    if !is_alone || at == 0 {
        return None;
    }
    if args.len() == 2 {
        return Some(first..after.end);
    }
    // From the end of the one before, so that its comma goes.
    Some(args[at - 1].end..args[at].end)
}

/// Where the arguments stand, each without the space around it, and where the bracket closes.
fn arguments(source: &str, open: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let (mut args, mut start, mut quote) = (Vec::new(), open, None);
    for (at, c) in source[open..].char_indices() {
        let at = open + at;
        match (quote, c) {
            (Some(mark), _) if mark == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '#' | '(') => return None,
            (None, ',' | ')') => {
                let text = &source[start..at];
                let from = start + (text.len() - text.trim_start().len());
                if !text.trim().is_empty() {
                    args.push(from..from + text.trim().len());
                }
                start = at + 1;
                if c == ')' {
                    return Some((args, at));
                }
            }
            _ => {}
        }
    }
    None
}

/// What is in the brackets of `@tool(…)`; nothing where something else stands there.
fn decoration(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix("@tool")?;
    if rest.is_empty() {
        return Some("");
    }
    let given = rest.strip_prefix('(')?.strip_suffix(')')?;
    let (mut depth, mut quote) = (0, None);
    for c in given.chars() {
        match (quote, c) {
            (Some(mark), _) if mark == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') => return None,
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    (depth == 0 && quote.is_none()).then(|| given.trim())
}

/// The function's lines without the decorator, and below them what declares it.
fn undecorate(source: &str, at: usize) -> Option<(Range<usize>, String)> {
    let decorator = line(source, at);
    let given = decoration(&source[decorator.clone()])?;
    // The reader stops at the first of them.
    let plain = source.split_inclusive('\n');
    let plain = plain.map(|line| if line.starts_with('@') { "\n" } else { line });
    let sketch = Sketch::read("", &plain.collect::<String>()).ok()?;
    let number = source[..decorator.end].matches('\n').count() + 1;
    let (name, _, last) = sketch
        .functions
        .iter()
        .find(|(_, first, _)| *first == number)?;
    let lines = source.split_inclusive('\n').take(*last);
    let end: usize = lines.map(str::len).sum();
    let body = source[decorator.end..end].trim_end();
    let comma = if given.is_empty() { "" } else { ", " };
    let text = format!("{body}\n\ntool({name}{comma}{given})\n");
    Some((decorator.start..end, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unloaded() {
        let check = |source: &str, name: &str, expected: &str| {
            let start = source.find(name).unwrap();
            let gone = unload(source, start..start + name.len()).unwrap();
            let mut text = source.to_owned();
            text.replace_range(gone, "");
            assert_eq!(text, expected);
        };
        check(
            "load(\"a\", \"x\", \"y\")\nz\n",
            "\"y\"",
            "load(\"a\", \"x\")\nz\n",
        );
        check(
            "load(\"a\", \"x\", \"y\")\n",
            "\"x\"",
            "load(\"a\", \"y\")\n",
        );
        check("load(\"a\", \"x\")\nz\n", "\"x\"", "z\n");
        check("load(\n    \"a\",\n    \"x\",\n)\nz\n", "\"x\"", "z\n");
        check(
            "load(\"a,b)\", \"x\", y = \"z\")\n",
            "y = ",
            "load(\"a,b)\", \"x\")\n",
        );
        for source in [
            "load(\"a\", \"x\"); z = 3\n",
            "load(\"a\", # \"x\"\n    \"x\")\n",
        ] {
            let at = source.find("\"x\"").unwrap();
            assert_eq!(unload(source, at..at + 3), None, "{source}");
        }
    }

    #[test]
    fn a_decorator_becomes_a_line_below() {
        let check = |source: &str, expected: Option<&str>| {
            let made = undecorate(source, 0).map(|(range, by)| {
                let mut text = source.to_owned();
                text.replace_range(range, &by);
                text
            });
            assert_eq!(made.as_deref(), expected, "{source}");
        };
        check(
            "@tool(read_only = True)\ndef f(x):\n    return x\n\ndef g():\n    return 1\n",
            Some(
                "def f(x):\n    return x\n\ntool(f, read_only = True)\n\ndef g():\n    return 1\n",
            ),
        );
        check(
            "@tool\ndef f(x):\n    \"\"\"One.\n\nTwo.\n    \"\"\"\n# here\n    return x\n",
            Some(
                "def f(x):\n    \"\"\"One.\n\nTwo.\n    \"\"\"\n# here\n    return x\n\ntool(f)\n",
            ),
        );
        check(
            "@tool(examples = list([{\"q\": \"x)\"}]))\ndef f(q):\n    return q\n",
            Some("def f(q):\n    return q\n\ntool(f, examples = list([{\"q\": \"x)\"}]))\n"),
        );
        for line in [
            "@toolbox.register",
            "@tool(",
            "@tool # a comment",
            "@tool(a) # b",
            "@tool()()",
        ] {
            check(&format!("{line}\ndef f(q):\n    return q\n"), None);
        }
    }

    #[test]
    fn only_what_is_sure_is_replaced() {
        for (help, expected) in [
            ("did you mean `http`?", Some("http")),
            ("did you mean `items`?", None),
            (
                "Python's `json.loads` is `json.decode` here",
                Some("decode"),
            ),
            ("Python's `requests` is `http` here", None),
            ("write it otherwise", None),
        ] {
            assert_eq!(near(help).as_deref(), expected, "{help}");
        }
    }
}
