//! The vault on a real disk: what opens, what does not, and what survives.
#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests own their folders and their processes")]

mod bundles;
mod keys;
mod kill;
mod nowhere;
mod rotation;
mod rows;

use crate::nowhere::Nowhere;
use model::{Cancel, Leash, SecretName, Secrets};
use std::path::Path;
use std::time::{Duration, Instant};
use store::{Place, Store};
use vault::{KeySources, Vault};

const TOKEN: Place<'_> = Place { module: "m", name: "token", owner: "" };

fn of(owner: &str) -> Place<'_> {
    Place { owner, ..TOKEN }
}

/// A folder `data` for the database, and a file beside it for the key.
fn sources(dir: &Path) -> KeySources {
    KeySources {
        usual: dir.join("config/vault.key"),
        data_dir: dir.join("data"),
        ..KeySources::default()
    }
}

fn vault(dir: &Path) -> Vault {
    with(dir, sources(dir))
}

fn with(dir: &Path, sources: KeySources) -> Vault {
    Vault::new(Store::at(dir.join("data")), sources)
}

/// What a module would be given.
fn reveal(vault: &Vault, name: &str, user: &str) -> Result<String, String> {
    let wanted = SecretName { module: "m", name, user };
    let leash = Leash { until: Instant::now() + Duration::from_mins(1), cancel: Cancel::default() };
    let revealed = vault.reveal(&wanted, &Nowhere, &leash);
    revealed.map(|secret| secret.expose().to_owned()).map_err(|error| error.0)
}

/// The token of all, or why not.
fn token(vault: &Vault) -> Result<String, String> {
    reveal(vault, "token", "")
}

/// The database behind the store's back.
fn raw(dir: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(dir.join("data/state.db")).unwrap()
}
