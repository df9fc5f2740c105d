//! Values in reports: short ones whole, others where they differ.

use super::diff::diff;
use crate::stdlib::prelude::*;
use crate::stdlib::show;

/// Characters of a value in a report; of a longer one a part is shown.
const LONGEST: usize = 600;
/// Bytes of a value that are looked at for a difference.
const LONGEST_REPR: usize = 16 << 20;
/// Characters shown before the first difference.
const LEAD: usize = 60;
/// Lists and dicts that are longer together are told line by line.
const ONE_LINE: usize = 80;
/// Lists in lists are taken apart so deep.
const DEEPEST: usize = 32;

pub(super) fn shown<'v>(value: Value<'v>, heap: Heap<'v>) -> String {
    part(&repr(value, heap), 0)
}

/// As Starlark writes it, but texts in their own script.
fn repr<'v>(value: Value<'v>, heap: Heap<'v>) -> String {
    match value.unpack_str() {
        Some(text) => serde_json::Value::from(text).to_string(),
        None => show::cut(value, LONGEST_REPR, Some(heap)),
    }
}

/// That two values differ, and how.
pub(super) fn differ<'v>(a: Value<'v>, b: Value<'v>, heap: Heap<'v>) -> String {
    if let (Some(a), Some(b)) = (a.unpack_str(), b.unpack_str())
        && (a.contains('\n') || b.contains('\n'))
    {
        return by_line("the texts", a, b);
    }
    let (left, right) = (repr(a, heap), repr(b, heap));
    let together = left.chars().count() + right.chars().count();
    if is_large(a) && is_large(b) && together > ONE_LINE {
        let what = if a.get_type() == b.get_type() {
            format!("the {}s", a.get_type())
        } else {
            "the values".to_owned()
        };
        return by_line(&what, &spread(a, heap), &spread(b, heap));
    }
    let same = left.chars().zip(right.chars());
    let same = same.take_while(|(a, b)| a == b).count();
    let (left, right) = (part(&left, same), part(&right, same));
    format!("{left} is not equal to {right}")
}

// Which of them was expected nobody knows: users of starlark-mcp write both orders.
fn by_line(what: &str, a: &str, b: &str) -> String {
    format!("{what} differ (- the first, + the second)\n{}", diff(a, b))
}

fn is_large(value: Value<'_>) -> bool {
    ListRef::from_value(value).is_some() || DictRef::from_value(value).is_some()
}

/// A list or dict with an element a line.
fn spread<'v>(value: Value<'v>, heap: Heap<'v>) -> String {
    let mut text = String::new();
    write(value, 0, heap, &mut text);
    text
}

fn write<'v>(value: Value<'v>, depth: usize, heap: Heap<'v>, text: &mut String) {
    let list = ListRef::from_value(value).filter(|list| !list.is_empty());
    let dict = DictRef::from_value(value).filter(|dict| !dict.is_empty());
    match (list, dict) {
        (Some(list), _) if depth < DEEPEST => {
            text.push_str("[\n");
            for item in list.iter() {
                line(None, item, depth + 1, heap, text);
            }
            text.push_str(&"  ".repeat(depth));
            text.push(']');
        }
        (_, Some(dict)) if depth < DEEPEST => {
            text.push_str("{\n");
            for (key, item) in dict.iter() {
                line(Some(key), item, depth + 1, heap, text);
            }
            text.push_str(&"  ".repeat(depth));
            text.push('}');
        }
        _ => text.push_str(&repr(value, heap)),
    }
}

fn line<'v>(
    key: Option<Value<'v>>,
    item: Value<'v>,
    depth: usize,
    heap: Heap<'v>,
    text: &mut String,
) {
    text.push_str(&"  ".repeat(depth));
    if let Some(key) = key {
        text.push_str(&repr(key, heap));
        text.push_str(": ");
    }
    write(item, depth, heap, text);
    text.push_str(",\n");
}

/// The text, or when it is long a part of it that holds the character at `at`.
fn part(text: &str, at: usize) -> String {
    let length = text.chars().count();
    if length <= LONGEST {
        return text.to_owned();
    }
    let from = if at + LEAD < LONGEST { 0 } else { (at - LEAD).min(length - LONGEST) };
    let shown: String = text.chars().skip(from).take(LONGEST).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if from + LONGEST < length { "…" } else { "" };
    format!("{before}{shown}{after} ({length} characters)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_shown_where_they_differ() {
        let digits = "0123456789".repeat(200);
        let check = |at: usize, begins: &str, ends: &str| {
            let part = part(&digits, at);
            assert!(part.starts_with(begins) && part.ends_with(ends), "{at}: {part}");
        };
        check(0, "0123", "6789… (2000 characters)");
        check(500, "0123", "6789… (2000 characters)");
        check(1000, "…0123", "6789… (2000 characters)");
        check(1001, "…1234", "7890… (2000 characters)");
        check(1999, "…0123", "6789 (2000 characters)");
        assert_eq!(part(&digits[..LONGEST], 590), digits[..LONGEST]);
    }
}
