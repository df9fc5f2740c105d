//! What an edit changes, line by line.

use similar::{Change, ChangeTag, DiffOp, TextDiff};

/// One line of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLine<'t> {
    Same(&'t str),
    Gone(&'t str),
    Come(&'t str),
}

/// A line that is cut to what changes in it.
const LONG: usize = 400;
/// Bytes of it around that.
const NEAR: usize = 20;
/// Lines around what changes, to see where that is. Few: others' lines may hold others' secrets.
const AROUND: usize = 2;

/// The lines that change, and those around them.
pub fn diff<'t>(before: &'t str, after: &'t str) -> Vec<DiffLine<'t>> {
    let diff = TextDiff::from_lines(before, after);
    let groups = diff.grouped_ops(AROUND);
    groups.iter().flatten().flat_map(|op| changed(&diff, op)).collect()
}

fn changed<'t>(diff: &TextDiff<'t, 't, '_, str>, op: &DiffOp) -> Vec<DiffLine<'t>> {
    if let DiffOp::Replace { old_index, old_len: 1, new_index, new_len: 1 } = *op {
        let (old, new) = cut(diff.old_slices()[old_index], diff.new_slices()[new_index]);
        return vec![DiffLine::Gone(old), DiffLine::Come(new)];
    }
    let line = |change: Change<&'t str>| match change.tag() {
        ChangeTag::Equal => DiffLine::Same(change.value()),
        ChangeTag::Delete => DiffLine::Gone(change.value()),
        ChangeTag::Insert => DiffLine::Come(change.value()),
    };
    diff.iter_changes(op).map(line).collect()
}

impl DiffLine<'_> {
    /// The line, with the mark that programs for differences write before it.
    pub fn marked(&self) -> String {
        let (mark, line) = match self {
            Self::Same(line) => (' ', line),
            Self::Gone(line) => ('-', line),
            Self::Come(line) => ('+', line),
        };
        format!("{mark}{}", line.trim_end_matches(['\n', '\r']))
    }
}

/// Of a long line that became another, what changes and a little around it: a file in one line is no
/// more to be shown as a whole than others' lines are.
fn cut<'t>(old: &'t str, new: &'t str) -> (&'t str, &'t str) {
    if old.len().max(new.len()) <= LONG {
        return (old, new);
    }
    let same =
        |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.bytes().zip(new.bytes()));
    let most = old.len().min(new.len()) - head;
    let tail = same(&mut old.bytes().rev().zip(new.bytes().rev())).min(most);
    let part = |line: &'t str| {
        let start = line.floor_char_boundary(head.saturating_sub(NEAR));
        let end = line.ceil_char_boundary((line.len() - tail + NEAR).min(line.len()));
        &line[start..end]
    };
    (part(old), part(new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &[&str]) {
        let lines = diff(before, after);
        let lines: Vec<String> = lines.iter().map(DiffLine::marked).collect();
        assert_eq!(lines, expected, "{before:?} → {after:?}");
    }

    #[test]
    fn a_difference_shows_what_changes_and_a_little_around_it() {
        check("", "", &[]);
        check("a\n", "a\n", &[]);
        check("", "a\n", &["+a"]);
        check("a\n", "", &["-a"]);
        let (before, after) = ("x".repeat(500), "y".repeat(500));
        let (x, y) = ("x".repeat(20), "y".repeat(20));
        check(
            &format!("{before}{after}"),
            &format!("{before}new{after}"),
            &[&format!("-{x}{y}"), &format!("+{x}new{y}")],
        );
        check("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nX\ne\nf\n", &[" b", " c", "-d", "+X", " e", " f"]);
        check("a\na\n", "a\na\na\n", &[" a", " a", "+a"]);
        check("a\na\na\n", "a\n", &[" a", "-a", "-a"]);
        // What was the last line gets an end.
        check("a", "a\nb\n", &["-a", "+a", "+b"]);
        check("a\r\nb\r\n", "a\r\nc\r\n", &[" a", "-b", "+c"]);
    }
}
