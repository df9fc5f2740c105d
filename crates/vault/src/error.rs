//! Why a secret could not be kept or opened, and the way out.

use crate::key::KeyOrigin;
use model::shorten_path;
use std::io;
use std::path::PathBuf;
use store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    #[error(transparent)]
    Store(#[from] StoreError),

    #[error(
        "the vault was sealed with another key than the one in {origin} (it needs `{kid}`): give the key \
         it was sealed with, or bring back the file it was in"
    )]
    OtherKey { kid: String, origin: KeyOrigin },

    #[error(
        "the key that the vault was sealed with (`{kid}`) is not found: set LARKSPUR_VAULT_KEY or \
         LARKSPUR_VAULT_KEY_FILE, or bring back {}; without it, `larkspur secret remove` what is there \
         and set it again",
        usual.display()
    )]
    NoKey { kid: String, usual: PathBuf },

    #[error(
        "{origin} holds no key: a key is 32 bytes as base64 or hex; `openssl rand -base64 32` makes one"
    )]
    NotAKey { origin: KeyOrigin },

    #[error("{} can be read by others; `chmod 600 {}` mends it", path.display(), path.display())]
    ReadByOthers { path: PathBuf },

    #[error(
        "{} lies beside the database that it opens, so that whoever gets one gets both; move it to \
         another folder",
        path.display()
    )]
    BesideTheDatabase { path: PathBuf },

    #[error("cannot use the key file {}: {source}", path.display())]
    KeyFile { path: PathBuf, source: io::Error },

    #[error("the system's keyring: {0}")]
    Keyring(String),

    #[error(
        "what is kept as `{what}` does not open: it was changed, cut off or put in the place of \
         another; set it again"
    )]
    Broken { what: String },

    #[error(
        "what is kept as `{what}` has the format {found}, which this version does not know: update"
    )]
    Format { what: String, found: u8 },

    #[error(
        "what is kept as `{what}` is of the kind `{kind}`, which this version does not know: update"
    )]
    Kind { what: String, kind: String },

    #[error("the system gives no random bytes: {0}")]
    Random(String),

    #[error("no key could be made of the passphrase: {0}")]
    Passphrase(String),

    #[error("{0}")]
    Tokens(String),

    #[error("{0}")]
    Bundle(String),

    #[error("the vault changes its key at this moment; try again")]
    Rotating,

    #[error("{0}")]
    NoNewKey(String),
}

impl VaultError {
    /// The text for callers, who do not learn where the key and the data lie.
    pub fn without_path(&self) -> String {
        match self {
            Self::Store(error) => error.without_path(),
            Self::OtherKey { origin, .. } | Self::NotAKey { origin } => match origin {
                KeyOrigin::File(path) => shorten_path(&self.to_string(), path),
                KeyOrigin::Variable(_) | KeyOrigin::Passphrase | KeyOrigin::Keyring => {
                    self.to_string()
                }
            },
            Self::NoKey { usual: path, .. }
            | Self::ReadByOthers { path }
            | Self::BesideTheDatabase { path }
            | Self::KeyFile { path, .. } => shorten_path(&self.to_string(), path),
            Self::Keyring(_)
            | Self::Broken { .. }
            | Self::Format { .. }
            | Self::Kind { .. }
            | Self::Random(_)
            | Self::Passphrase(_)
            | Self::Tokens(_)
            | Self::Bundle(_)
            | Self::Rotating
            | Self::NoNewKey(_) => self.to_string(),
        }
    }
}
