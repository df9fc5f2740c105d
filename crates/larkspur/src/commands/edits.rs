//! What `install` and `uninstall` do alike: find the client, show the difference, ask, write.

use crate::args::Entry;
use crate::terminal::{BAD, DIM, GOOD, error, note, say, styled};
use clients::{Change, Client, DiffLine, Table};
use model::did_you_mean;
use std::io::{IsTerminal, stdin};
use std::path::PathBuf;

pub(crate) enum Done {
    /// Nothing more was asked for.
    Shown,
    /// Nobody agreed; said already.
    Refused,
    /// With the copy of what was there before.
    Written(Option<PathBuf>),
}

/// The client of this name; if there is none, that is said.
pub(crate) fn client<'t>(name: Option<&str>, table: &'t Table) -> Option<&'t Client> {
    let found = name.and_then(|name| table.get(name));
    if found.is_none() {
        let names: Vec<&str> = table.all().map(|client| client.name.as_str()).collect();
        let what = match name {
            None => "name a client".to_owned(),
            Some(name) => match did_you_mean(name, names.iter().copied()) {
                Some(near) => format!("there is no client `{name}`; did you mean `{near}`?"),
                None => format!("there is no client `{name}` in the table"),
            },
        };
        error(&format!(
            "{what}\nthere are {}; for any other, `larkspur install --print` shows what to paste",
            names.join(", ")
        ));
    }
    found
}

/// Shows it and, if somebody agrees, does it.
pub(crate) fn carry_out(change: &Change, entry: &Entry) -> anyhow::Result<Done> {
    say(&styled(DIM, change.path.display()));
    for line in change.diff() {
        let style = match line {
            DiffLine::Same(_) => DIM,
            DiffLine::Gone(_) => BAD,
            DiffLine::Come(_) => GOOD,
        };
        say(&styled(style, line.marked()));
    }
    if entry.dry_run {
        note("nothing is written: --dry-run");
        return Ok(Done::Shown);
    }
    if !entry.yes && !is_agreed() {
        return Ok(Done::Refused);
    }
    Ok(Done::Written(change.write()?))
}

fn is_agreed() -> bool {
    if !stdin().is_terminal() {
        error("nothing is written: nobody is here to be asked; add --yes to write it");
        return false;
    }
    note("write this? [y/N]");
    let mut answer = String::new();
    let read = stdin().read_line(&mut answer);
    let is_agreed = read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes" | "Yes");
    if !is_agreed {
        note("nothing is written");
    }
    is_agreed
}
