//! How far one right goes: lists that must all name a thing. No list at all means anything goes.

use super::pattern::matches;
use super::{Access, Permission, Spot};
use crate::access::hosts::{PUBLIC, narrow};
use crate::host::Egress;

/// Who wrote a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// `[permissions]` in `module.toml`.
    Manifest,
    /// `[module.NAME.grant]` in `larkspur.toml`.
    Operator,
    /// `allowed_exec` of a single file.
    Extension,
    /// Nobody: it is how single files are.
    Custom,
    /// A file that loads is nobody's yet.
    Loading,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) by: By,
    pub(super) names: Vec<String>,
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
        self.0.push(Layer { by, names });
        self
    }

    /// The first list that does not name it.
    pub(super) fn refusal(&self, access: &Access<'_>) -> Option<&Layer> {
        if let Access::Http(_) = access {
            return self.no_host();
        }
        self.0.iter().find(|layer| !layer.holds(access))
    }

    /// The list that leaves no host, if one does.
    fn no_host(&self) -> Option<&Layer> {
        let ends = (1..=self.0.len()).find(|end| hosts(&self.0[..*end]).is_empty());
        ends.map(|end| &self.0[end - 1])
    }

    pub(super) fn egress(&self) -> Egress {
        if self.0.is_empty() {
            return Egress {
                granted: Vec::new(),
                public: true,
            };
        }
        let (public, granted) = hosts(&self.0).into_iter().partition(|host| host == PUBLIC);
        let public: Vec<String> = public;
        Egress {
            granted,
            public: !public.is_empty(),
        }
    }
}

/// What all lists name.
fn hosts(layers: &[Layer]) -> Vec<String> {
    let mut layers = layers.iter().map(|layer| layer.names.clone());
    let first = layers.next().unwrap_or_default();
    layers.fold(first, |left, right| {
        let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
        let mut both: Vec<String> = pairs.filter_map(|(a, b)| narrow(a, b)).collect();
        both.sort();
        both.dedup();
        both
    })
}

impl Layer {
    fn holds(&self, access: &Access<'_>) -> bool {
        let mut names = self.names.iter();
        match access {
            Access::Http(_) => false,
            // A command, like a connection, is meant by its exact name.
            Access::Exec(name) | Access::Postgres(name) => names.any(|known| known == name),
            Access::Env(name) => names.any(|pattern| matches(pattern, name)),
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
