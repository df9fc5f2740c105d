//! The variables of the environment that Larkspur reads for itself.

pub(crate) const TOKEN: &str = "LARKSPUR_TOKEN";
pub(crate) const TRUST_FOLDER: &str = "LARKSPUR_TRUST_FOLDER";
pub(crate) const LOG: &str = "LARKSPUR_LOG";
pub(crate) const RUST_LOG: &str = "RUST_LOG";
pub(crate) const VAULT_KEY: &str = "LARKSPUR_VAULT_KEY";
pub(crate) const VAULT_KEY_FILE: &str = "LARKSPUR_VAULT_KEY_FILE";
pub(crate) const VAULT_PASSPHRASE: &str = "LARKSPUR_VAULT_PASSPHRASE";
pub(crate) const VAULT_KEYRING: &str = "LARKSPUR_VAULT_KEYRING";
pub(crate) const VAULT_NEW_KEY: &str = "LARKSPUR_VAULT_NEW_KEY";
pub(crate) const VAULT_NEW_PASSPHRASE: &str = "LARKSPUR_VAULT_NEW_PASSPHRASE";
pub(crate) const EXPORT_PASSPHRASE: &str = "LARKSPUR_EXPORT_PASSPHRASE";
pub(crate) const CI: &str = "CI";
pub(crate) const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
pub(crate) const HOME: &str = "HOME";

/// All of them, for people.
pub(crate) const VARIABLES: [(&str, &str); 17] = [
    (
        TOKEN,
        "the token that callers over HTTP show, with `auth = \"token\"`; one is made and shown at the start if it is not set",
    ),
    (
        TRUST_FOLDER,
        "`1` loads files in starlark-mcp's form also on other addresses than loopback, as `--trust-folder` does",
    ),
    (LOG, "what is in the log on stderr, such as `info,script=debug`"),
    (RUST_LOG, "the same, if `LARKSPUR_LOG` is not set"),
    (VAULT_KEY, "the vault's master key"),
    (VAULT_KEY_FILE, "the file with it; wins over `key_file` under `[vault]`"),
    (VAULT_PASSPHRASE, "a passphrase from which the master key is made"),
    (VAULT_KEYRING, "`off` leaves the system's keyring alone"),
    (VAULT_NEW_KEY, "the key that `larkspur secret rotate-key` changes to"),
    (VAULT_NEW_PASSPHRASE, "the passphrase that it changes to"),
    (EXPORT_PASSPHRASE, "what opens the file of `larkspur secret export` and `import`"),
    (CI, "if it is set, `larkspur test` writes no snapshots, and one that is missing is a failure"),
    (
        XDG_CONFIG_HOME,
        "the folder of `larkspur/vault.key` and `larkspur/clients.toml`, in the place of `~/.config`",
    ),
    (
        "XDG_RUNTIME_DIR",
        "where running servers listen for `larkspur status`, `reload`, `start` and `stop`; the folder for temporary files without it",
    ),
    (HOME, "your folder, which `~` stands for"),
    ("PATH", "where commands of `exec` are looked for"),
    ("NO_COLOR", "if it is set, nothing is coloured"),
];
