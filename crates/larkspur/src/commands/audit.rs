//! `larkspur audit`: shows the audit log, filtered.

mod entries;

use crate::args::{Audit, Format, Global};
use crate::compose;
use crate::exit::FAILED;
use crate::terminal::{BAD, DIM, GOOD, WARN, note, say, styled};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use entries::{AuditEntries, AuditEntry, INTERRUPTED};
use model::escape_line;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde_json::Value;
use std::collections::VecDeque;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use store::AuditReader;

/// How often a file that is followed is looked at.
const LOOK: Duration = Duration::from_millis(200);

pub(crate) fn run(global: &Global, args: &Audit) -> anyhow::Result<ExitCode> {
    let project = compose::project_with_data(global)?;
    let Some(settings) = &project.project().audit else {
        let file = project.path().display();
        note(&format!("nothing is written down of calls: add a line `[audit]` to {file}"));
        return Ok(ExitCode::from(FAILED));
    };
    let path = project.audit_file(settings);
    let Some(mut reader) = opened(&path, args.follow) else {
        note(&format!("no call has been written to {} yet", path.display()));
        return Ok(ExitCode::SUCCESS);
    };
    let mut printer = Printer::new(args);
    let mut entries = AuditEntries::default();
    while let Some(line) = reader.line()? {
        if let Some(entry) = AuditEntry::read(line) {
            entries.push(entry);
        }
        printer.take_ready(&mut entries);
    }
    entries.finish(is_running);
    printer.take_ready(&mut entries);
    printer.flush();
    if !args.follow {
        return Ok(ExitCode::SUCCESS);
    }
    loop {
        let Some(line) = reader.line()? else {
            std::thread::park_timeout(LOOK);
            continue;
        };
        if let Some(shown) = AuditEntry::read(line).and_then(|entry| printer.render(entry)) {
            say(&shown);
        }
    }
}

/// Whether a process of this number runs, of any user.
fn is_running(process: u64) -> bool {
    let number = i32::try_from(process).ok().and_then(Pid::from_raw);
    number.is_some_and(|number| !matches!(test_kill_process(number), Err(Errno::SRCH)))
}

/// Whoever follows waits for the first line.
fn opened(path: &Path, follow: bool) -> Option<AuditReader> {
    loop {
        let reader = AuditReader::open(path);
        if reader.is_some() || !follow {
            return reader;
        }
        std::thread::park_timeout(LOOK);
    }
}

struct Printer<'a> {
    args: &'a Audit,
    /// As the file has it: times of one form are in the order of their texts.
    since: Option<String>,
    verdict: Option<PossibleValue>,
    /// The last entries, where only these are shown.
    last: VecDeque<String>,
}

impl<'a> Printer<'a> {
    fn new(args: &'a Audit) -> Self {
        let since = args.since.and_then(|time| {
            let since = jiff::Timestamp::now().checked_sub(time).ok()?;
            Some(format!("{since:.3}"))
        });
        let verdict = args.verdict.and_then(|verdict| verdict.to_possible_value());
        Self { args, since, verdict, last: VecDeque::new() }
    }

    /// Prints what can be shown, or keeps the last of it.
    fn take_ready(&mut self, entries: &mut AuditEntries) {
        while let Some(entry) = entries.pop() {
            let Some(shown) = self.render(entry) else {
                continue;
            };
            let Some(limit) = self.args.limit else {
                say(&shown);
                continue;
            };
            self.last.push_back(shown);
            if self.last.len() > limit {
                self.last.pop_front();
            }
        }
    }

    fn flush(&mut self) {
        for shown in self.last.drain(..) {
            say(&shown);
        }
    }

    /// The entry as it is shown, if it is wanted.
    fn render(&self, entry: AuditEntry) -> Option<String> {
        let args = self.args;
        let is_wanted = args.caller.as_ref().is_none_or(|caller| caller == entry.text("caller"))
            && self.verdict.as_ref().is_none_or(|name| name.get_name() == entry.text("verdict"))
            && self.since.as_ref().is_none_or(|since| entry.text("time") >= since.as_str())
            && args.tool.as_ref().is_none_or(|pattern| {
                let (module, tool) = names(&entry.value);
                pattern.matches(module, tool)
            });
        is_wanted.then(|| match args.format {
            Format::Json => entry.line,
            Format::Text => for_people(&entry.value),
        })
    }
}

/// What nobody has is known by the name that was asked for.
fn names(entry: &Value) -> (&str, &str) {
    let text = |name: &str| entry[name].as_str().unwrap_or_default();
    match (text("module"), text("tool")) {
        ("", asked) => asked.split_once('.').unwrap_or(("", asked)),
        names => names,
    }
}

/// `2026-11-16 12:44:17.120Z  denied   ada  http   github.delete_repo  0.1 ms  scope`.
fn for_people(entry: &Value) -> String {
    let text = |name: &str| escape_line(entry[name].as_str().unwrap_or_default()).into_owned();
    let verdict = text("verdict");
    let style = match verdict.as_str() {
        "ok" => GOOD,
        "begun" | "error" | "stopped" | INTERRUPTED => WARN,
        _ => BAD,
    };
    let time = text("time").replacen('T', " ", 1);
    let what = match (text("module"), text("tool")) {
        (module, tool) if module.is_empty() || tool.is_empty() => format!("{module}{tool}"),
        (module, tool) => format!("{module}.{tool}"),
    };
    let who = Some(text("caller")).filter(|who| !who.is_empty());
    let mut line = format!(
        "{}  {}  {}  {}  {what}",
        styled(DIM, time),
        styled(style, format!("{verdict:<7}")),
        who.unwrap_or_else(|| "-".into()),
        text("door"),
    );
    if let Some(took) = entry["duration_ms"].as_f64() {
        let _ = write!(line, "  {took:.1} ms");
    }
    if let Some(bytes) = entry["bytes"].as_u64() {
        let _ = write!(line, "  {bytes} bytes");
    }
    if entry["cached"] == true {
        line.push_str("  cached");
    }
    for name in ["via", "kind", "rule"] {
        let word = text(name);
        if !word.is_empty() {
            let _ = write!(line, "  {}", styled(DIM, format!("{name}: {word}")));
        }
    }
    line
}
