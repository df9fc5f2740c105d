//! What a module may reach, as its manifest names it: nothing else is allowed.

use super::{Permission, follow};
use crate::{Fault, ModuleName, ToolName};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Every public host.
pub(crate) const PUBLIC: &str = "*";

/// By permission: `host`, `*.host` or `host:port`, commands, variables, paths, connections by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    names: BTreeMap<Permission, Vec<String>>,
    /// The keys of the configuration that had a say in it.
    follows: BTreeMap<Permission, Vec<String>>,
    /// Modules that it depends on: all their tools may be called.
    dependencies: Vec<String>,
}

impl Permissions {
    /// Adds an entry of a single file's `permissions(…)`.
    pub fn declare(&mut self, permission: Permission, text: &str) -> Result<(), Fault> {
        if follow::follows(text) {
            return Err(Fault::new(format!(
                "`{text}` cannot be used: a single file has no [config]"
            ))
            .help("write the value itself, or make the file a folder with a module.toml"));
        }
        check_name(permission, text)?;
        let names = self.names.entry(permission).or_default();
        names.push(text.to_owned());
        Ok(())
    }

    pub fn get(&self, permission: Permission) -> &[String] {
        self.names.get(&permission).map_or(&[], Vec::as_slice)
    }

    /// What it comes to under this configuration.
    pub fn under(&self, config: &Map<String, Value>) -> Result<Self, Fault> {
        let all = self.names.iter().map(|(permission, names)| {
            let names = follow::follow_config(*permission, names, config)?;
            Ok((*permission, names))
        });
        let follows = self.names.iter();
        let follows = follows.map(|(permission, names)| (*permission, follow::keys(names)));
        Ok(Self {
            names: all.collect::<Result<_, _>>()?,
            follows: follows.collect(),
            dependencies: self.dependencies.clone(),
        })
    }

    /// The same, with the modules that it depends on.
    #[must_use]
    pub fn with_dependencies<'n>(self, modules: impl Iterator<Item = &'n ModuleName>) -> Self {
        let dependencies = modules.map(ToString::to_string).collect();
        Self { dependencies, ..self }
    }

    pub(crate) fn dependencies(&self) -> &[String] {
        &self.dependencies
    }

    /// What an operator can set to have more.
    pub(crate) fn follows(&self, permission: Permission) -> &[String] {
        self.follows.get(&permission).map_or(&[], Vec::as_slice)
    }

    fn named(names: BTreeMap<Permission, Vec<String>>) -> Self {
        Self { names, follows: BTreeMap::new(), dependencies: Vec::new() }
    }
}

impl From<BTreeMap<Permission, Vec<String>>> for Permissions {
    fn from(names: BTreeMap<Permission, Vec<String>>) -> Self {
        Self::named(names)
    }
}

impl<const N: usize> From<[(Permission, &[&str]); N]> for Permissions {
    fn from(entries: [(Permission, &[&str]); N]) -> Self {
        let owned = |names: &[&str]| names.iter().copied().map(str::to_owned).collect();
        Self::named(entries.map(|(key, names)| (key, owned(names))).into())
    }
}

/// Can this be named under this permission, by a manifest whose `[config]` has these keys?
pub fn check_entry(permission: Permission, text: &str, config: &[&str]) -> Result<(), Fault> {
    follow::check(permission, text, config).unwrap_or_else(|| check_name(permission, text))
}

/// Can a secret be sent there, by a manifest whose `[config]` has these keys?
pub fn check_host_entry(text: &str, config: &[&str]) -> Result<(), Fault> {
    follow::check(Permission::Http, text, config).unwrap_or_else(|| check_host(text))
}

/// Can this be named under this permission?
pub fn check_name(permission: Permission, text: &str) -> Result<(), Fault> {
    match permission {
        Permission::Http if text == PUBLIC => Ok(()),
        Permission::Http => check_host(text),
        permission if permission.is_path() => path(text),
        Permission::Postgres => connection(text),
        Permission::Calls => callable(text),
        _ => Ok(()),
    }
}

/// A connection string may hold a password, and whoever runs the server decides where a name leads.
fn connection(text: &str) -> Result<(), Fault> {
    if !is_connection_string(text) {
        return Ok(());
    }
    Err(Fault::new("a connection is granted by its name")
        .help("put the connection string into larkspur.toml as [postgres.NAME], and NAME here"))
}

/// A URL or `key=value` pairs, which no name of a connection can be taken for; nor can anything
/// with an `@`, before which a password may stand.
pub fn is_connection_string(text: &str) -> bool {
    text.contains("://") || text.contains(['=', '@'])
}

/// Is it `module.tool`, or `module.*` for all tools of a module?
fn callable(text: &str) -> Result<(), Fault> {
    let (module, tool) = text.split_once('.').unwrap_or((text, ""));
    let is_tool = tool == "*" || tool.parse::<ToolName>().is_ok();
    if module.parse::<ModuleName>().is_ok() && is_tool {
        return Ok(());
    }
    Err(Fault::new(format!("`{text}` is not a tool"))
        .help("write `files.read`, or `files.*` for all tools of module `files`"))
}

/// Links and `..` are followed before a path is judged, so that such a pattern would match nothing.
fn path(text: &str) -> Result<(), Fault> {
    if text.split('/').all(|part| part != ".." && part != ".") {
        return Ok(());
    }
    Err(Fault::new(format!("`{text}` has `.` or `..` in it"))
        .help("write a path below the module's folder, or a whole one that begins with `/`"))
}

/// Is it `host`, `*.host` or `host:port`?
pub fn check_host(text: &str) -> Result<(), Fault> {
    if is_host(text) {
        return Ok(());
    }
    let bare = text.split_once("://").map_or(text, |(_, rest)| rest);
    let bare = bare.split(['/', '?', '#']).next().unwrap_or_default();
    let bare = bare.rsplit('@').next().unwrap_or_default();
    let help = if is_host(bare) {
        format!("write `{bare}`")
    } else {
        "write `example.org`, `*.example.org` or `example.org:8080`".to_owned()
    };
    Err(Fault::new(format!("`{text}` is not a host")).help(help))
}

fn is_host(text: &str) -> bool {
    let text = text.strip_prefix("*.").unwrap_or(text);
    if let Some((address, rest)) = text.strip_prefix('[').and_then(|t| t.split_once(']')) {
        let port = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
        return address.parse::<std::net::Ipv6Addr>().is_ok() && port;
    }
    let (name, port) = text.split_once(':').unwrap_or((text, "80"));
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    let mut labels = name.split('.');
    is_port(port) && labels.all(|label| !label.is_empty() && label.bytes().all(plain))
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port > 0)
}
