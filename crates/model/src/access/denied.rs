//! Why something was refused, and the line that would grant it.

use super::Access;
use super::is_connection_string;
use super::scope::{By, Layer};
use crate::Site;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Denied(pub(super) String);

impl Denied {
    pub(super) fn ours(access: &Access<'_>) -> Self {
        Self::own(&asked(access))
    }

    /// For those who know what else is the server's own.
    pub fn own(asked: &str) -> Self {
        Self(format!("`{asked}` is the server's own, and kept from every module"))
    }

    pub(super) fn itself(module: &str, access: &Access<'_>) -> Self {
        Self(format!(
            "`{}` is part of module `{module}`, and a module does not rewrite itself",
            asked(access)
        ))
    }

    pub(super) fn by(module: &str, access: &Access<'_>, layer: &Layer) -> Self {
        let key = access.permission().key();
        let name = to_add(access);
        let entry = match &name {
            Some(name) => format!("\"{name}\""),
            None => "its absolute path".to_owned(),
        };
        let what = || what(module, access);
        let is_first = layer.names.is_empty() && name.is_some();
        Self(match layer.by {
            By::Loading => format!("`{key}` works in calls, not while a file loads"),
            By::Manifest if is_string(access) => {
                by_name(module, "under [permissions] in module.toml")
            }
            By::File | By::Undeclared if is_string(access) => {
                by_name(module, "of permissions(…) at the top of its file")
            }
            By::Undeclared if is_first => {
                format!("{}; add permissions({key} = [{entry}]) at the top of its file", what())
            }
            By::File if is_first => {
                format!("{}; add {key} = [{entry}] to permissions(…) in its file", what())
            }
            By::File | By::Undeclared => {
                format!("{}; add {entry} to `{key}` of permissions(…) in its file", what())
            }
            By::Manifest if !layer.follows.is_empty() => format!(
                "{}; {}, or the author can add {entry} to `{key}` under [permissions] in module.toml",
                what(),
                by_setting(module, &layer.follows)
            ),
            By::Manifest if is_first => {
                format!("{}; add {key} = [{entry}] to [permissions] in module.toml", what())
            }
            By::Manifest => {
                format!("{}; add {entry} to `{key}` under [permissions] in module.toml", what())
            }
            By::Custom if name.is_some() => format!(
                "{}; the operator can add {key} = [{entry}] to [module.{module}.grant] in larkspur.toml",
                what()
            ),
            By::Operator | By::Custom => format!(
                "{}; the operator can add {entry} to `{key}` under [module.{module}.grant] in larkspur.toml",
                what()
            ),
            By::Extension => extension(&asked(access), &layer.names),
        })
    }

    /// The path itself is granted; a link on its way leads to one that is not.
    pub fn by_link(module: &str, access: &Access<'_>) -> Self {
        Self(format!(
            "{}: a link leads from it to another path, which the server's log names",
            what(module, access)
        ))
    }

    /// `layer` is the list that names every public host only; without it, that is starlark-mcp's default.
    pub(super) fn not_public(module: &str, site: &Site, layer: Option<&Layer>) -> Self {
        let fix = match layer.map(|layer| layer.by) {
            Some(By::Manifest) => {
                format!("add \"{site}\" to `http` under [permissions] in module.toml")
            }
            Some(By::File) => format!("add \"{site}\" to `http` of permissions(…) in its file"),
            Some(_) => format!(
                "the operator can add \"{site}\" to `http` under [module.{module}.grant] in \
                 larkspur.toml"
            ),
            None => format!(
                "the operator can add http = [\"*\", \"{site}\"] to [module.{module}.grant] in \
                 larkspur.toml, where \"*\" stands for every public host"
            ),
        };
        Self(format!("`{site}` is not a public host, and others are granted by name; {fix}"))
    }
}

/// What the manifest leaves to the configuration, whoever runs the server can say.
fn by_setting(module: &str, keys: &[String]) -> String {
    let first = keys.first().map_or("", String::as_str);
    format!(
        "the operator can set `{}` under [module.{module}.config] in larkspur.toml, or by \
         --set {module}.{first}=VALUE",
        keys.join("` or `")
    )
}

fn is_string(access: &Access<'_>) -> bool {
    matches!(access, Access::Postgres(name) if is_connection_string(name))
}

fn by_name(module: &str, place: &str) -> String {
    format!(
        "module `{module}` uses connections by name: put the connection string into larkspur.toml as \
         [postgres.NAME], and the name into `postgres` {place}"
    )
}

/// In the words that users of starlark-mcp know.
fn extension(command: &str, allowed: &[String]) -> String {
    if allowed.is_empty() {
        return format!(
            "Command '{command}' cannot be executed: no exec whitelist configured for this extension. \
             Add allowed_exec=['{command}'] to the Extension definition."
        );
    }
    format!(
        "Command '{command}' is not in the allowed exec whitelist. Allowed commands: {allowed:?}; \
         add it to `allowed_exec` in the Extension definition"
    )
}

fn what(module: &str, access: &Access<'_>) -> String {
    let (asked, among) =
        (asked(access), |things: &str| format!("is not among the {things} module `{module}` may"));
    match access {
        Access::Http(_) => format!("`{asked}` {} reach", among("hosts")),
        Access::Exec(_) => format!("`{asked}` {} run", among("commands")),
        Access::Env(_) => format!("`{asked}` {} read", among("variables")),
        Access::Sqlite(_) => format!("`{asked}` {} read", among("databases")),
        Access::SqliteWrite(_) => format!("`{asked}` {} write", among("databases")),
        Access::Postgres(_) => format!("{asked} {} use", among("connections")),
        Access::Files(_) => format!("`{asked}` {} read", among("files")),
        Access::FilesWrite(_) => format!("`{asked}` {} write", among("files")),
        Access::Calls(_) => format!("`{asked}` {} call", among("tools")),
    }
}

/// A connection string may hold a password, which belongs in no message.
fn asked(access: &Access<'_>) -> String {
    match access {
        Access::Http(site) => site.to_string(),
        Access::Exec(name) | Access::Env(name) => (*name).to_owned(),
        Access::Postgres(name) if is_connection_string(name) => "this connection string".to_owned(),
        Access::Postgres(name) => format!("`{name}`"),
        Access::Calls(tool) => tool.to_string(),
        access => access.spot().map_or("", |spot| spot.asked).to_owned(),
    }
}

/// The entry that grants it. A relative path out of the module's folder is granted by its absolute path, which
/// is not for callers to read.
fn to_add(access: &Access<'_>) -> Option<String> {
    match access {
        Access::Http(site) => Some(site.to_string()),
        Access::Postgres(name) if is_connection_string(name) => Some("NAME".to_owned()),
        Access::Exec(name) | Access::Env(name) | Access::Postgres(name) => Some((*name).to_owned()),
        Access::Calls(tool) => Some(tool.to_string()),
        access => {
            let spot = access.spot()?;
            match spot.below {
                Some("") => Some("**".to_owned()),
                Some(below) => Some(below.to_owned()),
                None => spot.asked.starts_with('/').then(|| spot.whole.to_owned()),
            }
        }
    }
}
