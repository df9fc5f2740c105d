//! Permissions that follow the configuration.

use crate::Manifest;
use model::Permission::{Exec, Files, Http, Postgres};
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
