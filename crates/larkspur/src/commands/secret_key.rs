//! `larkspur secret rotate-key`: another master key for all secrets.

use crate::args::{Global, SecretRotateKey};
use crate::exit::wrong_usage;
use crate::terminal::{count, note, say};
use crate::{compose, hidden, keys};
use model::Secret;
use std::process::ExitCode;
use vault::{KeyOrigin, NewKey, Rotated};

pub(crate) fn run(global: &Global, args: &SecretRotateKey) -> anyhow::Result<ExitCode> {
    let vault = keys::vault(&compose::project_with_data(global)?);
    let to = match (&args.new_key_file, args.passphrase) {
        (Some(file), _) => NewKey::File(std::path::absolute(file)?),
        (None, true) if !hidden::is_asked() => {
            return Err(wrong_usage(
                "nobody is here to be asked; set LARKSPUR_VAULT_NEW_PASSPHRASE",
            ));
        }
        (None, true) => {
            let new = hidden::ask_twice("the new passphrase")?;
            NewKey::Passphrase(Secret::new(new.as_str()))
        }
        (None, false) => keys::new_key().unwrap_or(NewKey::Made),
    };
    let rotated = vault.rotate(&to)?;
    tell(&rotated, &to);
    Ok(ExitCode::SUCCESS)
}

fn tell(rotated: &Rotated, to: &NewKey) {
    let Rotated { old, new, .. } = rotated;
    let secrets = count(rotated.secrets, "secret");
    let Some(origin) = &rotated.origin else {
        say(&format!(
            "finished the change that was under way: {secrets} sealed anew, from key {old} to {new}"
        ));
        return;
    };
    say(&format!("sealed {secrets} anew: key {old} opens nothing any more, key {new} does"));
    match (to, origin) {
        (NewKey::Made, origin) => note(&format!(
            "the new key is in {origin}, after the old one, which other vaults may need: keep a copy of it"
        )),
        (_, KeyOrigin::File(path)) => note(&format!(
            "from now on, name the new key: LARKSPUR_VAULT_KEY_FILE={0}, or key_file = \"{0}\" under [vault] \
             in larkspur.toml",
            path.display()
        )),
        (_, KeyOrigin::Passphrase) => {
            note("from now on, set LARKSPUR_VAULT_PASSPHRASE to the new passphrase");
        }
        _ => note("from now on, set LARKSPUR_VAULT_KEY to the new key"),
    }
}
