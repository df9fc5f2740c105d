//! `larkspur reload`, `start` and `stop`: orders to the servers that run for these folders.

use crate::args::{Global, Named};
use crate::commands::status::{running, show};
use crate::exit::{FAILED, USAGE};
use crate::terminal::{error, print};
use server::control::Request;
use std::process::ExitCode;

pub(crate) fn run(
    global: &Global,
    request: impl Fn(Vec<String>) -> Request,
    named: &Named,
) -> anyhow::Result<ExitCode> {
    let request = request(named.names.clone());
    let servers = running(global, false);
    if servers.is_empty() {
        error(
            "no server is running for these folders; `larkspur status --all` shows all there are",
        );
        return Ok(ExitCode::from(FAILED));
    }
    let mut after = Vec::new();
    let mut refused = 0;
    for server in &servers {
        match server.order(&request) {
            Ok(status) => after.push(status),
            Err(why) => {
                error(&why);
                refused += 1;
            }
        }
    }
    print(named.format, || &after, || after.iter().for_each(show))?;
    let troubled = after
        .iter()
        .flat_map(|status| &status.modules)
        .filter(|module| named.names.is_empty() || is_named(module, named))
        .any(|module| ["failed", "stale", "partial"].contains(&module.state.as_str()));
    Ok(match (refused, troubled) {
        (0, false) => ExitCode::SUCCESS,
        (0, true) => ExitCode::from(FAILED),
        _ => ExitCode::from(USAGE),
    })
}

fn is_named(module: &runtime::ModuleStatus, named: &Named) -> bool {
    let name = module.name.as_ref();
    name.is_some_and(|name| named.names.contains(name))
}
