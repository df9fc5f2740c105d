//! Mends what can be mended without asking.
#![expect(clippy::disallowed_methods, reason = "this command changes the author's files")]

use super::declare::declare;
use crate::{Finding, edit};
use model::{Fault, Permission, Place, ToolPath};
use script::SourceFacts;
use settings::Manifest;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml_edit::{Array, DocumentMut};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fix {
    /// What is marked becomes this.
    Replace(String),
    /// The line that is marked goes.
    DeleteLine,
    /// A name in a `load`, and the `load` with the last of them.
    Unload,
    /// `@tool` becomes a line below the function.
    Undecorate,
    /// `calls` in the manifest names one more tool.
    AddCall { manifest: PathBuf, tool: ToolPath },
    /// The file is not there yet.
    Write { text: String },
    /// `permissions(…)` of a single file names one thing more.
    Declare { file: String, wanted: (Permission, String) },
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
            "E0103" => edit::decoration(line).map(|_| Self::Undecorate),
            "E0201" => near(fault.help.as_deref()?).map(Self::Replace),
            "W0203" => Some(Self::Unload),
            _ => None,
        }
    }

    /// Which bytes of a source go, and what comes instead.
    fn edit(&self, place: &Place, source: &str) -> Option<(Range<usize>, String)> {
        let marked = edit::marked(place, source)?;
        match self {
            Self::Replace(by) => Some((marked, by.clone())),
            Self::DeleteLine => Some((edit::line(source, marked.start), String::new())),
            Self::Unload => Some((edit::unload(source, marked)?, String::new())),
            Self::Undecorate => edit::undecorate(source, marked.start),
            Self::Write { .. } | Self::AddCall { .. } | Self::Declare { .. } => None,
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
pub fn mend(findings: &[Finding]) -> Mended<'_> {
    let mut by_file: BTreeMap<&Path, Vec<&Finding>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.fix.is_some()) {
        by_file.entry(target(finding)).or_default().push(finding);
    }
    let mut mended = Mended::default();
    for (file, findings) in by_file {
        match mend_file(file, findings) {
            Ok(done) => mended.done.extend(done),
            Err(error) => {
                mended.failed.push(format!("{} cannot be changed: {error}", file.display()));
            }
        }
    }
    mended
}

/// What was mended, and which files could not be changed.
#[derive(Default)]
pub struct Mended<'f> {
    pub done: Vec<&'f Finding>,
    pub failed: Vec<String>,
}

/// The file that has to change.
fn target(finding: &Finding) -> &Path {
    match &finding.fix {
        Some(Fix::AddCall { manifest, .. }) => manifest,
        Some(Fix::Declare { file, .. }) => Path::new(file),
        _ => Path::new(&finding.file),
    }
}

/// A manifest whose `calls` name this tool; its comments stay.
fn add_call(manifest: &str, tool: &ToolPath) -> Option<String> {
    let mut document: DocumentMut = manifest.parse().ok()?;
    let table = document.entry("permissions").or_insert_with(toml_edit::table);
    let calls = table.as_table_like_mut()?.entry("calls");
    let calls = calls.or_insert_with(|| toml_edit::value(Array::new()));
    let calls = calls.as_array_mut()?;
    let tool = tool.to_string();
    if !calls.iter().any(|known| known.as_str() == Some(&tool)) {
        calls.push(tool);
    }
    Some(document.to_string())
}

fn mend_file<'f>(file: &Path, findings: Vec<&'f Finding>) -> io::Result<Vec<&'f Finding>> {
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
    let mut edits: Vec<_> =
        findings.iter().copied().filter_map(|finding| Some((edit(&finding)?, finding))).collect();
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
    for finding in &findings {
        if let Some(Fix::AddCall { tool, .. }) = &finding.fix
            && let Some(added) = add_call(&text, tool)
        {
            text = added;
            mended.push(finding);
        }
    }
    if mended.is_empty() {
        (text, mended) = declared(&source, &findings);
    }
    if text == source || is_worse(&file.display().to_string(), &source, &text) {
        return Ok(Vec::new());
    }
    replace(file, &text)?;
    Ok(mended)
}

/// All that the findings want declared, in one go.
fn declared<'f>(source: &str, findings: &[&'f Finding]) -> (String, Vec<&'f Finding>) {
    let wanted = |finding: &&'f Finding| match &finding.fix {
        Some(Fix::Declare { wanted, .. }) => Some(wanted.clone()),
        _ => None,
    };
    let mut all: Vec<(Permission, String)> = Vec::new();
    for one in findings.iter().filter_map(wanted) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    let (text, done) = declare(source, &all);
    let is_done = |finding: &&'f Finding| wanted(finding).is_some_and(|one| done.contains(&&one));
    let findings = findings.iter().copied().filter(is_done);
    (text, findings.collect())
}

/// What could be read before can be read afterwards, or nothing is written.
fn is_worse(file: &str, before: &str, after: &str) -> bool {
    let reads = |text: &str| {
        if file.ends_with("module.toml") {
            Manifest::parse(file, text, env!("CARGO_PKG_VERSION")).is_ok()
        } else {
            SourceFacts::read(file, text).is_ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_added_to_a_manifest_once() {
        let tool: ToolPath = "files.read".parse().unwrap();
        for (before, after) in [
            ("name = 'x' # X\n", "name = 'x' # X\n\n[permissions]\ncalls = [\"files.read\"]\n"),
            (
                "[permissions] # what\nhttp = ['a.org'] # why\n\n[limits]\n",
                "[permissions] # what\nhttp = ['a.org'] # why\ncalls = [\"files.read\"]\n\n[limits]\n",
            ),
            (
                "[permissions]\ncalls = ['a.b'] # who\n",
                "[permissions]\ncalls = ['a.b', \"files.read\"] # who\n",
            ),
            (
                "permissions = { http = [] }\n",
                "permissions = { http = [] , calls = [\"files.read\"] }\n",
            ),
        ] {
            let added = add_call(before, &tool).unwrap();
            assert_eq!(added, after);
            assert_eq!(add_call(&added, &tool).as_deref(), Some(after));
        }
        assert_eq!(add_call("permissions = 3\n", &tool), None);
    }

    #[test]
    fn only_what_is_sure_is_replaced() {
        for (help, expected) in [
            ("did you mean `http`?", Some("http")),
            ("did you mean `items`?", None),
            ("Python's `json.loads` is `json.decode` here", Some("decode")),
            ("Python's `requests` is `http` here", None),
            ("write it otherwise", None),
        ] {
            assert_eq!(near(help).as_deref(), expected, "{help}");
        }
    }
}
