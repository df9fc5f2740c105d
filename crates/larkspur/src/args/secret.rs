//! What can be typed about secrets. Their values cannot: what is typed stays in histories and is
//! seen by everybody who lists processes.

use super::Format;
use clap::{Args, Subcommand};
use model::Caller;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Secret {
    /// Set a secret of a module; its value is asked for, or read from standard input
    Set(SecretSet),
    /// Show which secrets are set and which are waited for, never what they are
    List(SecretList),
    /// Forget a secret
    Remove(SecretRemove),
    /// Seal everything with another master key
    RotateKey(SecretRotateKey),
    /// Write all secrets into one file that a passphrase opens
    Export(SecretExport),
    /// Set the secrets that are in such a file
    Import(SecretImport),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur secret set github.token                 asks for it, and shows nothing
  larkspur secret set github.token < token.txt     reads it; a line break at the end is left out
  larkspur secret set github.token --user ada      for one user; it comes before the one for all
  larkspur secret set drive.login --oauth2         tokens that are renewed, as JSON:
    {\"token_url\": \"https://…\", \"client_id\": \"…\", \"client_secret\": \"…\", \"refresh_token\": \"…\"}

Exit code: 0 it is set, 1 it is not, 2 wrong usage")]
pub(crate) struct SecretSet {
    /// The module and the name under [secrets] in its module.toml
    #[arg(value_name = "MODULE.NAME")]
    pub(crate) name: String,

    /// Refused: values are not typed
    #[arg(hide = true)]
    pub(crate) value: Vec<String>,

    /// For this user alone
    #[arg(long, value_name = "NAME", value_parser = user)]
    pub(crate) user: Option<String>,

    /// Tokens that are renewed before they end, as JSON; see the book's page about secrets
    #[arg(long)]
    pub(crate) oauth2: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SecretList {
    /// Those of this user alone
    #[arg(long, value_name = "NAME", value_parser = user)]
    pub(crate) user: Option<String>,

    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit code: 0 it is gone, 1 it was not there, 2 wrong usage")]
pub(crate) struct SecretRemove {
    /// The module and the secret's name
    #[arg(value_name = "MODULE.NAME")]
    pub(crate) name: String,

    /// That of this user
    #[arg(long, value_name = "NAME", value_parser = user)]
    pub(crate) user: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur secret rotate-key                           a new key, put where the old one is
  larkspur secret rotate-key --new-key-file new.key    the key in that file, made if it is not there
  larkspur secret rotate-key --passphrase              asks for a passphrase
  LARKSPUR_VAULT_NEW_KEY=… larkspur secret rotate-key

What was broken off is finished by the next one; at no moment a secret cannot be read.
Exit code: 0 done, 1 not done, 2 wrong usage")]
pub(crate) struct SecretRotateKey {
    /// A file with the new key; it is made if it is not there
    #[arg(long, value_name = "FILE")]
    pub(crate) new_key_file: Option<PathBuf>,

    /// Make the new key from a passphrase that is asked for
    #[arg(long, conflicts_with = "new_key_file")]
    pub(crate) passphrase: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The passphrase is asked for, or read from LARKSPUR_EXPORT_PASSPHRASE.
Exit code: 0 written, 1 not written, 2 wrong usage")]
pub(crate) struct SecretExport {
    /// The file to write; one that is there is not overwritten
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The passphrase is asked for, or read from LARKSPUR_EXPORT_PASSPHRASE.
Exit code: 0 all are set, 1 some are not, 2 wrong usage")]
pub(crate) struct SecretImport {
    /// A file that `larkspur secret export` wrote
    pub(crate) file: PathBuf,

    /// Also set those that are set already
    #[arg(long)]
    pub(crate) replace: bool,
}

fn user(text: &str) -> Result<String, String> {
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err("a user has a name".into());
    }
    if text == Caller::default().name {
        let why = "whoever runs the server uses what is set for all; leave --user out";
        return Err(why.into());
    }
    Ok(text.to_owned())
}
