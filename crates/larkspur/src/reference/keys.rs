//! The keys of `module.toml` and `larkspur.toml`, a table of Markdown for each of theirs.

use super::made;
use settings::{CONFIG_WORDS, Key, Kind, MANIFEST, PROJECT, Said, Section};

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
    let heading = match section.name {
        "" => "Above all tables".to_owned(),
        name => format!("`[{name}]`"),
    };
    let rows: Vec<Vec<String>> = section.keys.iter().map(row).collect();
    let table = made::table(&["key", "kind", "default", "example", "what it says"], &rows);
    let words = match section.name {
        "config.KEY" => format!("\nThese words of JSON Schema are taken: {}.\n", words()),
        _ => String::new(),
    };
    format!("## {heading}\n\n{}\n\n{table}{words}{}", section.about, more(section.name))
}

fn row(key: &Key) -> Vec<String> {
    let value = key.value().map(|value| format!("`{value}`"));
    let value = value.unwrap_or_default();
    let (default, example) = match key.said {
        Said::Must(_) => ("has to be there".to_owned(), value),
        Said::Default(_) => (value, String::new()),
        Said::May(_) => (String::new(), value),
        Said::Below => (String::new(), "below".to_owned()),
    };
    let (name, about) = (format!("`{}`", key.name), key.about.to_owned());
    vec![name, kind(key.kind), default, example, about]
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Texts => "list of texts".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Bool => "true or false".to_owned(),
        Kind::Time => "time".to_owned(),
        Kind::Size => "size".to_owned(),
        Kind::Rate => "rate".to_owned(),
        Kind::Table => "table".to_owned(),
        Kind::OneOf(words) => format!("`\"{}\"`", words.join("\"`, `\"")),
        Kind::Other(words) => words.to_owned(),
    }
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
