//! Mends what can be mended without asking.
#![expect(
    clippy::disallowed_methods,
    reason = "this command changes the author's files"
)]

use super::Finding;
use model::{Fault, Place};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;

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
const LIBRARIES: [&str; 14] = [
    "base64", "csv", "env", "hash", "http", "json", "log", "math", "random", "re", "time", "toml",
    "uuid", "yaml",
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
            "E0103" => line.starts_with("@tool").then_some(Self::Undecorate),
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

/// The one name that may have been meant.
fn near(help: &str) -> Option<String> {
    if let Some(rest) = help.strip_prefix("did you mean `") {
        return rest.strip_suffix("`?").map(str::to_owned);
    }
    let rest = help.strip_prefix("Python's `")?;
    let (theirs, rest) = rest.split_once("` is `")?;
    let (library, function) = rest.strip_suffix("` here")?.split_once('.')?;
    let same = theirs.split_once('.')?.0 == library;
    same.then(|| function.to_owned())
}

/// Mends what it can, file by file; answers what was mended.
pub(crate) fn mend(findings: &[Finding]) -> io::Result<Vec<&Finding>> {
    let mut by_file: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.fix.is_some()) {
        by_file.entry(&finding.file).or_default().push(finding);
    }
    let mut mended = Vec::new();
    for (file, findings) in by_file {
        mended.extend(mend_file(file, findings)?);
    }
    Ok(mended)
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
    if text != source {
        fs::write(file, text)?;
    }
    Ok(mended)
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

/// The name with the comma before it; or the statement, if nothing else is loaded by it.
fn unload(source: &str, name: Range<usize>) -> Option<Range<usize>> {
    let begin = source[..name.start].rfind("load(")?;
    let end = name.end + source[name.end..].find(')')?;
    let names = source[begin..end].matches(',').count();
    let after = source[name.end..end].trim();
    let is_last = names == 1 || (names == 2 && after == ",");
    if is_last {
        return Some(line(source, begin).start..line(source, end).end);
    }
    let comma = source[..name.start].rfind(',')?;
    Some(comma..name.end)
}

/// The function's lines without the decorator, and below them what declares it.
fn undecorate(source: &str, at: usize) -> Option<(Range<usize>, String)> {
    let decorator = line(source, at);
    let given = source[decorator.clone()].trim().strip_prefix("@tool")?;
    let given = given.trim_start_matches('(').trim_end_matches(')').trim();
    let rest = &source[decorator.end..];
    let name = rest.strip_prefix("def ")?.split('(').next()?;
    let mut end = 0;
    for (number, line) in rest.split_inclusive('\n').enumerate() {
        let goes_on = number == 0 || line.starts_with([' ', '\t', ')']) || line.trim().is_empty();
        if !goes_on {
            break;
        }
        end += line.len();
    }
    let body = rest[..end].trim_end();
    let comma = if given.is_empty() { "" } else { ", " };
    let text = format!("{body}\n\ntool({name}{comma}{given})\n");
    let left = if decorator.end + end < source.len() {
        "\n"
    } else {
        ""
    };
    Some((
        decorator.start..decorator.end + end,
        format!("{text}{left}"),
    ))
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
    }

    #[test]
    fn a_decorator_becomes_a_line_below() {
        let source = "@tool(read_only = True)\ndef f(x):\n    return x\n\ndef g():\n    return 1\n";
        let (range, by) = undecorate(source, 0).unwrap();
        let mut text = source.to_owned();
        text.replace_range(range, &by);
        assert_eq!(
            text,
            "def f(x):\n    return x\n\ntool(f, read_only = True)\n\ndef g():\n    return 1\n"
        );
    }

    #[test]
    fn only_what_is_sure_is_replaced() {
        for (help, expected) in [
            ("did you mean `http`?", Some("http")),
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
