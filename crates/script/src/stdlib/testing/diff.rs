//! Two texts beside each other, line by line: what only the first has, what only the second has, and
//! a little of what they share.

use similar::{DiffOp, TextDiff};
use std::time::Duration;

/// Shared lines shown around a difference.
const AROUND: usize = 3;
/// What has not been compared by then is told as another text.
const LONGEST_COMPARISON: Duration = Duration::from_millis(200);
/// Bytes of a line that are shown.
const MOST_WIDE: usize = 2_000;
/// Lines of a report.
const MOST_SHOWN: usize = 120;

/// Lines with `-` are the first's, with `+` the second's. Where one line became another, the part that
/// differs is marked below it.
pub(crate) fn diff(first: &str, second: &str) -> String {
    let (first, second) = (shortened(first), shortened(second));
    // A line end at the end is a line of its own, so that it is seen to be missing.
    let (first, second): (Vec<&str>, Vec<&str>) =
        (first.split('\n').collect(), second.split('\n').collect());
    let diff = TextDiff::configure().timeout(LONGEST_COMPARISON).diff_slices(&first, &second);
    let mut shown = Vec::new();
    let mut end = 0;
    for group in diff.grouped_ops(AROUND) {
        let begin = group.first().map_or(end, |op| op.old_range().start);
        match begin - end {
            0 => {}
            // The mark would take as much room.
            1 => shown.push(format!("  {}", first[end])),
            _ => shown.push("  …".to_owned()),
        }
        for op in &group {
            let changes = diff.iter_changes(op);
            shown.extend(changes.map(|change| format!("{} {}", change.tag(), change.value())));
            shown.extend(mark(op, &first, &second));
            end = op.old_range().end;
        }
    }
    if shown.len() > MOST_SHOWN {
        shown.truncate(MOST_SHOWN);
        shown.push("…".to_owned());
    }
    shown.join("\n")
}

/// Lines that nobody reads to their end are cut; one that differs behind that says so.
fn shortened(text: &str) -> String {
    let line = |line: &str| {
        let end = line.floor_char_boundary(MOST_WIDE);
        if end == line.len() {
            return line.to_owned();
        }
        let rest = &line[end..];
        let sum =
            rest.bytes().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        format!("{}… ({} more bytes, {sum:08x})", &line[..end], rest.len())
    };
    let lines: Vec<String> = text.split('\n').map(line).collect();
    lines.join("\n")
}

/// A line that alone took the place of another: where they differ.
fn mark(op: &DiffOp, first: &[&str], second: &[&str]) -> Option<String> {
    let DiffOp::Replace { old_index, old_len: 1, new_index, new_len: 1 } = *op else {
        return None;
    };
    let (old, new): (Vec<char>, Vec<char>) =
        (first[old_index].chars().collect(), second[new_index].chars().collect());
    let same = |pair: &(&char, &char)| pair.0 == pair.1;
    let begin = old.iter().zip(&new).take_while(same).count();
    let rest = old.len().min(new.len()) - begin;
    let from_the_end = old.iter().rev().zip(new.iter().rev());
    let end = from_the_end.take(rest).take_while(same).count();
    if begin + end == 0 {
        return None;
    }
    let width = (new.len() - begin - end).max(1);
    Some(format!("  {}{}", " ".repeat(begin), "^".repeat(width)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(first: &str, second: &str, expected: &Expect) {
        expected.assert_eq(&diff(first, second));
    }

    #[test]
    fn what_changed_is_marked() {
        check(
            "one\ntwo\nthree",
            "one\ntwenty\nthree",
            &expect![[r"
                  one
                - two
                + twenty
                    ^^^^
                  three"]],
        );
        check(
            "a",
            "a\n",
            &expect![[r"
                  a
                + "]],
        );
    }

    #[test]
    fn what_came_and_went_is_told_with_its_neighbours() {
        let numbers: Vec<String> = (1..=20).map(|n| n.to_string()).collect();
        let mut other = numbers.clone();
        other.remove(9);
        other.insert(0, "zero".into());
        check(
            &numbers.join("\n"),
            &other.join("\n"),
            &expect![[r"
                + zero
                  1
                  2
                  3
                  …
                  7
                  8
                  9
                - 10
                  11
                  12
                  13"]],
        );
    }

    #[test]
    fn nothing_in_common_and_much_of_it() {
        let (a, b) = ("a\n".repeat(5_000), "b\n".repeat(5_000));
        let told = diff(&a, &b);
        assert!(told.ends_with('…') && told.lines().count() <= MOST_SHOWN + 1);
    }
}
