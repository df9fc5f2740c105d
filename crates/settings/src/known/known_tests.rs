//! What is described is what is read: a reader panics in tests when it asks for a key that its
//! section lacks, or does not ask for one that is there.

use super::*;
use crate::{Manifest, Project};
use model::Fault;

/// A file with this line in its table, and what it cannot do without.
fn parse(sections: &[Section], section: &Section, line: &str) -> Result<(), Fault> {
    let (own, _) = line.split_once(' ').unwrap();
    let text = match section.name {
        "" => format!("{}{line}\n", must(section, own)),
        _ => format!(
            "{}[{}]\n{}{line}\n",
            must(&sections[0], ""),
            section.example,
            must(section, own)
        ),
    };
    if sections.len() == MANIFEST.len() {
        return Manifest::parse("module.toml", &text, "0.1.0").map(drop);
    }
    let shared =
        if section.name == ISSUER.name { "auth.algorithms = ['RS256', 'HS256']\n" } else { "" };
    Project::parse("larkspur.toml", &format!("{shared}{text}")).map(drop)
}

/// Lines for what has to be in a section, but for one that is there.
fn must(section: &Section, given: &str) -> String {
    let keys = section.keys.iter();
    let keys = keys.filter(|key| matches!(key.said, Said::Must(_)) && key.name != given);
    let lines = keys.map(|key| format!("{} = {}\n", key.name, key.value().unwrap()));
    lines.collect::<Vec<_>>().concat()
}

fn each(check: impl Fn(&[Section], &Section, &Key)) {
    for sections in [&PROJECT[..], &MANIFEST[..]] {
        for section in sections {
            for key in section.keys {
                check(sections, section, key);
            }
        }
    }
}

#[test]
fn every_example_can_be_read() {
    each(|sections, section, key| {
        if let Some(value) = key.value() {
            let line = format!("{} = {value}", key.name);
            parse(sections, section, &line).unwrap_or_else(|fault| panic!("{fault}"));
        }
    });
}

#[test]
fn what_is_of_another_kind_is_refused() {
    each(|sections, section, key| {
        let wrong = match key.kind {
            Kind::Text | Kind::Table => "1",
            Kind::Other(_) => return,
            _ => "'nonsense'",
        };
        let read = parse(sections, section, &format!("{} = {wrong}", key.name));
        assert!(read.is_err(), "{}.{} = {wrong}", section.name, key.name);
    });
}

#[test]
fn every_word_there_is_can_be_said() {
    each(|sections, section, key| {
        let Kind::OneOf(words) = key.kind else {
            return;
        };
        for word in words {
            let line = format!("{} = '{word}'", key.name);
            parse(sections, section, &line).unwrap_or_else(|fault| panic!("{fault}"));
        }
    });
}

#[test]
fn what_is_described_below_is() {
    each(|sections, section, key| {
        let dot = if section.name.is_empty() { "" } else { "." };
        let name = format!("{}{dot}{}", section.name, key.name);
        let named = [name.clone(), format!("{name}.NAME"), format!("{name}.KEY")];
        let mut all = sections.iter();
        let is_there = all.any(|section| named.contains(&section.name.to_owned()));
        assert_eq!(key.said == Said::Below, is_there, "{name}");
    });
}

#[test]
fn the_defaults_of_a_manifest_hold() {
    let text = "name = 'a'\nversion = '0.1.0'\ndescription = 'b'\n";
    let text = format!("{text}config.x = {{}}\n");
    let manifest = Manifest::parse("module.toml", &text, "0.1.0").unwrap();
    for section in &MANIFEST {
        for key in section.keys {
            let Said::Default(said) = key.said else {
                continue;
            };
            let holds = match key.name {
                "entry" => manifest.entry.clone(),
                "required" => manifest.config.keys()[0].required.to_string(),
                other => panic!("nobody knows the default of `{other}`"),
            };
            assert_eq!(said, holds, "{}", key.name);
        }
    }
}
