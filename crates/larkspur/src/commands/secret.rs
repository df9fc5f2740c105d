//! `larkspur secret`: sets and removes what modules send and never see.

use crate::args::{Global, Secret, SecretRemove, SecretSet};
use crate::commands::secret_name::{Named, Standing};
use crate::commands::{secret_file, secret_key, secret_list};
use crate::compose;
use crate::exit::wrong_usage;
use crate::terminal::{note, say};
use crate::{hidden, keys};
use anyhow::bail;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use vault::{KeyOrigin, Tokens};

pub(crate) fn run(global: &Global, secret: &Secret) -> anyhow::Result<ExitCode> {
    match secret {
        Secret::Set(args) => set(global, args),
        Secret::List(args) => secret_list::run(global, args),
        Secret::Remove(args) => remove(global, args),
        Secret::RotateKey(args) => secret_key::run(global, args),
        Secret::Export(args) => secret_file::export(global, args),
        Secret::Import(args) => secret_file::import(global, args),
    }
}

fn set(global: &Global, args: &SecretSet) -> anyhow::Result<ExitCode> {
    if !args.value.is_empty() || args.name.contains('=') {
        let name = args.name.split('=').next().unwrap_or_default();
        return Err(wrong_usage(format!(
            "a value is not given on the command line, where histories and other users see it\n\
             `larkspur secret set {name}` asks for it, and `larkspur secret set {name} < FILE` reads it; \
             it may be known by now, so better make a new one"
        )));
    }
    let named = Named::parse(&args.name).map_err(wrong_usage)?;
    let runtime = compose::look(global)?;
    match named.standing(&runtime.survey()) {
        Standing::AskedFor => {}
        Standing::Unknown(why) => note(&format!("note: {why}")),
        Standing::Wrong(why) => return Err(wrong_usage(why)),
    }
    let vault = keys::vault(&compose::project_with_data(global)?);
    let place = named.place(args.user.as_deref());
    let what = named.of(args.user.as_deref());
    let made = if args.oauth2 {
        let given = hidden::read(&format!("the tokens of {what}, as JSON on one line"))?;
        vault.set_tokens(&place, &Tokens::parse(&given, now_ms())?)?
    } else {
        let given = hidden::read(&format!("the value of {what}"))?;
        vault.set(&place, &given)?
    };
    say(&format!("set {what}"));
    tell_made(made.as_ref());
    Ok(ExitCode::SUCCESS)
}

/// A key that was made just now is somewhere that somebody has to know of.
pub(crate) fn tell_made(made: Option<&KeyOrigin>) {
    if let Some(origin) = made {
        note(&format!(
            "the vault's key was made, and is in {origin}: keep a copy of it elsewhere, since nothing opens \
             the vault without it"
        ));
    }
}

fn remove(global: &Global, args: &SecretRemove) -> anyhow::Result<ExitCode> {
    let named = Named::parse(&args.name).map_err(wrong_usage)?;
    let vault = keys::vault(&compose::project_with_data(global)?);
    let what = named.of(args.user.as_deref());
    if vault.remove(&named.place(args.user.as_deref()))? {
        say(&format!("removed {what}"));
        return Ok(ExitCode::SUCCESS);
    }
    bail!("{what} is not set; `larkspur secret list` shows what is")
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}
