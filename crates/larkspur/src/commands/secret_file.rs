//! `larkspur secret export` and `import`: all secrets in one file that a passphrase opens.
#![expect(clippy::disallowed_methods, reason = "the file that is named is read and written here")]

use crate::args::{Global, SecretExport, SecretImport};
use crate::commands::secret::tell_made;
use crate::exit::wrong_usage;
use crate::terminal::{count, note, say};
use crate::variables::EXPORT_PASSPHRASE;
use crate::{compose, hidden, keys};
use anyhow::{Context, bail};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;
use zeroize::Zeroizing;

pub(crate) fn export(global: &Global, args: &SecretExport) -> anyhow::Result<ExitCode> {
    let file = args.file.display();
    if args.file.exists() {
        bail!("{file} is there already, and not overwritten");
    }
    let passphrase = passphrase(hidden::ask_twice)?;
    let vault = keys::vault(&compose::project_with_data(global)?);
    let (text, number) = vault.export(&passphrase)?;
    write(&args.file, &text).with_context(|| format!("cannot write {file}"))?;
    say(&format!("wrote {} to {file}", count(number, "secret")));
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn import(global: &Global, args: &SecretImport) -> anyhow::Result<ExitCode> {
    let file = args.file.display();
    let text = fs::read_to_string(&args.file).with_context(|| format!("cannot read {file}"))?;
    let passphrase = passphrase(hidden::ask)?;
    let vault = keys::vault(&compose::project_with_data(global)?);
    let imported = vault.import(&text, &passphrase, args.replace)?;
    for name in &imported.set {
        say(&format!("set {name}"));
    }
    for name in &imported.left {
        note(&format!("{name} is set already; --replace sets it anew"));
    }
    tell_made(imported.made.as_ref());
    Ok(ExitCode::from(u8::from(!imported.left.is_empty())))
}

type Ask = fn(&str) -> anyhow::Result<Zeroizing<String>>;

/// From the environment, or from whoever is there.
fn passphrase(ask: Ask) -> anyhow::Result<Zeroizing<String>> {
    if let Some(said) = keys::export_passphrase() {
        return Ok(Zeroizing::new(said.expose().to_owned()));
    }
    if !hidden::is_asked() {
        return Err(wrong_usage(format!(
            "nobody is here to be asked for the passphrase; set {EXPORT_PASSPHRASE}"
        )));
    }
    ask("the passphrase of this file")
}

/// For its owner alone; half of it is left nowhere.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    written
}
