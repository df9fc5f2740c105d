//! Adds to the `permissions(…)` of a single file: nothing else of its text changes.

use super::edit::line;
use model::Permission;
use script::{PermissionCall, SourceFacts};
use std::collections::BTreeMap;
use std::ops::Range;

/// A line that would be longer gets one line per key.
const LONGEST: usize = 100;

/// The text that comes in the place of these bytes.
type Edit = (Range<usize>, String);

/// The source with these declared, and which of them are; those that cannot be added by certain edits are left
/// out.
pub(super) fn declare<'w>(
    source: &str,
    wanted: &'w [(Permission, String)],
) -> (String, Vec<&'w (Permission, String)>) {
    let mut text = source.to_owned();
    let Ok(facts) = SourceFacts::read("", source) else {
        return (text, Vec::new());
    };
    // The name may stand for a value of the file's own.
    if facts.own.contains("permissions") {
        return (text, Vec::new());
    }
    if facts.declarations.is_empty() {
        let Some((range, line)) = insertion(source, facts.preamble, &call(wanted)) else {
            return (text, Vec::new());
        };
        text.replace_range(range, &line);
        return (text, wanted.iter().collect());
    }
    let mut done = Vec::new();
    for one in wanted {
        if let Some((range, by)) = addition(&text, one) {
            text.replace_range(range, &by);
            done.push(one);
        }
    }
    (text, done)
}

/// The whole call, keys in the order of the reference.
fn call(wanted: &[(Permission, String)]) -> String {
    let mut by_key: BTreeMap<Permission, Vec<String>> = BTreeMap::new();
    for (permission, name) in wanted {
        let (names, name) = (by_key.entry(*permission).or_default(), quoted(name));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let entries = by_key.iter();
    let entries = entries.map(|(key, names)| format!("{} = [{}]", key.key(), names.join(", ")));
    let entries: Vec<String> = entries.collect();
    let line = format!("permissions({})", entries.join(", "));
    if line.chars().count() <= LONGEST {
        return line;
    }
    format!("permissions(\n    {},\n)", entries.join(",\n    "))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Below the docstring and the `load`s, or below a comment that heads the file.
fn insertion(source: &str, preamble: Option<usize>, call: &str) -> Option<Edit> {
    let at = match preamble {
        Some(end) => {
            let rest = line(source, end);
            let beside = source[end..rest.end].trim();
            if !beside.is_empty() && !beside.starts_with('#') {
                return None;
            }
            rest.end
        }
        None => heading(source),
    };
    let begins_line = at == 0 || source[..at].ends_with('\n');
    let before = match (preamble, begins_line) {
        (Some(_), true) => "\n",
        (Some(_), false) => "\n\n",
        (None, _) => "",
    };
    let next = source[at..].lines().next().unwrap_or_default();
    let after = if next.trim().is_empty() { "\n" } else { "\n\n" };
    Some((at..at, format!("{before}{call}{after}")))
}

/// The end of the comment that a file begins with, if an empty line follows it.
fn heading(source: &str) -> usize {
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        at += line.len();
        if line.trim().is_empty() {
            return at;
        }
        if !line.starts_with('#') {
            break;
        }
    }
    let first = source.split_inclusive('\n').next().unwrap_or_default();
    if first.starts_with("#!") { first.len() } else { 0 }
}

/// One name more in the call that is there.
fn addition(source: &str, (permission, name): &(Permission, String)) -> Option<Edit> {
    let facts = SourceFacts::read("", source).ok()?;
    let [(call, _)] = facts.declarations.as_slice() else {
        return None;
    };
    let PermissionCall { inside, arguments, .. } = call;
    if call.in_function || call.has_unnamed {
        return None;
    }
    let (key, value) = (permission.key(), quoted(name));
    match call.keys.iter().find(|one| one.name == key) {
        Some(found) => {
            let (inside, items) = found.list.as_ref()?;
            let has = |item: &Range<usize>| source[item.clone()] == value;
            if items.iter().any(has) {
                return None;
            }
            Some(appended(source, inside, items, &value))
        }
        None => Some(appended(source, inside, arguments, &format!("{key} = [{value}]"))),
    }
}

/// One item more between brackets: on a line of its own where the last one is, below its comment.
fn appended(source: &str, inside: &Range<usize>, items: &[Range<usize>], new: &str) -> Edit {
    let Some(last) = items.last() else {
        return (inside.start..inside.start, new.to_owned());
    };
    let begin = line(source, last.start).start;
    let indent = &source[begin..last.start];
    let rest = &source[last.end..inside.end];
    let Some(end) = rest.find('\n').filter(|_| indent.trim().is_empty()) else {
        return (last.end..last.end, format!(", {new}"));
    };
    let rest = &rest[..end];
    let rest = rest.strip_suffix('\r').unwrap_or(rest);
    let newline = if rest.len() < end { "\r\n" } else { "\n" };
    let range = last.end..last.end + rest.len();
    if rest.trim_start().starts_with(',') {
        return (range, format!("{rest}{newline}{indent}{new},"));
    }
    (range, format!(",{rest}{newline}{indent}{new}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Permission::{Env, Files, Http};

    const REST: &str = "# About f.\ndef f():\n    return 1\n\ntool(f)\n";

    #[track_caller]
    fn check(source: &str, wanted: &[(Permission, &str)], expected: &str) {
        let wanted = wanted.iter();
        let wanted: Vec<_> = wanted.map(|(key, name)| (*key, (*name).to_owned())).collect();
        let (text, done) = declare(source, &wanted);
        assert_eq!(text, expected);
        assert_eq!(done.len(), wanted.len());
        assert!(SourceFacts::read("a.star", &text).is_ok(), "{text}");
    }

    #[test]
    fn first_declaration_stands_at_the_top() {
        let line = "permissions(http = [\"a.org\"])";
        for (before, expected) in [
            ("", format!("{line}\n\n")),
            ("# License\n\n", format!("# License\n\n{line}\n\n")),
            ("#!/usr/bin/larkspur\n", format!("#!/usr/bin/larkspur\n{line}\n\n")),
            ("\"\"\"Doc.\"\"\"\n", format!("\"\"\"Doc.\"\"\"\n\n{line}\n\n")),
            (
                "\"\"\"Doc.\n\nMore.\n\"\"\"  # why\n\nload(\"b.star\", \"b\")\n\n",
                format!(
                    "\"\"\"Doc.\n\nMore.\n\"\"\"  # why\n\nload(\"b.star\", \"b\")\n\n{line}\n\n"
                ),
            ),
        ] {
            let source = format!("{before}{REST}");
            check(&source, &[(Http, "a.org")], &format!("{expected}{REST}"));
        }
        check("\"\"\"Doc.\"\"\"", &[(Http, "a.org")], &format!("\"\"\"Doc.\"\"\"\n\n{line}\n"));
    }

    #[test]
    fn first_declaration_names_each_thing_once() {
        check(
            REST,
            &[(Env, "B"), (Http, "a.org"), (Env, "A"), (Env, "B")],
            &format!("permissions(http = [\"a.org\"], env = [\"B\", \"A\"])\n\n{REST}"),
        );
        let long = "x".repeat(90);
        check(
            REST,
            &[(Env, &long), (Files, "a\"b")],
            &format!(
                "permissions(\n    env = [\"{long}\"],\n    files = [\"a\\\"b\"],\n)\n\n{REST}"
            ),
        );
    }

    #[test]
    fn later_ones_are_added_to_the_call() {
        for (source, expected) in [
            ("permissions()", "permissions(http = [\"a.org\"])"),
            ("permissions(http = [])", "permissions(http = [\"a.org\"])"),
            ("permissions(http=['b.org'])", "permissions(http=['b.org', \"a.org\"])"),
            ("permissions(http = ['b.org',],)", "permissions(http = ['b.org', \"a.org\",],)"),
            (
                "permissions(env = [\"A\"])  # why",
                "permissions(env = [\"A\"], http = [\"a.org\"])  # why",
            ),
            (
                "permissions(\n    # hosts\n    http = [\n        'b.org',  # first\n    ],\n)",
                "permissions(\n    # hosts\n    http = [\n        'b.org',  # first\n        \
                 \"a.org\",\n    ],\n)",
            ),
            (
                "permissions(\n    env = ['A']  # why\n)",
                "permissions(\n    env = ['A'],  # why\n    http = [\"a.org\"]\n)",
            ),
            (
                "permissions(\r\n    env = ['A'],\r\n)",
                "permissions(\r\n    env = ['A'],\r\n    http = [\"a.org\"],\r\n)",
            ),
        ] {
            let source = format!("{source}\n{REST}");
            check(&source, &[(Http, "a.org")], &format!("{expected}\n{REST}"));
        }
    }

    #[test]
    fn uncertain_edits_are_not_made() {
        for source in [
            "permissions(http = HOSTS)",
            "permissions(http = ['b.org'] + MORE)",
            "permissions(**ALL)",
            "def g():\n    permissions(http = [])",
            "permissions(http = [\"a.org\"])",
            "permissions(http = [])\npermissions(http = [])",
            "\"\"\"Doc.\"\"\"; X = 1",
            "def g(:",
            "def permissions(x):\n    return x\nX = permissions(1)",
        ] {
            let source = format!("{source}\n{REST}");
            let wanted = [(Http, "a.org".to_owned())];
            assert_eq!(declare(&source, &wanted), (source.clone(), vec![]));
        }
    }
}
