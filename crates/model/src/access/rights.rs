//! Everything one module may do, and the one place where that is decided.

use super::denied::Denied;
use super::scope::{By, Scope};
use super::{Access, Egress, Grant, Permission, Permissions};
use std::collections::BTreeMap;
use std::path::Path;

/// Ours alone: keys of the vault and the like.
const OUR_VARIABLES: &str = "LARKSPUR_";
/// What the server is told, connections with their passwords included.
const OUR_FILE: &str = "larkspur.toml";
const INSIDE: [&str; 2] = ["environ", "mem"];
/// What opens the vault, wherever it was put.
const OUR_KEY: &str = "vault.key";
/// Name of the data folder, with the state of all modules and the vault.
pub const DATA_FOLDER: &str = ".larkspur";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rights {
    pub(super) module: String,
    scopes: BTreeMap<Permission, Scope>,
}

impl Rights {
    /// What the manifest names, as far as the operator leaves it.
    pub fn of_folder(module: &str, permissions: &Permissions, grant: Option<&Grant>) -> Self {
        Self::new(module, |permission| {
            let scope = Scope::of(By::Manifest, permissions.get(permission));
            let scope = scope.following(permissions.follows(permission));
            let scope = match permission {
                Permission::Calls => scope.with_dependencies(permissions.dependencies()),
                _ => scope,
            };
            narrowed(scope, permission, grant)
        })
    }

    /// What a single file declares, as far as the operator leaves it: `declared` by `permissions(…)`, and
    /// `allowed_exec` by an `Extension` beside it.
    pub fn of_file(
        module: &str,
        declared: Option<&Permissions>,
        allowed_exec: &[String],
        grant: Option<&Grant>,
    ) -> Self {
        let by = match declared {
            Some(_) => By::File,
            None => By::Undeclared,
        };
        Self::new(module, |permission| {
            let mut names = declared.map_or_else(Vec::new, |all| all.get(permission).to_vec());
            if permission == Permission::Exec {
                names.extend_from_slice(allowed_exec);
            }
            narrowed(Scope::of(by, &names), permission, grant)
        })
    }

    /// starlark-mcp's default permissions, where the operator's grant does not replace them.
    pub fn of_extension(module: &str, allowed_exec: &[String], grant: Option<&Grant>) -> Self {
        Self::new(module, |permission| match grant.and_then(|grant| grant.get(permission)) {
            Some(names) => Scope::of(By::Operator, names),
            None => freedom(permission, allowed_exec),
        })
    }

    /// What a file may do while it loads. One in starlark-mcp's form may read variables. Its name is not known
    /// yet, so every grant that could be meant for it applies.
    pub fn of_loading<'g>(reads_env: bool, grants: impl IntoIterator<Item = &'g Grant>) -> Self {
        let mut env = if reads_env { Scope::any() } else { Scope::of(By::Loading, &[""; 0]) };
        for names in grants.into_iter().filter_map(|g| g.get(Permission::Env)) {
            env = env.and(By::Operator, names);
        }
        Self::new("loading", |permission| match permission {
            Permission::Env => env.clone(),
            _ => Scope::of(By::Loading, &[""; 0]),
        })
    }

    fn new(module: &str, scope: impl Fn(Permission) -> Scope) -> Self {
        let scopes = Permission::ALL.map(|permission| (permission, scope(permission)));
        Self { module: module.to_owned(), scopes: scopes.into() }
    }

    /// Whose they are.
    pub fn module(&self) -> &str {
        &self.module
    }

    pub fn check(&self, access: &Access<'_>) -> Result<(), Denied> {
        if is_ours(access) {
            return Err(Denied::ours(access));
        }
        if matches!(access, Access::Calls(tool) if tool.module.as_str() == self.module) {
            return Ok(());
        }
        if rewrites_itself(access) {
            return Err(Denied::itself(&self.module, access));
        }
        let permission = access.permission();
        let Some(layer) = self.scopes[&permission].refusal(access) else {
            return Ok(());
        };
        let implied = permission.implied_by().map(|by| &self.scopes[&by]);
        if implied.is_some_and(|scope| scope.refusal(access).is_none()) {
            return Ok(());
        }
        Err(Denied::by(&self.module, access, layer))
    }

    /// Could it reach anything but files and data on this machine? Commands, databases and tools of
    /// other modules may.
    pub fn can_reach_out(&self) -> bool {
        let ways = [Permission::Http, Permission::Exec, Permission::Postgres, Permission::Calls];
        ways.iter().any(|way| !self.scopes[way].is_empty())
    }

    /// Whom requests may reach.
    pub fn egress(&self) -> Egress {
        Egress::new(&self.module, &self.scopes[&Permission::Http])
    }
}

/// The part of a scope that the operator leaves.
fn narrowed(scope: Scope, permission: Permission, grant: Option<&Grant>) -> Scope {
    match grant.and_then(|grant| grant.get(permission)) {
        Some(names) => scope.and(By::Operator, names),
        None => scope,
    }
}

fn freedom(permission: Permission, allowed_exec: &[String]) -> Scope {
    match permission {
        Permission::Exec => Scope::of(By::Extension, allowed_exec),
        // What lies beside it came with it.
        Permission::Files => Scope::of(By::Custom, &["**"]),
        // starlark-mcp has no calls of other tools.
        Permission::FilesWrite | Permission::Calls => Scope::of(By::Custom, &[""; 0]),
        Permission::Http
        | Permission::Env
        | Permission::Sqlite
        | Permission::SqliteWrite
        | Permission::Postgres => Scope::any(),
    }
}

fn is_ours(access: &Access<'_>) -> bool {
    match access {
        Access::Env(name) => name.starts_with(OUR_VARIABLES),
        access => access.spot().is_some_and(|spot| {
            let mut parts = spot.whole.split('/');
            let is_kept = parts.any(|part| part == DATA_FOLDER);
            let name = spot.whole.rsplit('/').next();
            let is = |ours: &str| name.is_some_and(|name| name.eq_ignore_ascii_case(ours));
            is_kept || is(OUR_FILE) || is(OUR_KEY) || is_inside(spot.whole)
        }),
    }
}

/// What Linux shows of the inside of processes: our variables are among it.
fn is_inside(whole: &str) -> bool {
    let name = whole.rsplit('/').next();
    whole.starts_with("/proc/") && name.is_some_and(|name| INSIDE.contains(&name))
}

/// A manifest that its own module could write would be no bound.
fn rewrites_itself(access: &Access<'_>) -> bool {
    let Access::FilesWrite(spot) = access else {
        return false;
    };
    let name = file_name(access).unwrap_or_default();
    let is_source =
        Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("star"));
    spot.below.is_some() && (is_source || name.eq_ignore_ascii_case("module.toml"))
}

fn file_name<'a>(access: &Access<'a>) -> Option<&'a str> {
    access.spot()?.whole.rsplit('/').next()
}
