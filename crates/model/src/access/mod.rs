//! What a module may do: the rule, without network, files or processes. A module has the rights that its
//! manifest or its `permissions(…)` names and the operator leaves it; a file in starlark-mcp's form has
//! starlark-mcp's default permissions, as far as the operator does not say otherwise.

mod denied;
mod egress;
mod follow;
mod grant;
mod pattern;
mod permissions;
mod read_only;
mod rights;
mod scope;

pub use denied::Denied;
pub use egress::{Egress, Reach, Turns};
pub use follow::follow_config;
pub use grant::Grant;
pub use permissions::{
    Permissions, check_entry, check_host, check_host_entry, check_name, is_connection_string,
};
pub use read_only::{DeclaredRead, PossibleWrite, ReadOnlyCall};
pub use rights::{DATA_FOLDER, Rights};

use crate::ToolPath;
use crate::host::Site;

/// What a right is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    Http,
    Exec,
    Env,
    Sqlite,
    SqliteWrite,
    Postgres,
    Files,
    FilesWrite,
    Calls,
}

impl Permission {
    pub const ALL: [Self; 9] = [
        Self::Http,
        Self::Exec,
        Self::Env,
        Self::Sqlite,
        Self::SqliteWrite,
        Self::Postgres,
        Self::Files,
        Self::FilesWrite,
        Self::Calls,
    ];

    /// As it stands in `[permissions]` and in `[module.NAME.grant]`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Exec => "exec",
            Self::Env => "env",
            Self::Sqlite => "sqlite",
            Self::SqliteWrite => "sqlite_write",
            Self::Postgres => "postgres",
            Self::Files => "files",
            Self::FilesWrite => "files_write",
            Self::Calls => "calls",
        }
    }

    /// Is it about places on the disk?
    fn is_path(self) -> bool {
        let paths = [Self::Sqlite, Self::SqliteWrite, Self::Files, Self::FilesWrite];
        paths.contains(&self)
    }

    /// Who may write may read.
    fn implied_by(self) -> Option<Self> {
        match self {
            Self::Sqlite => Some(Self::SqliteWrite),
            Self::Files => Some(Self::FilesWrite),
            _ => None,
        }
    }
}

/// A path, free of links and `..`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot<'a> {
    /// As the script wrote it.
    pub asked: &'a str,
    /// From the root of the disk.
    pub whole: &'a str,
    /// From the module's folder, if it lies there; empty for the folder itself.
    pub below: Option<&'a str>,
}

/// One thing that a script asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access<'a> {
    /// A request. Which address its host stands for is known where names are looked up, and judged
    /// there by `Egress`.
    Http(&'a Site),
    Exec(&'a str),
    Env(&'a str),
    Sqlite(Spot<'a>),
    SqliteWrite(Spot<'a>),
    Postgres(&'a str),
    Files(Spot<'a>),
    FilesWrite(Spot<'a>),
    /// A tool of another module, by `ctx.call`.
    Calls(&'a ToolPath),
}

impl<'a> Access<'a> {
    pub fn permission(&self) -> Permission {
        match self {
            Self::Http(_) => Permission::Http,
            Self::Exec(_) => Permission::Exec,
            Self::Env(_) => Permission::Env,
            Self::Sqlite(_) => Permission::Sqlite,
            Self::SqliteWrite(_) => Permission::SqliteWrite,
            Self::Postgres(_) => Permission::Postgres,
            Self::Files(_) => Permission::Files,
            Self::FilesWrite(_) => Permission::FilesWrite,
            Self::Calls(_) => Permission::Calls,
        }
    }

    fn spot(&self) -> Option<Spot<'a>> {
        match self {
            Self::Sqlite(spot)
            | Self::SqliteWrite(spot)
            | Self::Files(spot)
            | Self::FilesWrite(spot) => Some(*spot),
            Self::Http(_) | Self::Exec(_) | Self::Env(_) | Self::Postgres(_) | Self::Calls(_) => {
                None
            }
        }
    }
}
