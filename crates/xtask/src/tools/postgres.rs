//! `PostgreSQL` and openssl, of which tests make throwaway servers: the system's own.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::apt;

/// There is nothing to keep in a folder of ours, so it is looked for anew each time.
pub(super) fn ensure_installed(folder: &Path) -> Result<()> {
    settle(cluster::missing, || apt(folder, &["postgresql", "openssl"]))
}

fn settle(
    missing: impl Fn() -> Vec<&'static str>,
    install: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let names = missing().join(", ");
    if names.is_empty() {
        return Ok(());
    }
    println!("no {names}: trying apt-get install postgresql openssl");
    install().with_context(|| {
        format!(
            "the tests need PostgreSQL, and there is no {names}: \
             install your system's postgresql and openssl, then run this again"
        )
    })?;
    let left = missing().join(", ");
    ensure!(
        left.is_empty(),
        "postgresql and openssl were installed, and still there is no {left}, \
         neither in PATH nor in /usr/lib/postgresql/*/bin"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    fn said(result: Result<()>) -> String {
        format!("{:#}", result.unwrap_err())
    }

    #[test]
    fn what_is_there_is_not_installed_again() {
        settle(Vec::new, || bail!("no need")).unwrap();
    }

    #[test]
    fn what_cannot_be_installed_is_named() {
        assert_eq!(
            said(settle(
                || vec!["initdb", "postgres"],
                || bail!("no network")
            )),
            "the tests need PostgreSQL, and there is no initdb, postgres: \
             install your system's postgresql and openssl, then run this again: no network"
        );
        assert_eq!(
            said(settle(|| vec!["initdb"], || Ok(()))),
            "postgresql and openssl were installed, and still there is no initdb, \
             neither in PATH nor in /usr/lib/postgresql/*/bin"
        );
    }
}
