//! `larkspur test --watch`: the tests again after every change, until somebody ends it.

use crate::args::{Global, Test, TestFormat};
use crate::chosen::Chosen;
use crate::commands::test::once;
use crate::compose;
use crate::exit::wrong_usage;
use crate::terminal::{error, note, say};
use anyhow::Context;
use runtime::{Changes, Folder};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// More files than this are told as a number.
const NAMED: usize = 3;

pub(crate) fn run(global: &Global, test: &Test, chosen: &Chosen) -> anyhow::Result<ExitCode> {
    if test.format == TestFormat::Junit {
        let why = "--watch tells of many runs, and junit is a report of one: leave one of them out";
        return Err(wrong_usage(why));
    }
    // Whoever ends it before the first run is over has seen nothing pass.
    let last = Arc::new(AtomicU8::new(1));
    end_with(&last)?;
    let folders: Vec<Folder> = compose::folders(global).into_iter().map(Folder::new).collect();
    let project = compose::project_path(global);
    let changes = Changes::new(folders.clone(), project);
    let mut changes = changes.map_err(anyhow::Error::msg)?;
    let mut only = None;
    loop {
        let passed = once(global, test, chosen, only).unwrap_or_else(|why| {
            error(&format!("{why:#}"));
            false
        });
        last.store(u8::from(!passed), Ordering::Relaxed);
        changes.settle();
        note("waiting for changes; ctrl-c to stop");
        let changed = changes.await_next().context("nobody tells of changes any more")?;
        // Lines that other tests run would be missing.
        let whole = test.coverage.is_wanted();
        only = testing::affected(&folders, &changed).filter(|_| !whole);
        let line = told(&changed, only.as_ref());
        match test.format {
            TestFormat::Pretty => say(&line),
            _ => note(&line),
        }
    }
}

/// What changed, and what is run for it.
fn told(changed: &[PathBuf], only: Option<&BTreeSet<PathBuf>>) -> String {
    let names = changed.iter().take(NAMED);
    let mut names: Vec<String> = names.map(|path| path.display().to_string()).collect();
    if changed.len() > NAMED {
        names.push(format!("{} more", changed.len() - NAMED));
    }
    let reached = match only.map(BTreeSet::len) {
        None => "all tests".to_owned(),
        Some(1) => "1 test file".to_owned(),
        Some(files) => format!("{files} test files"),
    };
    format!("changed: {}; running {reached}", names.join(", "))
}

/// Ends the process with the code of the last run when it is told to.
fn end_with(last: &Arc<AtomicU8>) -> anyhow::Result<()> {
    let last = Arc::clone(last);
    let end = move || std::process::exit(last.load(Ordering::Relaxed).into());
    compose::on_signal(end).context("cannot listen to signals")
}
