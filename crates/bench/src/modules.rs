//! Folders of generated modules to serve.

use std::fmt::{self, Display};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use tempfile::TempDir;

/// A folder of modules that goes away with this value.
pub(super) struct Modules {
    folder: TempDir,
    /// Of those with a number for a name.
    pub(super) count: usize,
}

impl Modules {
    /// `count` modules with a tool each.
    pub(super) fn many(count: usize) -> Result<Self> {
        let folder = tempfile::tempdir().context("no place for modules")?;
        let modules = Self { folder, count };
        for number in 1..=count {
            modules.write(&format!("module_{number}"), &numbered(number))?;
        }
        Ok(modules)
    }

    /// `count` folder modules with a tool and a `start` each; those with dependencies lean on up to
    /// three of the ones before them.
    pub(super) fn folders(count: usize, depending: bool) -> Result<Self> {
        let modules = Self::many(0)?;
        for number in 1..=count {
            let path = modules.path().join(format!("module-{number}"));
            fs::create_dir(&path)?;
            let needs = [number / 2, number / 3, number.saturating_sub(1)];
            let mut needs: Vec<usize> = needs.into_iter().filter(|_| depending).collect();
            needs.retain(|other| (1..number).contains(other));
            needs.sort_unstable();
            needs.dedup();
            let names: Vec<String> = needs.iter().map(|n| format!("\"module-{n}\"")).collect();
            let manifest =
                MANIFEST.replace("NUMBER", &number.to_string()).replace("NEEDS", &names.join(", "));
            fs::write(path.join("module.toml"), manifest)?;
            fs::write(path.join("main.star"), numbered(number) + START)?;
        }
        Ok(Self { count, ..modules })
    }

    /// The two tools that the minimal server has as well.
    pub(super) fn yardstick() -> Result<Self> {
        let modules = Self::many(0)?;
        modules.write("hello", &hello("hello"))?;
        modules.write("rows", ROWS)?;
        Ok(modules)
    }

    pub(super) fn write(&self, name: &str, source: &str) -> Result<()> {
        let path = self.folder.path().join(format!("{name}.star"));
        fs::write(&path, source).with_context(|| format!("cannot write {}", path.display()))
    }

    /// A module with a manifest that names these permissions.
    pub(super) fn write_folder(&self, name: &str, permissions: &str, main: &str) -> Result<()> {
        self.write_described(name, "a bench's", permissions, main)
    }

    /// One that also says what it is for.
    pub(super) fn write_described(
        &self,
        name: &str,
        about: &str,
        permissions: &str,
        main: &str,
    ) -> Result<()> {
        let folder = self.folder.path().join(name);
        let manifest = format!(
            "name = \"{name}\"\nversion = \"1.0.0\"\ndescription = {}\nprefix = \"\"\n\
             [permissions]\n{permissions}\n",
            // A JSON string is a TOML string.
            serde_json::Value::from(about)
        );
        fs::create_dir(&folder)
            .and_then(|()| fs::write(folder.join("module.toml"), manifest))
            .and_then(|()| fs::write(folder.join("main.star"), main))
            .with_context(|| format!("cannot write {}", folder.display()))
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Display for Modules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => f.write_str("1 module"),
            count => write!(f, "{count} modules"),
        }
    }
}

/// A module whose tool `hello` greets with `word`.
pub(super) fn hello(word: &str) -> String {
    HELLO.replace("WORD", word)
}

fn numbered(number: usize) -> String {
    NUMBERED.replace("NUMBER", &number.to_string())
}

const HELLO: &str = r#"def hello(name: str) -> str:
    """Greet somebody by name."""
    return "WORD " + name

tool(hello, read_only = True)
"#;

/// The same rows as `examples/minimal.rs` builds.
const ROWS: &str = r#"def rows(n: int) -> list[dict]:
    """Give back some rows."""
    return [{"id": i, "name": "item " + str(i), "open": True, "score": i * 2} for i in range(n)]

tool(rows, read_only = True)
"#;

const NUMBERED: &str = r#""""Module NUMBER of a bench."""

GREETING = "tool NUMBER says hello to"

def _sentence(name: str, times: int) -> str:
    words = [GREETING, name]
    return " ".join(words * times)

def greet_NUMBER(name: str, times: int = 1) -> str:
    """Greet somebody by name, in the manner of module NUMBER.

    Args:
        name: Who is greeted.
        times: How often.
    """
    if times < 1:
        fail("times must be at least 1")
    return _sentence(name, times)

tool(greet_NUMBER, read_only = True)
"#;

const MANIFEST: &str = r#"name = "module-NUMBER"
version = "1.0.0"
description = "Module NUMBER of a bench"
depends_on = [NEEDS]

[config]
greeting = { type = "string", default = "Hello" }
"#;

const START: &str = r#"
def start(deps, config):
    return {"greeting": config["greeting"], "leans_on": sorted(deps.keys())}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_module_has_a_tool_of_its_own() -> Result<()> {
        let modules = Modules::many(2)?;
        for number in 1..=2 {
            let source = fs::read_to_string(modules.path().join(format!("module_{number}.star")))?;
            assert!(source.ends_with(&format!("tool(greet_{number}, read_only = True)\n")));
        }
        assert_eq!(fs::read_dir(modules.path())?.count(), 2);
        Ok(())
    }
}
