//! Permissions that follow the configuration: `{config.base_url}` is whatever the operator has set, so
//! that a module can be led to another server, or to somebody's own folders, without a new manifest.

use super::Permission;
use super::permissions::{check_host, check_name};
use crate::{Fault, did_you_mean};
use serde_json::{Map, Value};
use url::Url;

const BEGIN: &str = "{config.";

/// The key that an entry follows, and what comes after it.
fn followed(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(BEGIN)?.split_once('}')
}

/// The keys that these entries follow, each once.
pub(super) fn keys(names: &[String]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for (key, _) in names.iter().filter_map(|name| followed(name)) {
        if !keys.iter().any(|known| known == key) {
            keys.push(key.to_owned());
        }
    }
    keys
}

/// Does this entry try to follow the configuration?
pub(super) fn follows(text: &str) -> bool {
    text.starts_with(BEGIN)
}

/// Can this entry follow the configuration? `None` if it does not try to.
pub(super) fn check(
    permission: Permission,
    text: &str,
    config: &[&str],
) -> Option<Result<(), Fault>> {
    follows(text).then(|| check_follower(permission, text, config))
}

fn check_follower(permission: Permission, text: &str, config: &[&str]) -> Result<(), Fault> {
    let Some((key, rest)) = followed(text) else {
        return Err(Fault::new(format!("`{text}` has no `}}`")).help("write `{config.KEY}`"));
    };
    if !config.contains(&key) {
        let help = match did_you_mean(key, config.iter().copied()) {
            Some(near) => format!("did you mean `{{config.{near}}}`?"),
            None => format!("add {key} = {{ type = \"string\" }} to [config]"),
        };
        return Err(Fault::new(format!("[config] has no `{key}`")).help(help));
    }
    match permission {
        Permission::Calls => Err(Fault::new("calls cannot follow the configuration")
            .help("write `module.tool`, or `module.*`")),
        Permission::Env => Err(Fault::new("variables cannot follow the configuration")
            .help("write their names, or a part of them and `*`")),
        permission if permission.is_path() && (rest.is_empty() || rest.starts_with('/')) => Ok(()),
        _ if rest.is_empty() => Ok(()),
        _ => {
            let fault = Fault::new(format!("`{rest}` cannot come after `{{config.{key}}}`"));
            Err(fault.help(format!("write `{{config.{key}}}` alone")))
        }
    }
}

/// Each entry, or what it follows.
pub fn follow_config(
    permission: Permission,
    names: &[String],
    config: &Map<String, Value>,
) -> Result<Vec<String>, Fault> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let Some((key, rest)) = followed(name) else {
            found.push(name.clone());
            continue;
        };
        for value in texts(config.get(key)) {
            let one = entry(permission, value, rest);
            check_name(permission, &one).map_err(|fault| about(&fault, permission, key))?;
            found.push(one);
        }
    }
    Ok(found)
}

fn about(fault: &Fault, permission: Permission, key: &str) -> Fault {
    let fault = Fault::new(format!("config `{key}`: {}", fault.message));
    match permission {
        Permission::Http => fault.help("set it to a URL such as `https://api.example.org`"),
        _ => fault.help("set it to another value in larkspur.toml"),
    }
}

/// A text, or the texts of a list; what is empty names nothing.
fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let list = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts = value.into_iter().chain(list).filter_map(Value::as_str);
    texts.filter(|text| !text.is_empty())
}

fn entry(permission: Permission, value: &str, rest: &str) -> String {
    match permission {
        Permission::Http => site(value).unwrap_or_else(|| value.to_owned()),
        permission if permission.is_path() => match value.trim_end_matches('/') {
            // The whole disk.
            "" => format!("{}{rest}", if rest.is_empty() { "/" } else { "" }),
            folder => format!("{folder}{rest}"),
        },
        _ => value.to_owned(),
    }
}

/// Whom a URL leads to. Whoever writes `http:` means its port, and that it goes without encryption.
fn site(value: &str) -> Option<String> {
    let url = Url::parse(value).ok().filter(Url::has_host)?;
    let name = url.host_str()?;
    let port = match url.scheme() {
        "http" => url.port_or_known_default(),
        _ => url.port(),
    };
    let site = port.map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
    check_host(&site).is_ok().then_some(site)
}
