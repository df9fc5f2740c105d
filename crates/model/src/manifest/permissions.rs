//! What a module may reach, as its manifest names it: nothing else is allowed.

use crate::document::{Item, Table};
use crate::{Fault, Permission, is_connection_string};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// `host`, `*.host` or `host:port`.
    pub http: Vec<String>,
    pub exec: Vec<String>,
    pub env: Vec<String>,
    pub sqlite: Vec<String>,
    pub sqlite_write: Vec<String>,
    /// Connections by name.
    pub postgres: Vec<String>,
    pub files: Vec<String>,
    pub files_write: Vec<String>,
}

/// A secret the module asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecretSpec {
    pub description: Option<String>,
    /// Where it may be sent.
    pub hosts: Vec<String>,
}

impl Permissions {
    pub(super) fn read(mut table: Table<'_>) -> Self {
        let mut get = |permission: Permission| {
            let items = table.list(permission.key());
            names(&items, |text| check_name(permission, text))
        };
        let permissions = Self {
            http: get(Permission::Http),
            exec: get(Permission::Exec),
            env: get(Permission::Env),
            sqlite: get(Permission::Sqlite),
            sqlite_write: get(Permission::SqliteWrite),
            postgres: get(Permission::Postgres),
            files: get(Permission::Files),
            files_write: get(Permission::FilesWrite),
        };
        table.finish();
        permissions
    }

    pub fn get(&self, permission: Permission) -> &[String] {
        match permission {
            Permission::Http => &self.http,
            Permission::Exec => &self.exec,
            Permission::Env => &self.env,
            Permission::Sqlite => &self.sqlite,
            Permission::SqliteWrite => &self.sqlite_write,
            Permission::Postgres => &self.postgres,
            Permission::Files => &self.files,
            Permission::FilesWrite => &self.files_write,
        }
    }
}

/// The texts of a list, each found right.
pub(crate) fn names(items: &[Item<'_>], check: impl Fn(&str) -> Result<(), Fault>) -> Vec<String> {
    let texts = items.iter().filter_map(|item| {
        let text = item.text()?;
        check(text).map_err(|fault| item.report(fault)).ok()?;
        Some(text.to_owned())
    });
    texts.collect()
}

/// Can this be named under this permission?
pub(crate) fn check_name(permission: Permission, text: &str) -> Result<(), Fault> {
    match permission {
        Permission::Http => host(text),
        Permission::Sqlite
        | Permission::SqliteWrite
        | Permission::Files
        | Permission::FilesWrite => path(text),
        Permission::Postgres => connection(text),
        Permission::Exec | Permission::Env => Ok(()),
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

/// Links and `..` are followed before a path is judged, so that such a pattern would match nothing.
fn path(text: &str) -> Result<(), Fault> {
    if text.split('/').all(|part| part != ".." && part != ".") {
        return Ok(());
    }
    Err(Fault::new(format!("`{text}` has `.` or `..` in it"))
        .help("write a path below the module's folder, or a whole one that begins with `/`"))
}

pub(super) fn secrets(table: Table<'_>) -> BTreeMap<String, SecretSpec> {
    let entries = table.into_entries();
    let named = |item: &Item<'_>| Some((item.key().to_owned(), secret(item.table()?)));
    entries.iter().filter_map(named).collect()
}

fn secret(mut table: Table<'_>) -> SecretSpec {
    let secret = SecretSpec {
        description: table.string("description"),
        hosts: names(&table.list("hosts"), host),
    };
    table.finish();
    secret
}

/// Is it `host`, `*.host` or `host:port`?
pub(super) fn host(text: &str) -> Result<(), Fault> {
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
