//! The vault of a project: its rows in the data folder, its key wherever the operator put it.

use crate::compose;
use crate::variables::{
    EXPORT_PASSPHRASE, HOME, VAULT_KEY, VAULT_KEY_FILE, VAULT_KEYRING, VAULT_NEW_KEY,
    VAULT_NEW_PASSPHRASE, VAULT_PASSPHRASE, XDG_CONFIG_HOME,
};
use model::Secret;
use runtime::ProjectFile;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use store::Store;
use vault::{KeySources, NewKey, Vault};

/// Where a daemon without a home keeps its key.
const WITHOUT_HOME: &str = "/etc/larkspur/vault.key";

pub(crate) fn vault(project: &ProjectFile) -> Vault {
    Vault::new(Store::at(project.data_dir()), sources(project))
}

fn sources(project: &ProjectFile) -> KeySources {
    let said = said();
    let beside = project.path().parent().unwrap_or(Path::new(""));
    let in_project = project.project().vault.key_file.as_ref();
    KeySources {
        key: said.get(VAULT_KEY).map(Secret::new),
        file: named_file().or_else(|| in_project.map(|file| beside.join(file))),
        passphrase: said.get(VAULT_PASSPHRASE).map(Secret::new),
        keyring: said.get(VAULT_KEYRING).is_none_or(|word| word != "off"),
        usual: usual(&said),
        data_dir: project.data_dir(),
    }
}

/// The file with the key, if the environment names one.
pub(crate) fn named_file() -> Option<PathBuf> {
    said().get(VAULT_KEY_FILE).map(PathBuf::from)
}

/// A new key that was given, if one was.
pub(crate) fn new_key() -> Option<NewKey> {
    let said = said();
    let key = said.get(VAULT_NEW_KEY).map(Secret::new).map(NewKey::Variable);
    let passphrase = || said.get(VAULT_NEW_PASSPHRASE).map(Secret::new);
    key.or_else(|| passphrase().map(NewKey::Passphrase))
}

pub(crate) fn export_passphrase() -> Option<Secret> {
    said().get(EXPORT_PASSPHRASE).map(Secret::new)
}

/// Variables that are set to something.
fn said() -> HashMap<String, String> {
    compose::variables().filter(|(_, value)| !value.is_empty()).collect()
}

fn usual(said: &HashMap<String, String>) -> PathBuf {
    let config = said.get(XDG_CONFIG_HOME).map(PathBuf::from);
    let config = config.filter(|folder| folder.is_absolute());
    let home = || Some(Path::new(said.get(HOME)?).join(".config"));
    match config.or_else(home) {
        Some(folder) => folder.join("larkspur/vault.key"),
        None => PathBuf::from(WITHOUT_HOME),
    }
}
