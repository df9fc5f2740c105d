//! Instruction counts of a server that runs under valgrind's callgrind.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::contender::Contender;
use xtask::command::answers;

/// Folder that the profiles of one measurement are written to.
pub(super) struct Callgrind {
    folder: TempDir,
}

impl Callgrind {
    pub(super) fn find() -> Result<Self> {
        ensure!(
            answers("valgrind", &["--version"]),
            "cannot start `valgrind`: install the package `valgrind` (it runs on Linux)"
        );
        let folder =
            tempfile::tempdir().context("cannot create a folder for callgrind's output")?;
        Ok(Self { folder })
    }

    /// The same server, started by callgrind.
    pub(super) fn wrap(&self, contender: &Contender) -> Contender {
        let mut out = OsString::from("--callgrind-out-file=");
        out.push(self.profile());
        let mut script = vec!["--tool=callgrind".into(), "--quiet".into(), out];
        script.push(contender.program.clone().into());
        script.extend(contender.script.iter().cloned());
        Contender::with("valgrind", script)
    }

    /// Instructions of the run that has just ended.
    pub(super) fn take_total(&self) -> Result<f64> {
        read_total(&self.profile())
    }

    fn profile(&self) -> PathBuf {
        self.folder.path().join("profile")
    }
}

/// Removes the profile, so that a server that writes none is not taken for its predecessor.
fn read_total(profile: &Path) -> Result<f64> {
    let text = fs::read_to_string(profile)
        .with_context(|| format!("callgrind wrote no {}", profile.display()))?;
    fs::remove_file(profile)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    let total = total.context("callgrind's output has no line `totals:`")?;
    Ok(total.trim().parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let profile = folder.path().join("profile");
        fs::write(&profile, "version: 1\nevents: Ir\n\n16 400\ntotals: 1234567\n").unwrap();
        assert_eq!(read_total(&profile).unwrap().to_string(), "1234567");
        assert!(read_total(&profile).is_err());
    }

    #[test]
    fn callgrind_starts_the_server_with_its_own_arguments() {
        let folder = tempfile::tempdir().unwrap();
        let callgrind = Callgrind { folder };
        let wrapped = callgrind.wrap(&Contender::with("python3", vec!["hello.py".into()]));
        assert_eq!(wrapped.program, Path::new("valgrind"));
        let script = &wrapped.script;
        assert_eq!(script.last_chunk(), Some(&["python3".into(), "hello.py".into()]));
    }
}
