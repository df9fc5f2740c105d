//! Where `PostgreSQL`'s programs are, and what is said where they are not.

use std::path::PathBuf;

pub(crate) const INSTALL: &str = "PostgreSQL is not installed: run `cargo xtask tools`, \
     or install your system's `postgresql` and `openssl`";

/// All that a cluster takes.
const NEEDED: [&str; 3] = ["initdb", "postgres", "openssl"];

/// Programs that a cluster needs and this machine does not have.
pub fn missing() -> Vec<&'static str> {
    let mut needed = NEEDED.to_vec();
    needed.retain(|name| find(name).is_none());
    needed
}

pub(crate) fn program(name: &str) -> PathBuf {
    find(name).unwrap_or_else(|| panic!("no `{name}`: {INSTALL}"))
}

/// In the path, or where Debian keeps one folder a version: the newest.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let mut debian: Vec<PathBuf> = debian.flatten().map(|e| e.path().join("bin")).collect();
    debian.sort();
    debian.reverse();
    let folders = std::env::split_paths(&path).chain(debian);
    let mut programs = folders.map(|folder| folder.join(name));
    programs.find(|program| program.is_file())
}
