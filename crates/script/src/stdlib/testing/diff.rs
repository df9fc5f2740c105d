//! Two texts beside each other, line by line: what only the first has, what only the second has, and
//! a little of what they share.

/// Shared lines shown around a difference.
const AROUND: usize = 3;
/// Lines that are compared with each other; of longer texts the beginnings are.
const MOST_COMPARED: usize = 600;
/// Bytes of a line that are shown.
const MOST_WIDE: usize = 2_000;
/// Lines of a report.
const MOST_SHOWN: usize = 120;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Both,
    First,
    Second,
}

/// Lines with `-` are the first's, with `+` the second's. Where one line became another, the part that
/// differs is marked below it.
pub(crate) fn diff(first: &str, second: &str) -> String {
    let (first, second) = (shortened(first), shortened(second));
    let (first, second): (Vec<&str>, Vec<&str>) = (lines(&first), lines(&second));
    let all = aligned(&first, &second);
    let near = |at: usize| {
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(all.len());
        all[around].iter().any(|(side, _)| *side != Side::Both)
    };
    let mut told = Vec::new();
    let mut left_out = 0;
    for (at, (side, line)) in all.iter().enumerate() {
        if told.len() >= MOST_SHOWN {
            told.push("…".to_owned());
            break;
        }
        if !near(at) {
            left_out += 1;
            continue;
        }
        match std::mem::take(&mut left_out) {
            0 => {}
            // The mark would take as much room.
            1 => told.push(format!("  {}", all[at - 1].1)),
            _ => told.push("  …".to_owned()),
        }
        told.push(match side {
            Side::Both => format!("  {line}"),
            Side::First => format!("- {line}"),
            Side::Second => format!("+ {line}"),
        });
        told.extend(mark(&all, at));
    }
    told.join("\n")
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

/// A line end at the end is a line of its own, so that it is seen to be missing.
fn lines(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

/// A line that alone took the place of another: where they differ.
fn mark(all: &[(Side, &str)], at: usize) -> Option<String> {
    let side = |at: usize| all.get(at).map(|(side, _)| *side);
    let alone = side(at) == Some(Side::Second)
        && side(at + 1) != Some(Side::Second)
        && side(at.checked_sub(1)?) == Some(Side::First)
        && at.checked_sub(2).and_then(side) != Some(Side::First);
    if !alone {
        return None;
    }
    let (old, new): (Vec<char>, Vec<char>) =
        (all[at - 1].1.chars().collect(), all[at].1.chars().collect());
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

/// All lines of both in an order that keeps the most of what they share.
fn aligned<'t>(first: &[&'t str], second: &[&'t str]) -> Vec<(Side, &'t str)> {
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let begin = first.iter().zip(second).take_while(same).count();
    let rest = first.len().min(second.len()) - begin;
    let ends = first.iter().rev().zip(second.iter().rev());
    let end = ends.take(rest).take_while(same).count();
    let both = |lines: &[&'t str]| lines.iter().map(|line| (Side::Both, *line)).collect();
    let mut all: Vec<(Side, &str)> = both(&first[..begin]);
    let middle = |lines: &[&'t str]| -> Vec<&'t str> {
        let middle = lines[begin..lines.len() - end].iter();
        middle.take(MOST_COMPARED).copied().collect()
    };
    all.extend(compared(&middle(first), &middle(second)));
    let tail: Vec<(Side, &str)> = both(&first[first.len() - end..]);
    all.extend(tail);
    all
}

/// The longest common subsequence, by the table of all beginnings' ends.
fn compared<'t>(first: &[&'t str], second: &[&'t str]) -> Vec<(Side, &'t str)> {
    let width = second.len() + 1;
    let mut table = vec![0u32; (first.len() + 1) * width];
    for i in (0..first.len()).rev() {
        for j in (0..second.len()).rev() {
            table[i * width + j] = if first[i] == second[j] {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut all = Vec::with_capacity(first.len() + second.len());
    while i < first.len() || j < second.len() {
        let both = i < first.len() && j < second.len() && first[i] == second[j];
        let takes_first = j == second.len()
            || i < first.len() && table[(i + 1) * width + j] >= table[i * width + j + 1];
        if both {
            all.push((Side::Both, first[i]));
            (i, j) = (i + 1, j + 1);
        } else if takes_first {
            all.push((Side::First, first[i]));
            i += 1;
        } else {
            all.push((Side::Second, second[j]));
            j += 1;
        }
    }
    all
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
