//! Audit entries in the order of the file. A line that begins a call is left out when its end follows, and
//! marked as interrupted when none does.

use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Verdict of a line that is written before its call runs.
const BEGUN: &str = "begun";
pub(super) const INTERRUPTED: &str = "interrupted";

/// One line, and what it says.
pub(super) struct AuditEntry {
    pub(super) line: String,
    pub(super) value: Value,
}

/// Entries that are read and not shown yet: all that follow a call whose end is not read yet.
#[derive(Default)]
pub(super) struct AuditEntries {
    held: BTreeMap<usize, AuditEntry>,
    next: usize,
    /// Begun calls without an end, by process and number.
    open: HashMap<(u64, u64), usize>,
    /// Last number of each process.
    last: HashMap<u64, u64>,
}

impl AuditEntry {
    /// Nothing where the line is torn.
    pub(super) fn read(line: String) -> Option<Self> {
        let value: Value = serde_json::from_str(&line).ok()?;
        value.is_object().then_some(Self { line, value })
    }

    pub(super) fn text(&self, name: &str) -> &str {
        self.value[name].as_str().unwrap_or_default()
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.value[name].as_u64()
    }

    fn mark_interrupted(&mut self) {
        self.value["verdict"] = INTERRUPTED.into();
        // Quotes inside of strings are escaped, so that this is the key.
        let verdict = |word: &str| format!("\"verdict\":\"{word}\"");
        self.line = self.line.replacen(&verdict(BEGUN), &verdict(INTERRUPTED), 1);
    }
}

impl AuditEntries {
    pub(super) fn push(&mut self, entry: AuditEntry) {
        let process = entry.number("pid").unwrap_or_default();
        let number = entry.number("seq").unwrap_or_default();
        let last = self.last.insert(process, number);
        if last.is_some_and(|last| number <= last) {
            // Numbers grow: this is another process, with the number of one that has ended.
            self.interrupt(|open| open == process);
        }
        if entry.text("verdict") == BEGUN {
            self.open.insert((process, number), self.next);
        } else if let Some(begin) = entry.number("begin")
            && let Some(begun) = self.open.remove(&(process, begin))
        {
            self.held.remove(&begun);
        }
        self.held.insert(self.next, entry);
        self.next += 1;
    }

    /// The next entry, unless it may turn out that it has ended.
    pub(super) fn pop(&mut self) -> Option<AuditEntry> {
        let (first, entry) = self.held.first_key_value()?;
        let number = |name: &str| entry.number(name).unwrap_or_default();
        if self.open.get(&(number("pid"), number("seq"))) == Some(first) {
            return None;
        }
        self.held.pop_first().map(|(_, entry)| entry)
    }

    /// No more lines: a begun call of a process that runs may go on, any other was interrupted.
    pub(super) fn finish(&mut self, is_running: impl Fn(u64) -> bool) {
        self.interrupt(|process| !is_running(process));
        self.open.clear();
    }

    fn interrupt(&mut self, is_gone: impl Fn(u64) -> bool) {
        let held = &mut self.held;
        self.open.retain(|(process, _), at| {
            let is_gone = is_gone(*process);
            if is_gone && let Some(entry) = held.get_mut(at) {
                entry.mark_interrupted();
            }
            !is_gone
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[(u64, u64, &str, Option<u64>)], running: &[u64]) -> Vec<String> {
        let mut entries = AuditEntries::default();
        let mut shown = Vec::new();
        let mut take = |entries: &mut AuditEntries| {
            while let Some(entry) = entries.pop() {
                let again: Value = serde_json::from_str(&entry.line).unwrap();
                assert_eq!(again, entry.value);
                shown.push(format!("{} {}", entry.value["tool"], entry.text("verdict")));
            }
        };
        for (pid, seq, verdict, begin) in lines {
            let begin = begin.map_or(String::new(), |begin| format!(",\"begin\":{begin}"));
            let line = format!(
                "{{\"seq\":{seq},\"pid\":{pid}{begin},\"tool\":{seq},\"verdict\":\"{verdict}\"}}"
            );
            entries.push(AuditEntry::read(line).unwrap());
            take(&mut entries);
        }
        entries.finish(|pid| running.contains(&pid));
        take(&mut entries);
        shown
    }

    #[test]
    fn begun_calls_are_paired_with_their_ends() {
        let calls = [
            (7, 1, "begun", None),
            (7, 2, "begun", None),
            (8, 1, "begun", None),
            (7, 3, "ok", Some(2)),
            (8, 2, "ok", None),
            (7, 4, "error", Some(1)),
        ];
        assert_eq!(shown(&calls, &[]), ["1 interrupted", "3 ok", "2 ok", "4 error"]);
        assert_eq!(shown(&calls, &[8]), ["1 begun", "3 ok", "2 ok", "4 error"]);
        assert_eq!(shown(&[], &[]), Vec::<String>::new());
    }

    #[test]
    fn process_with_the_same_number_interrupts_calls() {
        let calls = [
            (1, 1, "ok", None),
            (1, 2, "begun", None),
            (1, 1, "begun", None),
            (1, 2, "ok", Some(1)),
        ];
        assert_eq!(shown(&calls, &[1]), ["1 ok", "2 interrupted", "2 ok"]);
    }
}
