//! `larkspur uninstall`: what `install` did, undone.

use crate::args::{Global, Uninstall};
use crate::commands::edits::{self, Done};
use crate::compose;
use crate::entry;
use crate::exit::USAGE;
use crate::terminal::{GOOD, note, say, styled};
use clients::{Change, ConfigFile, Table};
use std::process::ExitCode;

pub(crate) fn run(global: &Global, args: &Uninstall) -> anyhow::Result<ExitCode> {
    let home = compose::home()?;
    let table = Table::load(&home)?;
    let Some(client) = edits::client(Some(&args.client), &table) else {
        return Ok(ExitCode::from(USAGE));
    };
    let file = ConfigFile::open(client, args.entry.scope.into(), &home)?;
    let path = file.path.display();
    let name = match &args.entry.name {
        Some(name) => Some(name.clone()),
        None => file.name_of(&entry::project_paths(global)?)?,
    };
    let Some(name) = name else {
        let others = file.launches()?.into_iter();
        let others = others.filter(|(_, launch)| launch.is_larkspur());
        let others: Vec<String> = others.map(|(name, _)| format!("--name {name}")).collect();
        let others = match others.as_slice() {
            [] => String::new(),
            all => format!("; other projects: {}", all.join(", ")),
        };
        note(&format!(
            "{} has no entry of this project in {path}; nothing to change{others}",
            client.title
        ));
        return Ok(ExitCode::SUCCESS);
    };
    let Some(change) = file.uninstall(&name)? else {
        note(&format!("{} has no `{name}` in {path}; nothing to change", client.title));
        return Ok(ExitCode::SUCCESS);
    };
    match edits::carry_out(&change, &args.entry)? {
        Done::Shown => {}
        Done::Refused => return Ok(ExitCode::from(USAGE)),
        Done::Written(kept) => {
            say(&format!("{} {path}{}", styled(GOOD, did(&change)), how(&change)));
            if let Some(kept) = kept {
                note(&format!("what it was: {}", kept.display()));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn did(change: &Change) -> &'static str {
    if change.removes_the_file() { "removed" } else { "wrote" }
}

fn how(change: &Change) -> &'static str {
    if change.restores() { ", as it was before" } else { "" }
}
