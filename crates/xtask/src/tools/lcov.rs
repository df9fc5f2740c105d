//! `genhtml` of lcov, which reads what `larkspur test --coverage-lcov` writes: the system's own.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::apt;
use crate::command::answers;

pub(super) fn ensure_installed(folder: &Path) -> Result<()> {
    settle(
        || answers("genhtml", &["--version"]),
        || apt(folder, &["lcov"]),
    )
}

fn settle(is_there: impl Fn() -> bool, install: impl FnOnce() -> Result<()>) -> Result<()> {
    if is_there() {
        return Ok(());
    }
    println!("no genhtml: trying apt-get install lcov");
    install().context(
        "the tests need genhtml, and there is none: \
         install your system's lcov, then run this again",
    )?;
    ensure!(
        is_there(),
        "lcov was installed, and still there is no genhtml"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn what_is_there_is_not_installed_again() {
        settle(|| true, || bail!("no need")).unwrap();
    }

    #[test]
    fn what_cannot_be_installed_is_named() {
        let refused = settle(|| false, || bail!("no network")).unwrap_err();
        assert_eq!(
            format!("{refused:#}"),
            "the tests need genhtml, and there is none: \
             install your system's lcov, then run this again: no network"
        );
        let absent = settle(|| false, || Ok(())).unwrap_err();
        assert_eq!(
            absent.to_string(),
            "lcov was installed, and still there is no genhtml"
        );
    }
}
