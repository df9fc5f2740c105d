//! No file, folder, module or type has a name that would fit anything.

use std::collections::BTreeSet;

use crate::workspace::Source;

/// A name may not end in one of these words.
const ENDINGS: [&str; 6] = ["util", "utils", "helper", "helpers", "common", "misc"];
/// Nor contain one of these anywhere.
const PARTS: [&str; 2] = ["manager", "processor"];

/// Names that the examples take over from the module system they are translated from.
const GIVEN: [&str; 1] = ["http-utils"];

const KEYWORDS: [&str; 6] = ["mod", "struct", "enum", "trait", "type", "union"];
/// What may stand before a keyword; the empty word stands for indents and brackets.
const BEFORE: [&str; 6] = ["", "pub", "crate", "super", "in", "unsafe"];

pub(super) fn problems(sources: &[Source]) -> Vec<String> {
    let paths: BTreeSet<String> = sources.iter().filter_map(|s| vague_path(&s.path)).collect();
    let rust = sources.iter().filter(|source| source.is_rust());
    paths.into_iter().chain(rust.flat_map(vague_items)).collect()
}

/// Names the first vague folder or file on the way, so that a folder is reported once.
fn vague_path(path: &str) -> Option<String> {
    let mut end = 0;
    for part in path.split('/') {
        end += part.len();
        if is_vague(part.split('.').next().unwrap_or(part)) {
            return Some(format!("{}: a name that would fit anything", &path[..end]));
        }
        end += 1;
    }
    None
}

fn vague_items(source: &Source) -> Vec<String> {
    let code = source.text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.filter_map(declared)
        .filter(|name| is_vague(name))
        .map(|name| format!("{}: `{name}` is a name that would fit anything", source.path))
        .collect()
}

/// The name that a line declares, if it opens a module or a type.
fn declared(line: &str) -> Option<&str> {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut words = words.skip_while(|word| BEFORE.contains(word));
    let keyword = words.next()?;
    KEYWORDS.contains(&keyword).then(|| words.next()).flatten()
}

fn is_vague(name: &str) -> bool {
    let last = last_word(name).to_lowercase();
    let name = name.to_lowercase();
    if GIVEN.contains(&name.as_str()) {
        return false;
    }
    ENDINGS.contains(&last.as_str()) || PARTS.iter().any(|part| name.contains(part))
}

/// `Utils` of `HttpUtils`, `utils` of `http_utils`.
fn last_word(name: &str) -> &str {
    let tail = name.rsplit(['_', '-']).next().unwrap_or(name);
    tail.rfind(char::is_uppercase).map_or(tail, |start| &tail[start..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::source;

    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(problems(&[source(path, text)]), expected);
    }

    #[test]
    fn vague_files_and_folders_are_named() {
        let fault = "a name that would fit anything";
        check("crates/model/src/utils.rs", "", &[&format!("crates/model/src/utils.rs: {fault}")]);
        check("crates/a/src/common/b.rs", "", &[&format!("crates/a/src/common: {fault}")]);
        check("modules/http_helpers.star", "", &[&format!("modules/http_helpers.star: {fault}")]);
        check("book/taskmanager.md", "", &[&format!("book/taskmanager.md: {fault}")]);
    }

    #[test]
    fn a_vague_folder_is_reported_once() {
        let sources = [source("crates/misc/a.rs", ""), source("crates/misc/b.rs", "")];
        assert_eq!(problems(&sources), ["crates/misc: a name that would fit anything"]);
    }

    #[test]
    fn vague_types_and_modules_are_named() {
        for (keyword, name) in [("struct", "ToolManager"), ("mod", "util"), ("trait", "HttpUtils")]
        {
            let expected = format!("a.rs: `{name}` is a name that would fit anything");
            check("a.rs", &format!("    pub(crate) {keyword} {name}<T> {{\n"), &[&expected]);
        }
    }

    #[test]
    fn plain_names_pass() {
        check("crates/model/src/process.rs", "pub struct CommonPrefix;\nfn utils() {}\n", &[]);
        check("examples/modules/http-utils/main.star", "", &[]);
        check("a.rs", "// the type helper of old\nlet manager = 1;\n", &[]);
    }
}
