//! `re`: regular expressions on an engine whose time grows with the text alone, never with the pattern's
//! choices. There is no backtracking, so there are no back-references and no look-around.

mod found;
mod pattern;
mod replacement;

use crate::stdlib::prelude::*;
pub(crate) use pattern::{Patterns, pattern};

use super::checked::size::gauge;
use found::{Found, Places};
use regex::Regex;

/// Between two matches: is there time, and is there memory?
fn go_on(found: usize, eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<()> {
    let gauge = gauge(eval)?;
    gauge.elements(found, "matches")?;
    gauge.in_time()?;
    gauge.memory(eval)
}

/// The first match as a dict, if it may begin there.
fn first<'v>(
    regex: &Regex,
    s: &str,
    may_begin: fn(usize) -> bool,
    eval: &Evaluator<'v, '_, '_>,
) -> Value<'v> {
    let captures = regex.captures(s);
    let found = captures.and_then(|captures| Found::new(regex, captures));
    match found {
        Some(found) if may_begin(found.whole.start) => found.dict(&mut Places::of(s), eval.heap()),
        _ => Value::new_none(),
    }
}

/// Regular expressions whose time grows with the text alone: no back-references, no look-around.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// The match at the beginning of a text, or None.
    ///
    /// A match is a dict: `text`, `groups` (a list, without the whole; None for a group that took no
    /// part), `named` (a dict), `start` and `end` (places as in `s[start:end]`).
    ///
    /// Examples:
    /// ```python
    /// >>> re.match("(?P<year>[0-9]+)-([0-9]+)", "2024-05-01")
    /// {"text": "2024-05", "groups": ["2024", "05"], "named": {"year": "2024"}, "start": 0, "end": 7}
    /// >>> re.match("[0-9]+", "May 2024")
    /// None
    /// >>> re.match("(a", "a")
    /// error: re: in the pattern "(a": unclosed group
    /// ```
    fn r#match<'v>(
        #[starlark(require = pos)] pattern: &str,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let regex = self::pattern(pattern, s, eval)?;
        Ok(first(&regex, s, |start| start == 0, eval))
    }

    /// The first match anywhere in a text, as `re.match` gives it, or None.
    ///
    /// Examples:
    /// ```python
    /// >>> re.search("[0-9]+", "im Jahr «2024»")["text"]
    /// "2024"
    /// >>> re.search("(?i)JAHR", "im Jahr")["start"]
    /// 3
    /// >>> re.search("x", "abc")
    /// None
    /// ```
    fn search<'v>(
        #[starlark(require = pos)] pattern: &str,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let regex = self::pattern(pattern, s, eval)?;
        Ok(first(&regex, s, |_| true, eval))
    }

    /// All matches, from left to right.
    ///
    /// As in Python: texts; if the pattern has one group, what that group took; if it has several,
    /// a list of what they took.
    ///
    /// Examples:
    /// ```python
    /// >>> re.find_all("[a-z]+", "one, two")
    /// ["one", "two"]
    /// >>> re.find_all("([a-z])=([0-9])?", "a=1 b=")
    /// [["a", "1"], ["b", None]]
    /// ```
    fn find_all<'v>(
        #[starlark(require = pos)] pattern: &str,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let regex = self::pattern(pattern, s, eval)?;
        let heap = eval.heap();
        let mut all: Vec<Value<'v>> = Vec::new();
        if regex.captures_len() == 1 {
            for found in regex.find_iter(s) {
                all.push(heap.alloc(found.as_str()));
                go_on(all.len(), eval)?;
            }
            Receiver::new(heap).items(&all)?;
            return Ok(heap.alloc(AllocList(all)));
        }
        let mut receiver = Receiver::new(heap);
        for captures in regex.captures_iter(s) {
            let mut groups = found::groups(&captures, heap);
            receiver.items(&groups)?;
            all.push(match groups.len() {
                1 => groups.remove(0),
                _ => heap.alloc(AllocList(groups)),
            });
            go_on(all.len(), eval)?;
        }
        Ok(heap.alloc(AllocList(all)))
    }

    /// A text with every match replaced.
    ///
    /// In `by`, `$1` or `${1}` stands for what a group took, `${name}` for a named one, `$0` for the
    /// whole match and `$$` for a `$`. A group that the pattern does not have is an error.
    ///
    /// Examples:
    /// ```python
    /// >>> re.replace("([a-z]+)@([a-z]+)", "ada@home, bob@work", "$2: ${1}")
    /// "home: ada, work: bob"
    /// >>> re.replace("(a)", "xax", "$1b")
    /// error: re.replace: the pattern has no group `1b`: it has $1, and `$0` is the whole match; write `${1}b` for group 1 followed by `b`
    /// ```
    fn replace<'v>(
        #[starlark(require = pos)] pattern: &str,
        #[starlark(require = pos)] s: &str,
        #[starlark(require = pos)] by: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let regex = self::pattern(pattern, s, eval)?;
        replacement::check(by, &regex)?;
        let gauge = gauge(eval)?;
        let references = by.matches('$').count();
        let mut out = String::new();
        let mut done = 0;
        for (found, captures) in regex.captures_iter(s).enumerate() {
            go_on(found, eval)?;
            let Some(whole) = captures.get(0) else {
                continue;
            };
            out.push_str(&s[done..whole.start()]);
            // A group is at most as long as the whole match.
            let longest = references.saturating_mul(whole.len()).saturating_add(by.len());
            gauge.text(out.len().saturating_add(longest), "a text")?;
            captures.expand(by, &mut out);
            done = whole.end();
        }
        out.push_str(&s[done..]);
        gauge.text(out.len(), "a text")?;
        Ok(out)
    }

    /// The parts of a text between the matches.
    ///
    /// Examples:
    /// ```python
    /// >>> re.split("[,;] *", "a, b;c")
    /// ["a", "b", "c"]
    /// >>> re.split(",", "")
    /// [""]
    /// ```
    fn split<'v>(
        #[starlark(require = pos)] pattern: &str,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let regex = self::pattern(pattern, s, eval)?;
        let mut parts: Vec<Value<'v>> = Vec::new();
        for part in regex.split(s) {
            parts.push(eval.heap().alloc(part));
            go_on(parts.len(), eval)?;
        }
        Receiver::new(eval.heap()).items(&parts)?;
        Ok(eval.heap().alloc(AllocList(parts)))
    }
}
