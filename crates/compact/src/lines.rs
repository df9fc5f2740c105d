//! Line breaks in long JSON: some clients show nothing of a single line of many kilobytes.

use super::first_block::is_json;

/// JSON up to this many bytes stays on one line, and a longer line ends at the next comma.
const ONE_LINE: usize = 2_000;

/// Where a line ends, if there is a choice.
const LINE: usize = 1_000;

/// Breaks long JSON into lines of about 1,000 bytes. Each break is after a comma, as far out of nested lists
/// and objects as there is one in 500 to 2,000 bytes.
pub(super) fn break_lines(json: String) -> String {
    if json.len() <= ONE_LINE {
        return json;
    }
    let mut broken = String::with_capacity(json.len() + json.len() / (LINE / 2) + 1);
    let (mut scan, mut start) = (Scan::default(), 0);
    while json.len() - start > ONE_LINE
        && let Some(end) = scan.line_end(json.as_bytes(), start)
    {
        broken += &json[start..end];
        broken.push('\n');
        start = end;
    }
    broken += &json[start..];
    broken
}

/// The same for a text of which it is not known whether it is JSON. One that has lines keeps them.
pub fn break_json_lines(text: String) -> String {
    let may_be = text.len() > ONE_LINE && text.starts_with(['{', '[']);
    if may_be && !text.contains('\n') && is_json(&text) {
        return break_lines(text);
    }
    text
}

/// What is known at the beginning of a line.
#[derive(Debug, Clone, Copy, Default)]
struct Scan {
    depth: usize,
    quoted: bool,
    escaped: bool,
}

impl Scan {
    /// Where a line ends that begins at `start`, and moves there. None if no comma follows.
    fn line_end(&mut self, json: &[u8], start: usize) -> Option<usize> {
        let mut here = *self;
        let mut best: Option<(usize, Self)> = None;
        for (at, byte) in json.iter().enumerate().skip(start) {
            let length = at + 1 - start;
            if best.is_some() && length > ONE_LINE {
                break;
            }
            let is_comma = here.step(*byte);
            let is_better = || match best {
                Some((_, best)) if here.depth == best.depth => length <= LINE,
                Some((_, best)) => here.depth < best.depth,
                None => true,
            };
            if is_comma && length > LINE / 2 && is_better() {
                best = Some((at + 1, here));
            }
        }
        let (end, scan) = best?;
        *self = scan;
        Some(end)
    }

    /// Reads one byte; whether it is a comma between values.
    fn step(&mut self, byte: u8) -> bool {
        if self.escaped {
            self.escaped = false;
            return false;
        }
        match byte {
            b'\\' if self.quoted => self.escaped = true,
            b'"' => self.quoted = !self.quoted,
            _ if self.quoted => {}
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            b',' => return true,
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(value: &Value) -> Vec<usize> {
        let json = value.to_string();
        let broken = break_lines(json.clone());
        assert_eq!(broken.replace(",\n", ","), json);
        assert_eq!(serde_json::from_str::<Value>(&broken).unwrap(), *value);
        broken.lines().map(str::len).collect()
    }

    #[test]
    fn short_json_stays_on_one_line() {
        let value = json!({"a": "x".repeat(ONE_LINE - 8)});
        assert_eq!(check(&value), [ONE_LINE]);
        assert_eq!(check(&json!([])), [2]);
    }

    #[test]
    fn lines_are_about_a_thousand_bytes() {
        let numbers: Value = (0..2_000).collect();
        let words: Value = (0..300).map(|n| format!("設計, \"{n}\" \\")).collect();
        let rows: Value =
            (0..90).map(|n| json!({"n": n, "x": [1, {"y": 2}], "s": "a,b"})).collect();
        for value in [numbers, words, json!({"total": 9, "rows": rows})] {
            let lines = check(&value);
            let (last, lines) = lines.split_last().unwrap();
            assert!(*last <= ONE_LINE, "{last}");
            let is_usual = |line: &usize| (LINE / 2..=LINE).contains(line);
            assert!(lines.iter().all(is_usual), "{lines:?}");
        }
    }

    #[test]
    fn rows_stay_whole_where_they_fit() {
        let rows: Vec<Value> = (0..90).map(|n| json!({"n": n, "x": [1, 2, 3]})).collect();
        let broken = break_lines(json!({"rows": rows}).to_string());
        let begins = broken.lines().skip(1).filter(|line| !line.starts_with("{\"n\""));
        assert_eq!(begins.collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn a_long_text_stays_whole() {
        let long = "x, ".repeat(3_000);
        assert_eq!(check(&json!([long])).len(), 1);
        let lines = check(&json!(["a", long, "b", "c".repeat(900)]));
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn only_json_of_one_line_is_broken() {
        let rows: Value = (0..900).collect();
        let json = rows.to_string();
        assert!(break_json_lines(json.clone()).contains('\n'));
        for text in [format!("{json} and more"), format!("{json}\n"), "{".repeat(3_000)] {
            assert_eq!(break_json_lines(text.clone()), text);
        }
    }
}
