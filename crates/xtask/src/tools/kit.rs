//! Packages of one registry in a folder of their own below `target/tools`, at pinned versions.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Installs packages into a folder.
pub(crate) type Install = Box<dyn Fn(&Path) -> Result<()>>;

pub struct Kit {
    /// Its folder's name.
    pub(crate) name: String,
    /// Packages with their versions.
    pub(crate) packages: Vec<String>,
    /// The command that installs them, for people.
    pub(crate) command: String,
    pub(crate) install: Install,
}

impl Kit {
    /// Its folder, from the workspace's root.
    pub fn place(&self) -> String {
        format!("target/tools/{}", self.name)
    }

    /// Whether the stamp in the kit's folder names these packages and versions.
    pub fn is_present(&self, tools: &Path) -> bool {
        let stamp = fs::read_to_string(tools.join(&self.name).join("stamp"));
        stamp.is_ok_and(|stamp| stamp == self.stamp())
    }

    /// Installs into an empty folder. The stamp is written last, so that an interrupted install is repeated.
    pub fn install(&self, tools: &Path) -> Result<()> {
        let folder = tools.join(&self.name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        (self.install)(&folder)
            .with_context(|| format!("cannot install {}", self.packages.join(", ")))?;
        Ok(fs::write(folder.join("stamp"), self.stamp())?)
    }

    fn stamp(&self) -> String {
        self.packages.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    /// Fails if anything is left of an earlier install.
    fn succeed(folder: &Path) -> Result<()> {
        Ok(fs::create_dir(folder.join("installed"))?)
    }

    fn fail(_: &Path) -> Result<()> {
        bail!("no network")
    }

    fn kit(packages: &[&str], install: fn(&Path) -> Result<()>) -> Kit {
        Kit {
            name: "kit".to_owned(),
            packages: packages.iter().map(|&package| package.to_owned()).collect(),
            command: String::new(),
            install: Box::new(install),
        }
    }

    #[test]
    fn a_kit_is_present_until_a_version_changes() {
        let tools = tempfile::tempdir().unwrap();
        let (old, new) = (kit(&["a@1"], succeed), kit(&["a@2"], succeed));
        assert!(!old.is_present(tools.path()));
        old.install(tools.path()).unwrap();
        assert!(old.is_present(tools.path()));
        assert!(!new.is_present(tools.path()));
        new.install(tools.path()).unwrap();
        assert!(new.is_present(tools.path()));
    }

    #[test]
    fn a_failed_install_names_the_packages_and_is_repeated() {
        let tools = tempfile::tempdir().unwrap();
        let packages = ["a@1", "b@2"];
        let error = kit(&packages, fail).install(tools.path()).unwrap_err();
        assert_eq!(format!("{error:#}"), "cannot install a@1, b@2: no network");
        assert!(!kit(&packages, fail).is_present(tools.path()));
        kit(&packages, succeed).install(tools.path()).unwrap();
    }
}
