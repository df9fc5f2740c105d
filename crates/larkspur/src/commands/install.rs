//! `larkspur install`: this server, put into a client's own file.

use crate::args::{Global, Install};
use crate::commands::edits::{self, Done};
use crate::compose;
use crate::entry;
use crate::exit::{FAILED, USAGE};
use crate::terminal::{GOOD, count, error, note, say, styled};
use clients::{ConfigFile, Home, Launch, Table};
use std::process::ExitCode;
use std::time::Duration;

/// How long a server may take to answer for the first time; modules are started before that.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) fn run(global: &Global, args: &Install) -> anyhow::Result<ExitCode> {
    let home = compose::home()?;
    let table = Table::load(&home)?;
    if args.print {
        return print(global, args, &table);
    }
    let Some(client) = edits::client(args.client.as_deref(), &table) else {
        return Ok(ExitCode::from(USAGE));
    };
    let launch = entry::launch(global)?;
    let file = ConfigFile::open(client, args.entry.scope.into(), &home)?;
    let name = match &args.entry.name {
        Some(name) => name.clone(),
        None => file.free_name(&entry::name(global)?, &entry::project_paths(global)?)?,
    };
    let (name, path) = (name.as_str(), file.path.display());
    match file.install(name, &launch)? {
        None => {
            note(&format!("{} has `{name}` already, in {path}; nothing to change", client.title));
        }
        Some(change) => match edits::carry_out(&change, &args.entry)? {
            Done::Shown => return Ok(ExitCode::SUCCESS),
            Done::Refused => return Ok(ExitCode::from(USAGE)),
            Done::Written(kept) => {
                say(&format!("{} {path}", styled(GOOD, "wrote")));
                if let Some(kept) = kept {
                    note(&format!("what it was: {}", kept.display()));
                }
            }
        },
    }
    Ok(try_out(&file, name, &launch, &home))
}

fn print(global: &Global, args: &Install, table: &Table) -> anyhow::Result<ExitCode> {
    let launch = entry::launch(global)?;
    let client = args.client.as_deref();
    let known = client.and_then(|client| table.get(client));
    if let (Some(client), None) = (client, known) {
        note(&format!(
            "`{client}` is not in the table of clients; this is the form that most of them read"
        ));
    }
    let name = match &args.entry.name {
        Some(name) => name.clone(),
        None => entry::name(global)?,
    };
    say(clients::snippet(known, &name, &launch).trim_end());
    Ok(ExitCode::SUCCESS)
}

/// Starts what was written, once, from where nothing is found by a relative path.
fn try_out(file: &ConfigFile<'_>, name: &str, launch: &Launch, home: &Home) -> ExitCode {
    let client = file.client;
    match clients::probe(launch, home.folder(), PATIENCE) {
        Ok(answer) => {
            say(&format!(
                "{} {} {} in {} ms, with {}",
                styled(GOOD, "answers:"),
                answer.name,
                answer.version,
                answer.took.as_millis(),
                count(answer.tools, "tool"),
            ));
            if let Some(then) = &client.then {
                note(&format!("in {}: {then}", client.title));
            }
            ExitCode::SUCCESS
        }
        Err(why) => {
            error(&format!(
                "{} will start this server in vain: {why}\n\
                 `larkspur doctor` may know more; `larkspur uninstall {}` takes it out again",
                client.title,
                file.named(name)
            ));
            ExitCode::from(FAILED)
        }
    }
}
