//! Where foreign programs are, and which tests may use them.

use std::path::PathBuf;

pub(crate) const INSTALL: &str =
    "run `cargo xtask tools`, or install your system's `postgresql` and `openssl`";

/// Stops a test that needs a foreign program and would run in a plain `cargo test`, where it may be missing.
/// Marked tests run only if the test program is asked for ignored ones.
#[track_caller]
pub fn assert_test_is_marked(needs: &str) {
    let is_marked = std::env::args().any(|arg| arg == "--ignored" || arg == "--include-ignored");
    assert!(is_marked, "mark this test: #[ignore = \"needs {needs}: cargo xtask test\"]");
}

pub(crate) fn program(name: &str) -> PathBuf {
    find(name).unwrap_or_else(|| panic!("no `{name}`: {INSTALL}"))
}

/// In the path, or where Debian keeps one folder a version: the newest.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut debian: Vec<PathBuf> = debian.flatten().map(|e| e.path().join("bin")).collect();
    debian.sort();
    debian.reverse();
    let folders = std::env::split_paths(&path).chain(debian);
    let mut programs = folders.map(|folder| folder.join(name));
    programs.find(|program| program.is_file())
}
