//! How far one right goes: lists that must all name a thing. No list at all means anything goes.

use super::pattern::matches;
use super::permissions::PUBLIC;
use super::{Access, Permission, Reach, Spot};
use crate::host::Site;

/// Who wrote a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// `[permissions]` in `module.toml`.
    Manifest,
    /// `permissions(…)` in a single file.
    File,
    /// A single file without `permissions(…)`.
    Undeclared,
    /// `[module.NAME.grant]` in `larkspur.toml`.
    Operator,
    /// `allowed_exec` of a file in starlark-mcp's form.
    Extension,
    /// starlark-mcp's default for files in its form.
    Custom,
    /// A file that loads is nobody's yet.
    Loading,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) by: By,
    pub(super) names: Vec<String>,
    /// Modules whose tools may be called without being named here.
    pub(super) dependencies: Vec<String>,
    /// Keys of the module's configuration that say more of them.
    pub(super) follows: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scope(Vec<Layer>);

/// A name that no pattern spells out: what matches it matches every name.
const ANY_NAME: char = '\0';

impl Scope {
    pub(super) fn any() -> Self {
        Self::default()
    }

    pub(super) fn of(by: By, names: &[impl AsRef<str>]) -> Self {
        Self::any().and(by, names)
    }

    /// Only what this names as well.
    #[must_use]
    pub(super) fn and(mut self, by: By, names: &[impl AsRef<str>]) -> Self {
        let names = names.iter().map(|name| name.as_ref().to_owned()).collect();
        self.0.push(Layer { by, names, dependencies: Vec::new(), follows: Vec::new() });
        self
    }

    /// Does one of the lists name nothing at all?
    pub(super) fn is_empty(&self) -> bool {
        let names_nothing = |layer: &Layer| {
            layer.names.is_empty() && layer.dependencies.is_empty() && layer.follows.is_empty()
        };
        self.0.iter().any(names_nothing)
    }

    /// The last list follows these keys of the configuration.
    #[must_use]
    pub(super) fn following(mut self, keys: &[String]) -> Self {
        if let Some(layer) = self.0.last_mut() {
            layer.follows = keys.to_vec();
        }
        self
    }

    /// The last list holds for all tools of these modules too.
    #[must_use]
    pub(super) fn with_dependencies(mut self, modules: &[String]) -> Self {
        if let Some(layer) = self.0.last_mut() {
            layer.dependencies = modules.to_vec();
        }
        self
    }

    /// The first list that does not name it.
    pub(super) fn refusal(&self, access: &Access<'_>) -> Option<&Layer> {
        self.0.iter().find(|layer| !layer.holds(access))
    }

    /// How far a request to this site may go, or the first list that does not name it.
    pub(super) fn reach(&self, site: &Site) -> Result<Reach, &Layer> {
        if let Some(layer) = self.refusal(&Access::Http(site)) {
            return Err(layer);
        }
        let is_free = self.0.is_empty() || self.only_public(site).is_some();
        Ok(if is_free { Reach::Public } else { Reach::Granted })
    }

    /// The list that names it as one of all public ones only.
    pub(super) fn only_public(&self, site: &Site) -> Option<&Layer> {
        self.0.iter().find(|layer| !layer.spells(site))
    }
}

impl Layer {
    /// Is this site named, and not just every public one?
    fn spells(&self, site: &Site) -> bool {
        self.names.iter().any(|pattern| site.matches(pattern))
    }

    fn holds(&self, access: &Access<'_>) -> bool {
        let mut names = self.names.iter();
        match access {
            Access::Http(site) => self.spells(site) || names.any(|name| name == PUBLIC),
            // A command, like a connection, is meant by its exact name.
            Access::Exec(name) | Access::Postgres(name) => names.any(|known| known == name),
            Access::Env(name) => names.any(|pattern| matches(pattern, name)),
            Access::Calls(tool) => {
                let module = tool.module.as_str();
                let mut dependencies = self.dependencies.iter();
                dependencies.any(|name| name == module)
                    || names.any(|pattern| matches(pattern, &tool.to_string()))
            }
            Access::Sqlite(spot)
            | Access::SqliteWrite(spot)
            | Access::Files(spot)
            | Access::FilesWrite(spot) => {
                let reads = access.permission() == Permission::Files;
                names.any(|pattern| holds_spot(pattern, *spot, reads))
            }
        }
    }
}

/// A pattern that begins with `/` is about the whole disk, others about the module's folder. Who
/// may read everything in a folder may list it.
fn holds_spot(pattern: &str, spot: Spot<'_>, or_its_folder: bool) -> bool {
    let path = if pattern.starts_with('/') {
        spot.whole
    } else {
        match spot.below {
            Some(below) => below,
            None => return false,
        }
    };
    let inside = match path {
        "" | "/" => format!("{path}{ANY_NAME}"),
        path => format!("{path}/{ANY_NAME}"),
    };
    matches(pattern, path) || or_its_folder && matches(pattern, &inside)
}
