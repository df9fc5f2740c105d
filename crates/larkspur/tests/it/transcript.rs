//! Compares what a command printed with what a document shows of it.
//!
//! Documents show real output. Places and times that differ between runs are evened out first; where more
//! differs, or is not to be shown, `[..]` in a document stands for any text, and a line `...` for any lines.
//! Those of standard error begin with `2> `, also `2> ...`.

use std::path::Path;

/// Where documents say that the project is, and the binary.
const PROJECT: &str = "/Users/ada/project";
const BINARIES: &str = "/usr/local/bin";

/// Output with the places that documents name instead of those of this run.
pub(crate) fn relocate(printed: &str, project: &Path, binaries: &Path) -> String {
    let mut printed = printed.to_owned();
    for (place, shown) in [(project, PROJECT), (binaries, BINARIES)] {
        // A link to a folder is printed as such, or resolved.
        for place in [place.canonicalize().unwrap(), place.to_owned()] {
            printed = printed.replace(place.to_str().unwrap(), shown);
        }
    }
    // Clients call a project by its folder.
    let folder = project.file_name().unwrap().to_str().unwrap();
    printed.replace(folder.trim_start_matches('.'), "project")
}

/// Whether all lines agree, apart from blanks at their ends and from times.
pub(crate) fn agrees(expected: &str, printed: &str) -> bool {
    let (expected, printed): (Vec<_>, Vec<_>) =
        (expected.lines().collect(), printed.lines().collect());
    lines_agree(&expected, &printed)
}

fn lines_agree(expected: &[&str], printed: &[&str]) -> bool {
    match expected {
        [] => printed.is_empty(),
        [any @ ("..." | "2> ..."), rest @ ..] => {
            let stream = |line: &str| line.starts_with("2>");
            let same = printed.iter().take_while(|line| stream(line) == stream(any));
            (0..=same.count()).any(|skipped| lines_agree(rest, &printed[skipped..]))
        }
        [line, rest @ ..] => {
            let printed = printed.split_first();
            printed.is_some_and(|(p, printed)| line_agrees(line, p) && lines_agree(rest, printed))
        }
    }
}

fn line_agrees(expected: &str, printed: &str) -> bool {
    let (expected, printed) = (even_out(expected.trim_end()), printed.trim_end());
    fits(&expected, &even_out(printed)) || fits(&expected, &even_out(timeless(printed)))
}

/// A line without the time in parentheses that a slow test ends with.
pub(crate) fn timeless(line: &str) -> &str {
    match line.rsplit_once(" (") {
        Some((said, rest)) if rest.ends_with(" ms)") => said,
        _ => line,
    }
}

/// The line with every number of milliseconds as `0 ms`.
fn even_out(line: &str) -> String {
    let mut parts = line.split(" ms").peekable();
    let mut out = String::new();
    while let Some(part) = parts.next() {
        let rest = part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match parts.peek() {
            None => out.push_str(part),
            Some(_) if rest.len() < part.len() => out.extend([rest, "0 ms"]),
            Some(_) => out.extend([part, " ms"]),
        }
    }
    out
}

/// Whether a line fits a pattern in which `[..]` stands for any text.
pub(crate) fn fits(pattern: &str, line: &str) -> bool {
    let Some((before, after)) = pattern.split_once("[..]") else {
        return pattern == line;
    };
    let Some(rest) = line.strip_prefix(before) else {
        return false;
    };
    (0..=rest.len()).filter_map(|skipped| rest.get(skipped..)).any(|rest| fits(after, rest))
}

#[test]
fn wildcards_stand_for_any_text() {
    assert!(fits("key [..] opens", "key 3f opens"));
    assert!(fits("[..] and [..]", "é and b"));
    assert!(!fits("took [..] ms", "took 12 s"));
    assert!(!agrees("a", "a\nb"));
    assert!(agrees("a\n...\nd\n2> ...", "a\nb\nc\nd\n2> e\n2> f"));
    assert!(!agrees("a\n...", "a\nb\n2> c"));
}

#[test]
fn times_differ_and_other_numbers_do_not() {
    assert!(agrees("loaded in 12.1 ms, 1 tool", "loaded in 9 ms, 1 tool"));
    assert!(agrees("✓ test_slow", "✓ test_slow (1200 ms)"));
    assert!(!agrees("loaded in 12 ms, 1 tool", "loaded in 12 ms, 2 tools"));
    assert!(!agrees("in 12 ms", "in 12 s"));
    assert!(!agrees("some ms", "12 ms"));
}

#[test]
fn places_of_this_run_are_replaced() {
    let (project, binaries) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at = |folder: &tempfile::TempDir| folder.path().display().to_string();
    let printed = format!("{}/larkspur serve {}/modules", at(&binaries), at(&project));
    assert_eq!(
        relocate(&printed, project.path(), binaries.path()),
        "/usr/local/bin/larkspur serve /Users/ada/project/modules"
    );
}
