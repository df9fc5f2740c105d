//! What people see: results on stdout, everything else on stderr, colour only on a terminal.

use crate::args::Format;
use crate::log;
use anstyle::{AnsiColor, Style};
use model::did_you_mean;
use runtime::{Broken, Folder, Offers, Runtime, State, Survey};
use serde::Serialize;
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use tracing::Level;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const STRONG: Style = Style::new().bold();

/// The text in a style; the stream takes the style out where it is not wanted.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A result was not written: whatever else went well, its reader has not got it.
static UNWRITTEN: AtomicBool = AtomicBool::new(false);

/// A result. Nobody reading any more is no error.
pub(crate) fn say(text: &str) {
    let written = writeln!(anstream::stdout().lock(), "{text}");
    if let Err(why) = written
        && why.kind() != ErrorKind::BrokenPipe
        && !UNWRITTEN.swap(true, Ordering::Relaxed)
    {
        error(&format!("the result cannot be written to stdout: {why}"));
    }
}

/// A result for programs, or for people.
pub(crate) fn print<T: Serialize>(
    format: Format,
    json: impl FnOnce() -> T,
    text: impl FnOnce(),
) -> anyhow::Result<()> {
    match format {
        Format::Json => say(&serde_json::to_string_pretty(&json())?),
        Format::Text => text(),
    }
    Ok(())
}

/// Has every result been written, as far as somebody wanted it?
pub(crate) fn is_all_written() -> bool {
    !UNWRITTEN.load(Ordering::Relaxed)
}

/// A word beside the result.
pub(crate) fn note(text: &str) {
    beside(Level::INFO, text, text);
}

pub(crate) fn error(text: &str) {
    beside(Level::ERROR, text, &format!("{} {text}", styled(BAD, "error:")));
}

fn beside(level: Level, text: &str, for_people: &str) {
    if !log::note_for_programs(level, text) {
        let _ = writeln!(anstream::stderr().lock(), "{for_people}");
    }
}

/// A module that is not served, and why.
pub(crate) fn unserved(file: &str, broken: &Broken) -> String {
    let what = match broken.state {
        State::Waiting => "is waiting",
        State::Stopped => "is stopped",
        State::Stale => "cannot be loaded; its last good version is still served",
        State::Failed => "cannot be loaded",
        State::Partial => "is served without an invalid tool",
    };
    format!("{file} {what}\n{}", broken.fault)
}

/// `1 tool`, `2 tools`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// What a list of nothing says instead.
pub(crate) fn no_modules(runtime: &Runtime) -> String {
    let folders = runtime.folders().iter();
    let folders: Vec<String> = folders.map(|f| f.root().display().to_string()).collect();
    format!("no modules in {}; `larkspur new hello` writes one", folders.join(" or "))
}

/// What lies in the folders and cannot be read.
pub(crate) fn unread(folders: &[Folder]) -> Vec<String> {
    let unread = folders.iter().flat_map(Folder::unread);
    unread.map(|(path, why)| format!("{} is not served: {why}", path.display())).collect()
}

/// A secret that is not set yet, and the command that sets it.
pub(crate) fn waiting_for(module: &str, secret: &str) -> String {
    format!("waits for the secret `{secret}`; `larkspur secret set {module}.{secret}` sets it")
}

/// A module that is not there, and what may have been meant.
pub(crate) fn no_such_module(name: &str, survey: &Survey) -> String {
    let there: Vec<&str> = survey.named().map(|(name, _)| name.as_str()).collect();
    let hint = match did_you_mean(name, there.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if there.is_empty() => "there are none".to_owned(),
        None => format!("there are {}", there.join(", ")),
    };
    format!("there is no module `{name}`; {hint}")
}

/// Files that do not even say what they are called; answers whether there are any.
pub(crate) fn tell_nameless(survey: &Survey) -> bool {
    let broken = survey.nameless();
    let broken = broken.filter_map(|module| Some((&module.file, module.broken.as_ref()?)));
    let told: Vec<String> = broken.map(|(file, why)| unserved(file, why)).collect();
    for text in &told {
        error(text);
    }
    !told.is_empty()
}

/// `2 tools`, `1 tool, 3 resources`, `1 prompt`: what there is, and tools where there is nothing.
pub(crate) fn offers(offers: Offers) -> String {
    let all = [(offers.tools, "tool"), (offers.resources, "resource"), (offers.prompts, "prompt")];
    let there = all.iter().filter(|(number, _)| *number > 0);
    let there: Vec<String> = there.map(|(number, thing)| count(*number, thing)).collect();
    if there.is_empty() {
        return count(0, "tool");
    }
    there.join(", ")
}

/// A panic is a defect of ours; it ends one call, and gets one line.
pub(crate) fn short_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let what = panic.payload_as_str().unwrap_or("no message");
        tracing::error!("internal error at {place}: {what}");
    }));
}
