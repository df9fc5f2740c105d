//! `LIKE` and `GLOB` that end with their call: the built-in ones compare a long pattern with a long
//! text for minutes, and cannot be interrupted.

use super::functions::{Original, flags};
use crate::term::Term;
use rusqlite::functions::Context;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, ffi};
use std::borrow::Cow;
use std::sync::Arc;

/// Comparisons between two looks at the clock: less than a millisecond.
const STEPS: usize = 1 << 16;
/// `SQLite`'s own limit on the bytes of a pattern.
const LONGEST: usize = 50_000;

/// Replaces both operators on a connection.
pub(super) fn register(
    connection: &Connection,
    term: &Term,
    original: &Arc<Original>,
) -> rusqlite::Result<()> {
    for (name, count) in [("like", 2), ("like", 3), ("glob", 2)] {
        let (term, original) = (term.clone(), Arc::clone(original));
        connection.create_scalar_function(name, count, flags(), move |context| {
            let text = |index| to_text(context.get_raw(index), &original);
            let (Some(pattern), Some(text)) = (compiled(name, context, text)?, text(1)?) else {
                return Ok(None);
            };
            let found = pattern.matches(&text, || term.over().is_some());
            found.map(Some)
        })?;
    }
    Ok(())
}

/// A pattern that is the same for every row is read once.
fn compiled<'c>(
    name: &str,
    context: &'c Context<'_>,
    text: impl Fn(usize) -> rusqlite::Result<Option<Cow<'c, str>>>,
) -> rusqlite::Result<Option<Arc<Pattern>>> {
    if context.len() == 3 {
        let (Some(pattern), Some(escape)) = (text(0)?, text(2)?) else {
            return Ok(None);
        };
        let pattern = Pattern::like(short(&pattern)?, Some(single(&escape)?));
        return Ok(Some(Arc::new(pattern)));
    }
    if let Some(known) = context.get_aux::<Pattern>(0)? {
        return Ok(Some(known));
    }
    let Some(pattern) = text(0)? else {
        return Ok(None);
    };
    let pattern = match name {
        "glob" => Pattern::glob(short(&pattern)?),
        _ => Pattern::like(short(&pattern)?, None),
    };
    context.set_aux(0, pattern).map(Some)
}

fn short(pattern: &str) -> rusqlite::Result<&str> {
    if pattern.len() > LONGEST {
        return Err(Error::UserFunctionError("LIKE or GLOB pattern too complex".into()));
    }
    Ok(pattern)
}

fn single(escape: &str) -> rusqlite::Result<char> {
    let mut characters = escape.chars();
    match (characters.next(), characters.next()) {
        (Some(escape), None) => Ok(escape),
        _ => Err(Error::UserFunctionError("ESCAPE expression must be a single character".into())),
    }
}

/// As `SQLite` reads a value as text: up to its first NUL, nothing for NULL.
fn to_text<'v>(value: ValueRef<'v>, original: &Original) -> rusqlite::Result<Option<Cow<'v, str>>> {
    let bytes = match value {
        ValueRef::Null => return Ok(None),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        ValueRef::Integer(number) => return Ok(Some(number.to_string().into())),
        ValueRef::Real(_) => {
            return Ok(match original.text(value)? {
                Value::Text(text) => Some(text.into()),
                _ => None,
            });
        }
    };
    let end = bytes.iter().position(|byte| *byte == 0);
    let bytes = &bytes[..end.unwrap_or(bytes.len())];
    Ok(Some(String::from_utf8_lossy(bytes)))
}

#[derive(Debug)]
enum Step {
    /// Itself.
    Character(char),
    /// Itself, or the same ASCII letter in the other case.
    Letter(char),
    One,
    Any,
    /// One within these ranges, or outside of all of them.
    Set {
        ranges: Vec<(char, char)>,
        inverted: bool,
    },
    /// Nothing: the pattern is not complete.
    Never,
}

#[derive(Debug)]
struct Pattern(Vec<Step>);

impl Pattern {
    fn like(pattern: &str, escape: Option<char>) -> Self {
        let mut steps = Vec::new();
        let mut characters = pattern.chars();
        while let Some(c) = characters.next() {
            steps.push(match c {
                c if Some(c) == escape => characters.next().map_or(Step::Never, Step::Letter),
                '%' => Step::Any,
                '_' => Step::One,
                c => Step::Letter(c),
            });
        }
        Self(steps)
    }

    fn glob(pattern: &str) -> Self {
        let mut steps = Vec::new();
        let mut characters = pattern.chars();
        while let Some(c) = characters.next() {
            steps.push(match c {
                '*' => Step::Any,
                '?' => Step::One,
                '[' => read_set(&mut characters).unwrap_or(Step::Never),
                c => Step::Character(c),
            });
        }
        Self(steps)
    }

    /// Goes back to the last `Any` only: what an earlier one could take, that one can.
    fn matches(&self, text: &str, is_over: impl Fn() -> bool) -> rusqlite::Result<bool> {
        let (mut step, mut rest) = (0, text.chars());
        let mut again = None;
        let mut work = 0;
        loop {
            if work > STEPS {
                if is_over() {
                    let interrupted = ffi::Error::new(ffi::SQLITE_INTERRUPT);
                    return Err(Error::SqliteFailure(interrupted, None));
                }
                work = 0;
            }
            let current = self.0.get(step);
            work += current.map_or(1, Step::work);
            if let Some(Step::Any) = current {
                step += 1;
                again = Some((step, rest.clone()));
                continue;
            }
            match (current, rest.next()) {
                (None, None) => return Ok(true),
                (Some(_), None) => return Ok(false),
                (Some(current), Some(c)) if current.takes(c) => step += 1,
                _ => match &mut again {
                    // Nothing follows `Any`, so that it takes the rest.
                    Some((after, _)) if *after == self.0.len() => return Ok(true),
                    Some((after, from)) => {
                        from.next();
                        (step, rest) = (*after, from.clone());
                    }
                    None => return Ok(false),
                },
            }
        }
    }
}

impl Step {
    fn work(&self) -> usize {
        match self {
            Self::Set { ranges, .. } => ranges.len() + 1,
            _ => 1,
        }
    }

    fn takes(&self, c: char) -> bool {
        match self {
            Self::Character(wanted) => *wanted == c,
            Self::Letter(wanted) => wanted.eq_ignore_ascii_case(&c),
            Self::One => true,
            Self::Set { ranges, inverted } => {
                let is_in = ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
                is_in != *inverted
            }
            Self::Any | Self::Never => false,
        }
    }
}

/// After `[`: `^` inverts, a first `]` is itself, `a-z` is a range.
fn read_set(characters: &mut std::str::Chars<'_>) -> Option<Step> {
    let mut next = characters.next();
    let inverted = next == Some('^');
    if inverted {
        next = characters.next();
    }
    let mut ranges = Vec::new();
    if next == Some(']') {
        ranges.push((']', ']'));
        next = characters.next();
    }
    let mut before = None;
    loop {
        match (next?, before) {
            (']', _) => return Some(Step::Set { ranges, inverted }),
            ('-', Some(low)) if !matches!(characters.clone().next(), None | Some(']')) => {
                ranges.push((low, characters.next()?));
                before = None;
            }
            (c, _) => {
                ranges.push((c, c));
                before = Some(c);
            }
        }
        next = characters.next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the built-in operators over random patterns of few characters.
    #[test]
    fn operators_agree_with_the_built_in_ones() {
        let connection = Connection::open_in_memory().unwrap();
        let built_in = |sql: &str, values: &[&str]| -> bool {
            let mut statement = connection.prepare_cached(sql).unwrap();
            let values = rusqlite::params_from_iter(values);
            statement.query_row(values, |row| row.get(0)).unwrap()
        };
        let mut random = Random(7);
        for _ in 0..20_000 {
            let text = random.text(&['a', 'A', 'b', 'é', '_', '%', '-', ']', '!']);
            let pattern = random.text(&['a', 'A', 'b', 'é', '%', '%', '_', '!']);
            let found = Pattern::like(&pattern, None).matches(&text, || false);
            let expected = built_in("SELECT ?2 LIKE ?1", &[&pattern, &text]);
            assert_eq!(found, Ok(expected), "{text:?} LIKE {pattern:?}");
            for escape in ["!", "%", "_", "a"] {
                let found = Pattern::like(&pattern, escape.chars().next());
                let found = found.matches(&text, || false);
                let sql = "SELECT ?2 LIKE ?1 ESCAPE ?3";
                let expected = built_in(sql, &[&pattern, &text, escape]);
                assert_eq!(found, Ok(expected), "{text:?} LIKE {pattern:?} ESCAPE {escape:?}");
            }
            let pattern = random.text(&['a', 'b', 'é', '*', '*', '?', '[', ']', '^', '-']);
            let found = Pattern::glob(&pattern).matches(&text, || false);
            let expected = built_in("SELECT ?2 GLOB ?1", &[&pattern, &text]);
            assert_eq!(found, Ok(expected), "{text:?} GLOB {pattern:?}");
        }
    }

    /// The same sequence in every run (xorshift).
    struct Random(u64);

    impl Random {
        fn text(&mut self, letters: &[char]) -> String {
            let length = self.below(10);
            (0..length).map(|_| letters[self.below(letters.len())]).collect()
        }

        fn below(&mut self, most: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 >> 33).unwrap() % most
        }
    }
}
