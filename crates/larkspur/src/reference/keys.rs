//! The keys of `module.toml` and `larkspur.toml`, a table of Markdown for each of theirs.

use super::made;
use settings::{CONFIG_WORDS, Key, MANIFEST, PROJECT, Section};

/// Where a section is explained.
const MORE: [(&str, &str); 15] = [
    ("permissions", "[What a module may do](permissions.md)"),
    ("secrets.NAME", "[Keep secrets](secrets.md)"),
    ("config.KEY", "[Configuration](configuration.md#what-wins)"),
    ("server", "[Run it behind a proxy](howto-proxy.md)"),
    ("server", "[Many tools, few tokens](tokens.md)"),
    ("limits", "[Limits](limits.md)"),
    ("auth", "[Who may use what](access.md)"),
    ("auth.issuer.NAME", "[Who may use what](access.md)"),
    ("role.NAME", "[Who may use what](access.md)"),
    ("scope.NAME", "[Who may use what](access.md)"),
    ("vault", "[Keep secrets](secrets.md#the-key)"),
    ("audit", "[Who called what](audit.md)"),
    ("module.NAME", "[Limits](limits.md#shares)"),
    ("module.NAME.grant", "[What a module may do](permissions.md)"),
    ("postgres.NAME", "[Work with a database](howto-database.md)"),
];

pub(super) fn manifest() -> String {
    sections(&MANIFEST)
}

pub(super) fn project() -> String {
    sections(&PROJECT)
}

fn sections(sections: &[Section]) -> String {
    let texts: Vec<String> = sections.iter().map(section).collect();
    texts.join("\n")
}

fn section(section: &Section) -> String {
    let heading = match section.name.as_str() {
        "" => "Above all tables".to_owned(),
        name => format!("`[{name}]`"),
    };
    let rows: Vec<Vec<String>> = section.keys.iter().map(row).collect();
    let table = made::table(&["key", "kind", "default", "example", "what it says"], &rows);
    let words = match section.name.as_str() {
        "config.KEY" => format!("\nThese words of JSON Schema are taken: {}.\n", words()),
        _ => String::new(),
    };
    format!("## {heading}\n\n{}\n\n{table}{words}{}", section.about, more(&section.name))
}

fn row(key: &Key) -> Vec<String> {
    let code = |value: &Option<String>| value.as_ref().map(|value| format!("`{value}`"));
    let default =
        if key.is_required { Some("has to be there".to_owned()) } else { code(&key.default) };
    let example = code(&key.example).unwrap_or_else(|| match key.default {
        Some(_) => String::new(),
        None => "below".to_owned(),
    });
    let name = format!("`{}`", key.name);
    vec![name, key.kind.clone(), default.unwrap_or_default(), example, key.about.clone()]
}

fn words() -> String {
    let words: Vec<String> = CONFIG_WORDS.split(' ').map(|w| format!("`{w}`")).collect();
    words.join(", ")
}

fn more(section: &str) -> String {
    let links = MORE.iter().filter(|(name, _)| *name == section);
    let links: Vec<&str> = links.map(|(_, link)| *link).collect();
    match links.as_slice() {
        [] => String::new(),
        links => format!("\nMore: {}.\n", links.join(", ")),
    }
}
