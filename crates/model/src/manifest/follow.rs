//! Permissions that follow the configuration: `{config.base_url}` is whatever the operator has set, so
//! that a module can be led to another server, or to somebody's own folders, without a new manifest.

use super::permissions::{check_name, host};
use crate::config::ConfigSchema;
use crate::{Fault, Permission, did_you_mean};
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
    config: &ConfigSchema,
) -> Option<Result<(), Fault>> {
    follows(text).then(|| check_follower(permission, text, config))
}

fn check_follower(permission: Permission, text: &str, config: &ConfigSchema) -> Result<(), Fault> {
    let Some((key, rest)) = followed(text) else {
        return Err(Fault::new(format!("`{text}` has no `}}`")).help("write `{config.KEY}`"));
    };
    let keys = || config.keys().iter().map(|key| key.name.as_str());
    if !keys().any(|known| known == key) {
        let help = match did_you_mean(key, keys()) {
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
pub(super) fn resolved(
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
    host(&site).is_ok().then_some(site)
}

#[cfg(test)]
mod tests {
    use crate::Manifest;
    use crate::Permission::{Exec, Files, Http, Postgres};
    use serde_json::json;

    const MANIFEST: &str = r#"name = "x"
version = "1.0.0"
description = "d"
[config]
base_url = { type = "string", default = "https://api.example.org/v1" }
folders = { type = "array" }
commands = { type = "array" }
[permissions]
http = ["{config.base_url}", "cdn.example.org"]
exec = ["{config.commands}"]
postgres = ["{config.commands}"]
files = ["{config.folders}/**"]
[secrets]
token = { hosts = ["{config.base_url}"] }
"#;

    fn manifest() -> Manifest {
        Manifest::parse("module.toml", MANIFEST, "0.1.0").unwrap()
    }

    #[test]
    fn entries_follow_what_is_configured() {
        let manifest = manifest();
        let check = |config: serde_json::Value, http: &[&str], files: &[&str], exec: &[&str]| {
            let config = config.as_object().unwrap();
            let under = manifest.permissions.under(config).unwrap();
            assert_eq!(under.get(Http), http, "{config:?}");
            assert_eq!(under.get(Files), files, "{config:?}");
            assert_eq!(under.get(Exec), exec, "{config:?}");
            assert_eq!(under.get(Postgres), exec, "{config:?}");
            let secrets = manifest.secrets_under(config).unwrap();
            assert_eq!(secrets["token"].hosts, http[..http.len() - 1]);
        };
        check(json!({}), &["cdn.example.org"], &[], &[]);
        check(
            json!({"base_url": "https://ghe.example.org/api/v3", "folders": ["/srv/a/", "notes", ""]}),
            &["ghe.example.org", "cdn.example.org"],
            &["/srv/a/**", "notes/**"],
            &[],
        );
        check(
            json!({"base_url": "http://127.0.0.1:8080", "folders": "/", "commands": ["git", "ls"]}),
            &["127.0.0.1:8080", "cdn.example.org"],
            &["/**"],
            &["git", "ls"],
        );
        for (url, site) in [
            ("http://intranet/x", "intranet:80"),
            ("https://[::1]:8443/", "[::1]:8443"),
            ("api.example.org", "api.example.org"),
            ("localhost:9000", "localhost:9000"),
        ] {
            check(json!({"base_url": url}), &[site, "cdn.example.org"], &[], &[]);
        }
    }

    #[test]
    fn a_value_that_names_nobody_is_told() {
        for (config, expected) in [
            (json!({"base_url": "ftp//x y"}), "config `base_url`: `ftp//x y` is not a host"),
            (json!({"folders": ["../up"]}), "config `folders`: `../up/**` has `.` or `..` in it"),
            (
                json!({"commands": ["postgres://u:p@h/d"]}),
                "config `commands`: a connection is granted by its name",
            ),
        ] {
            let fault = manifest().permissions.under(config.as_object().unwrap());
            assert_eq!(fault.unwrap_err().message, expected);
        }
    }

    #[test]
    fn an_entry_that_cannot_follow_is_told() {
        for (line, expected) in [
            ("http = ['{config.base_ur}']", "[config] has no `base_ur`"),
            ("http = ['{config.base_url']", "`{config.base_url` has no `}`"),
            ("http = ['{config.base_url}/x']", "`/x` cannot come after `{config.base_url}`"),
            ("files = ['{config.folders}x']", "`x` cannot come after `{config.folders}`"),
            ("env = ['{config.folders}']", "variables cannot follow the configuration"),
        ] {
            let (before, _) = MANIFEST.split_once("http = ").unwrap();
            let text = format!("{before}{line}");
            let fault = Manifest::parse("module.toml", &text, "0.1.0").unwrap_err();
            assert_eq!(fault.message, expected, "{line}");
        }
    }
}
