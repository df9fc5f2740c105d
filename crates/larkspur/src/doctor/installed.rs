//! The clients on this machine, and whether they start us rightly.

use super::Notes;
use super::needs::is_executable;
use crate::compose;
use clients::{Client, ConfigFile, Home, Launch, Table};
use std::path::Path;

pub(super) fn findings() -> Notes {
    let mut notes = Notes::of("clients");
    match compose::home().and_then(|home| Ok((Table::load(&home)?, home))) {
        Ok((table, home)) => {
            for client in table.all() {
                look_at(client, &home, &mut notes);
            }
            if notes.findings.is_empty() {
                notes.ok("none that are known are on this machine");
            }
        }
        Err(why) => notes.problem(why.to_string(), None),
    }
    notes
}

fn look_at(client: &Client, home: &Home, notes: &mut Notes) {
    let title = &client.title;
    let mut is_known = false;
    for scope in client.scopes() {
        let found = ConfigFile::open(client, scope, home);
        match found.and_then(|file| Ok((file.launches()?, file))) {
            Err(trouble) => {
                is_known = true;
                notes.problem(format!("{title}: {trouble}"), None);
            }
            Ok((launches, file)) => {
                for (name, launch) in launches.iter().filter(|(_, launch)| launch.is_larkspur()) {
                    is_known = true;
                    judge(&file, name, launch, notes);
                }
            }
        }
    }
    if !is_known && client.is_there(home) {
        notes.hint(
            format!("{title} is here, without this server"),
            format!("`larkspur install {}` puts it in", client.name),
        );
    }
}

/// Does what an entry names still exist?
fn judge(file: &ConfigFile<'_>, name: &str, launch: &Launch, notes: &mut Notes) {
    let who = format!("{}: `{name}` in {}", file.client.title, file.path.display());
    let wrong = wrong(launch);
    if wrong.is_empty() {
        return notes.ok(format!("{who} starts {}", launch.command));
    }
    let entry = file.named(name);
    notes.problem(
        format!("{who} cannot work: {}", wrong.join(", ")),
        Some(format!(
            "`larkspur install {entry}` in the project's folder writes it anew, `larkspur uninstall {entry}` takes it out"
        )),
    );
}

/// What an entry names in vain: the program, folders, the project's file.
fn wrong(launch: &Launch) -> Vec<String> {
    let command = Some(&launch.command).filter(|command| !is_there(command));
    let program = command.map(|command| format!("there is no {command}"));
    let pairs = launch.args.windows(2);
    let paths = pairs.filter(|pair| PATHS.contains(&pair[0].as_str()));
    let paths = paths.filter_map(|pair| match Path::new(&pair[1]) {
        path if !path.is_absolute() => Some(format!(
            "{} {} depends on the folder in which the client starts it",
            pair[0], pair[1]
        )),
        path if !path.exists() => Some(format!("there is no {}", pair[1])),
        _ => None,
    });
    program.into_iter().chain(paths).collect()
}

/// Flags that a path follows.
const PATHS: [&str; 4] = ["--modules", "--extensions-dir", "-e", "--config"];

fn is_there(command: &str) -> bool {
    if command.contains('/') {
        return is_executable(Path::new(command));
    }
    let mut folders = compose::search_path().into_iter();
    folders.any(|folder| is_executable(&folder.join(command)))
}
