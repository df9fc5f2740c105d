//! The repository as cargo and git describe it: its root, its crates and its files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::command::output;

pub struct Workspace {
    pub root: PathBuf,
    pub packages: Vec<Package>,
}

/// One of our crates, as its `Cargo.toml` says.
pub struct Package {
    pub name: String,
    /// Of every kind: a dev-dependency is an arrow too.
    pub dependencies: Vec<Dependency>,
}

pub struct Dependency {
    pub name: String,
    /// The version asked for, such as `^1` or `=0.14.2`.
    pub req: String,
}

impl Package {
    fn from_metadata(package: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let dependency = |to: &Value| {
            let (name, req) = (text(&to["name"])?, text(&to["req"])?);
            Some(Dependency { name, req })
        };
        let dependencies = package["dependencies"].as_array()?.iter();
        Some(Self {
            name: text(&package["name"])?,
            dependencies: dependencies.map(dependency).collect::<Option<_>>()?,
        })
    }
}

/// A file: its path from the root, with `/`, and what is in it, read as text.
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    /// `None` for a tracked file that has just been deleted.
    pub(crate) fn read(root: &Path, path: &str) -> Option<Self> {
        let bytes = std::fs::read(root.join(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(Self { path: path.to_owned(), text })
    }

    pub fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }
}

impl Workspace {
    pub fn read() -> Result<Self> {
        let json =
            output(".", "cargo", &["metadata", "--no-deps", "--offline", "--format-version", "1"])?;
        let metadata: Value = serde_json::from_slice(&json)?;
        Self::from_metadata(&metadata).context("cannot read what cargo metadata printed")
    }

    fn from_metadata(metadata: &Value) -> Option<Self> {
        let packages = metadata["packages"].as_array()?.iter();
        Some(Self {
            root: PathBuf::from(metadata["workspace_root"].as_str()?),
            packages: packages.map(Package::from_metadata).collect::<Option<_>>()?,
        })
    }

    /// Every file that is tracked, or would be by the next `git add`.
    pub fn sources(&self) -> Result<Vec<Source>> {
        let listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listed = String::from_utf8(output(&self.root, "git", &listing)?)?;
        let mut sources: Vec<Source> = listed
            .split_terminator('\0')
            .filter_map(|path| Source::read(&self.root, path))
            .collect();
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        sources.dedup_by(|a, b| a.path == b.path);
        Ok(sources)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A made-up crate with made-up dependencies, each `name` or `name@req`.
    pub(crate) fn package(name: &str, dependencies: &[&str]) -> Package {
        let dependency = |text: &&str| {
            let (name, req) = text.split_once('@').unwrap_or((text, "^1"));
            Dependency { name: name.to_owned(), req: req.to_owned() }
        };
        let dependencies = dependencies.iter().map(dependency).collect();
        Package { name: name.to_owned(), dependencies }
    }

    pub(crate) fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn this_crate_and_text_files_of_every_kind_are_found() {
        let workspace = Workspace::read().unwrap();
        assert!(workspace.packages.iter().any(|package| package.name == "xtask"));
        let sources = workspace.sources().unwrap();
        for path in [
            ".cargo/config.toml",
            ".github/workflows/ci.yml",
            "README.md",
            "crates/xtask/Cargo.toml",
            "crates/xtask/src/workspace.rs",
            "modules/notion/main.star",
            "tests/corpus/queries.json",
        ] {
            assert!(sources.iter().any(|source| source.path == path), "{path}");
        }
        assert!(sources.iter().all(|source| !source.path.starts_with("target/")));
    }
}
