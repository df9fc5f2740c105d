//! Who may know whom: the allowed arrows between our crates, and out to foreign ones.

use anyhow::Result;

use crate::bans;
use crate::workspace::{Package, Workspace};

/// Each of our crates with those of ours it may use. A new arrow is a new word here.
pub(crate) const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("settings", &["model"]),
    // A result in few tokens; `search` reads tools.
    ("compact", &["model"]),
    // The `format` and `select` of a task are those of a compact result.
    ("plan", &["compact", "model"]),
    // A throwaway server for tests, and nothing of the product.
    ("cluster", &[]),
    // The same, of services that modules ask.
    ("standins", &[]),
    ("clients", &[]),
    // The library `toml` of scripts reads TOML as settings are read.
    ("script", &["compact", "model", "settings"]),
    // What the operating system enforces; the only crate with `unsafe` code.
    ("sandbox", &[]),
    ("outside", &["model", "settings", "sandbox", "cluster"]),
    ("store", &["model"]),
    ("vault", &["model", "store"]),
    ("runtime", &["compact", "model", "plan", "settings", "sandbox", "script", "vault", "store"]),
    ("server", &["compact", "model", "runtime", "settings"]),
    ("testing", &["compact", "model", "runtime", "script"]),
    ("check", &["compact", "model", "runtime", "script", "settings", "testing"]),
    ("lsp", &["check", "model", "runtime", "script", "settings"]),
    (
        "larkspur",
        &[
            "model", "settings", "compact", "plan", "sandbox", "script", "outside", "store",
            "vault", "runtime", "server", "testing", "check", "cluster", "standins", "clients",
            "lsp",
        ],
    ),
    ("xtask", &["standins"]),
    // The server that the bench measures larkspur beside: nothing of ours.
    ("minimal", &[]),
    ("bench", &["standins", "xtask"]),
    ("agents", &["xtask"]),
];

/// Foreign crates whose vocabulary has a room of its own; `deny.toml` says the same.
pub(crate) const ROOMS: &[(&str, &[&str])] = &[
    ("anyhow", &["agents", "bench", "larkspur", "minimal", "script", "xtask"]),
    ("argon2", &["vault"]),
    ("axum", &["server"]),
    ("bpe-openai", &["bench", "compact", "xtask"]),
    ("chacha20poly1305", &["vault"]),
    ("clap", &["larkspur"]),
    ("clap_complete", &["larkspur"]),
    ("clap_mangen", &["larkspur"]),
    ("hmac", &["outside", "script", "vault"]),
    ("hyper", &["agents", "minimal", "server"]),
    ("jsonc-parser", &["clients"]),
    ("jsonschema", &["model", "settings"]),
    ("jsonwebtoken", &["server"]),
    ("keyring", &["vault"]),
    ("lsp-types", &["lsp"]),
    ("md-5", &["outside", "script", "vault"]),
    ("notify", &["runtime"]),
    ("reqwest", &["outside"]),
    // `larkspur` decodes replies with its types, in tests alone.
    ("rmcp", &["larkspur", "minimal", "server"]),
    // The vault's tests look at the file behind the store's back.
    ("rusqlite", &["bench", "outside", "store", "vault"]),
    // Descriptions of what settings read.
    ("schemars", &["settings"]),
    ("semver", &["settings"]),
    ("sha1", &["outside", "script", "vault"]),
    ("sha2", &["outside", "script", "vault"]),
    ("starlark", &["script"]),
    ("starlark_syntax", &["script"]),
    ("tokio-postgres", &["outside"]),
    ("toml", &["settings"]),
    ("toml_edit", &["check", "clients"]),
    ("toon-format", &["compact"]),
    ("tracing-subscriber", &["larkspur"]),
];

/// Foreign crates that anyone may use but these.
const BARRED: &[(&str, &[&str])] = &[
    ("tokio", &["compact", "model", "plan", "script", "settings"]),
    ("tokio-util", &["compact", "model", "plan", "script", "settings"]),
];

pub(crate) fn problems(workspace: &Workspace) -> Result<Vec<String>> {
    let mut problems = arrows(&workspace.packages);
    problems.extend(bans::problems(&std::fs::read_to_string(workspace.root.join("deny.toml"))?));
    Ok(problems)
}

fn arrows(packages: &[Package]) -> Vec<String> {
    packages.iter().flat_map(arrows_of).collect()
}

fn arrows_of(package: &Package) -> Vec<String> {
    let from = package.name.as_str();
    if find(ARROWS, from).is_none() {
        return vec![format!("crate `{from}` is not in ARROWS of crates/xtask/src/layers.rs")];
    }
    package.dependencies.iter().filter_map(|to| wrong(from, &to.name)).collect()
}

/// Why `from` may not use `to`, if so.
fn wrong(from: &str, to: &str) -> Option<String> {
    let ours = find(ARROWS, to).is_some();
    if ours && !find(ARROWS, from)?.contains(&to) {
        return Some(format!("wrong arrow: `{from}` → `{to}`"));
    }
    if let Some(rooms) = find(ROOMS, to).filter(|rooms| !rooms.contains(&from)) {
        return Some(format!("wrong arrow: `{from}` → `{to}`, which only {rooms:?} may use"));
    }
    if find(BARRED, to).is_some_and(|barred| barred.contains(&from)) {
        return Some(format!("wrong arrow: `{from}` → `{to}`, which `{from}` does without"));
    }
    None
}

fn find<'t>(table: &[(&str, &'t [&'t str])], name: &str) -> Option<&'t [&'t str]> {
    table.iter().find(|(key, _)| *key == name).map(|(_, row)| *row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::package;

    fn check(from: &str, to: &[&str], expected: &[&str]) {
        assert_eq!(arrows(&[package(from, to)]), expected);
    }

    #[test]
    fn our_crates_keep_to_the_table() {
        let problems = problems(&Workspace::read().unwrap()).unwrap();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn what_the_table_allows_passes() {
        check("vault", &["model", "store", "serde", "tokio", "argon2"], &[]);
        check("script", &["model", "starlark", "anyhow", "expect-test"], &[]);
    }

    #[test]
    fn a_wrong_arrow_between_our_crates_is_named() {
        check("model", &["script"], &["wrong arrow: `model` → `script`"]);
        check("runtime", &["model", "outside"], &["wrong arrow: `runtime` → `outside`"]);
        check("xtask", &["model"], &["wrong arrow: `xtask` → `model`"]);
    }

    #[test]
    fn a_foreign_crate_outside_its_room_is_named() {
        let expected = r#"wrong arrow: `runtime` → `rmcp`, which only ["larkspur", "minimal", "server"] may use"#;
        check("runtime", &["rmcp"], &[expected]);
    }

    #[test]
    fn the_pure_crates_are_not_async() {
        let expected = "wrong arrow: `script` → `tokio`, which `script` does without";
        check("script", &["tokio"], &[expected]);
    }

    #[test]
    fn a_crate_that_nobody_wrote_down_is_named() {
        check("cache", &[], &["crate `cache` is not in ARROWS of crates/xtask/src/layers.rs"]);
    }
}
