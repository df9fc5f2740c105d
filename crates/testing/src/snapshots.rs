//! What `testing.snapshot` keeps: a file beside the test file, with a heading for each.

use crate::options::Keeping;
use crate::test_data::{self, SNAPSHOTS, TestDataChanges};
use parking_lot::Mutex;
use script::Unlike;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const HEAD: &str = "=== ";

pub(crate) struct Snapshots {
    path: PathBuf,
    keeping: Keeping,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    texts: BTreeMap<String, String>,
    /// Those that a test asked for.
    seen: BTreeSet<String>,
    /// What stood there before, of those that were written: a test that fails changes nothing.
    before: BTreeMap<String, Option<String>>,
    removed: usize,
    /// Why the file cannot be read.
    fault: Option<String>,
}

impl Snapshots {
    /// Those of a test file.
    pub(crate) fn of(test_file: &Path, keeping: Keeping) -> Self {
        let path = SNAPSHOTS.path(test_file);
        let mut kept = Kept::default();
        match test_data::read(&path) {
            Ok(text) => kept.texts = read(&text.unwrap_or_default()),
            Err(why) => kept.fault = Some(format!("cannot read {}: {why}", path.display())),
        }
        Self { path, keeping, kept: Mutex::new(kept) }
    }

    /// Writes all there are.
    pub(crate) fn keep(&self) -> Result<(), String> {
        write(&self.path, &self.kept.lock().texts)
    }

    /// Holds a text against what is kept.
    pub(crate) fn hold(&self, name: &str, text: String) -> Result<(), Unlike> {
        let mut kept = self.kept.lock();
        if let Some(why) = &kept.fault {
            return Err(Unlike::Unread(why.clone()));
        }
        let name = name.replace(['\n', '\r'], " ");
        if !kept.seen.insert(name.clone()) {
            let why = format!("the snapshot `{name}` is asked for twice: give one another `name`");
            return Err(Unlike::Unread(why));
        }
        let known = kept.texts.get(&name);
        match known {
            Some(known) if is_same(known, &text) => return Ok(()),
            Some(known) if self.keeping != Keeping::All => {
                let kept = known.clone();
                return Err(Unlike::Differs { name, kept });
            }
            None if self.keeping == Keeping::Nothing => return Err(Unlike::Missing { name }),
            _ => {}
        }
        let before = kept.texts.insert(name.clone(), text);
        kept.before.insert(name, before);
        Ok(())
    }

    /// Writes what is new. `ran` are the tests that went well; what they did not ask for, nobody does,
    /// and neither what belongs to a test that is not in `there`.
    pub(crate) fn settle(
        &self,
        ran: &[String],
        there: &[String],
    ) -> Result<TestDataChanges, String> {
        let mut kept = self.kept.lock();
        let test_of = |name: &str| name.split([' ', ':']).next().unwrap_or(name).to_owned();
        let written = kept.keep_only(|name| ran.contains(&test_of(name)));
        let is_orphan = |name: &String| {
            let test = test_of(name);
            !kept.seen.contains(name) && (ran.contains(&test) || !there.contains(&test))
        };
        let mut orphans: Vec<String> =
            kept.texts.keys().filter(|n| is_orphan(n)).cloned().collect();
        if self.keeping == Keeping::All {
            for orphan in orphans.drain(..) {
                kept.texts.remove(&orphan);
                kept.removed += 1;
            }
        }
        if written + kept.removed > 0 {
            write(&self.path, &kept.texts)?;
        }
        Ok(TestDataChanges { written, removed: kept.removed, orphans })
    }
}

impl Kept {
    /// Takes back what other tests wrote; answers how many are left.
    fn keep_only(&mut self, wanted: impl Fn(&str) -> bool) -> usize {
        let mut left = 0;
        for (name, before) in std::mem::take(&mut self.before) {
            match before {
                _ if wanted(&name) => left += 1,
                Some(text) => drop(self.texts.insert(name, text)),
                None => drop(self.texts.remove(&name)),
            }
        }
        left
    }
}

/// Tokens that were counted and tokens that were estimated are no measure of each other: then the
/// texts below decide alone.
fn is_same(kept: &str, now: &str) -> bool {
    let measured = |text: &str| {
        let (first, rest) = text.split_once('\n')?;
        let count = first.strip_suffix(" tokens")?;
        Some((count.contains('~'), rest.to_owned()))
    };
    kept == now
        || match (measured(kept), measured(now)) {
            (Some((by, kept)), Some((other, now))) => by != other && kept == now,
            _ => false,
        }
}

fn write(path: &Path, texts: &BTreeMap<String, String>) -> Result<(), String> {
    test_data::write(path, (!texts.is_empty()).then(|| text_of(texts)))
}

/// A line that could be taken for a heading gets a backslash.
fn text_of(texts: &BTreeMap<String, String>) -> String {
    let safe = |line: &str| {
        let is_awkward = line.starts_with(HEAD) || line.starts_with('\\');
        let mark = if is_awkward { "\\" } else { "" };
        format!("{mark}{line}\n")
    };
    let one = |(name, text): (&String, &String)| {
        let lines: String = text.split('\n').map(safe).collect();
        format!("{HEAD}{name}\n{lines}")
    };
    texts.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn read(text: &str) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let mut open: Option<(String, Vec<&str>)> = None;
    let mut end = |open: Option<(String, Vec<&str>)>, is_last: bool| {
        if let Some((name, mut lines)) = open {
            // The empty line before the next heading is not part of it.
            if !is_last {
                lines.pop();
            }
            texts.insert(name, lines.join("\n"));
        }
    };
    // A carriage return is part of its line.
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        match (line.strip_prefix(HEAD), &mut open) {
            (Some(name), _) => end(open.replace((name.to_owned(), Vec::new())), false),
            (None, Some((_, lines))) => lines.push(line.strip_prefix('\\').unwrap_or(line)),
            (None, None) => {}
        }
    }
    end(open, true);
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_more_is_another_answer() {
        for (kept, now, expected) in [
            ("3 tokens\na", "3 tokens\na", true),
            ("3 tokens\na", "4 tokens\na", false),
            ("3 tokens\na", "3 tokens\nb", false),
            ("~3 tokens\na", "4 tokens\na", true),
            ("~3 tokens\na", "4 tokens\nb", false),
            ("~3\na", "4\na", false),
        ] {
            assert_eq!(is_same(kept, now), expected, "{kept} {now}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let texts: BTreeMap<String, String> = [
            ("a", "one line"),
            ("b: second", "two\nlines\n"),
            ("c", ""),
            ("d", "=== not a heading\n\\ nor this"),
            ("e", "\n\n"),
            ("f", "a\r\nb\r"),
        ]
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .into();
        assert_eq!(read(&text_of(&texts)), texts, "{}", text_of(&texts));
    }
}
