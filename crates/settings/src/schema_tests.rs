//! What is described is what is read: examples and defaults, the files there are, the template.

use super::*;
use crate::{project_template, read_toml};
use std::path::{Path, PathBuf};

/// A file with this line in its table, and what it cannot do without.
fn text(sections: &[Section], section: &Section, line: &str) -> String {
    let own = must(section, line);
    let shared = match section.name.as_str() {
        "" => return format!("{own}{line}\n"),
        "auth.issuer.NAME" => "auth.algorithms = ['RS256', 'HS256']\n",
        _ => "",
    };
    format!("{shared}{}[{}]\n{own}{line}\n", must(&sections[0], ""), section.example)
}

/// Lines for what has to be in a section, but for the one that is there.
fn must(section: &Section, line: &str) -> String {
    let given = line.split(' ').next().unwrap_or_default();
    let keys = section.keys.iter().filter(|key| key.is_required && key.name != given);
    let lines = keys.map(|key| format!("{} = {}\n", key.name, key.value().unwrap()));
    lines.collect::<Vec<_>>().concat()
}

fn parse_project(text: &str) -> Result<Project, String> {
    Project::parse("larkspur.toml", text).map_err(|fault| format!("{fault}"))
}

fn parse_manifest(text: &str) -> Result<Manifest, String> {
    Manifest::parse("module.toml", text, "0.1.0").map_err(|fault| format!("{fault}"))
}

/// Every key of both files that can be set in one line, with a function that reads a text and looks at its schema.
fn each(check: impl Fn(&Key, &dyn Fn(&str) -> [Result<(), String>; 2])) {
    let validators = [project_schema(), manifest_schema()]
        .map(|schema| jsonschema::validator_for(&schema).unwrap());
    for (sections, validator) in [&*PROJECT, &*MANIFEST].into_iter().zip(&validators) {
        for section in sections {
            for key in section.keys.iter().filter(|key| key.value().is_some()) {
                check(key, &|value| {
                    let text = text(sections, section, &format!("{} = {value}", key.name));
                    let read = if sections.len() == PROJECT.len() {
                        parse_project(&text).map(drop)
                    } else {
                        parse_manifest(&text).map(drop)
                    };
                    let json = read_toml(&text).unwrap();
                    let fits = validator.validate(&json);
                    [read, fits.map_err(|error| format!("{text}: {error}"))]
                });
            }
        }
    }
}

#[test]
fn every_example_and_default_can_be_read() {
    each(|key, read| {
        for value in key.example.iter().chain(&key.default) {
            for result in read(value) {
                result.unwrap_or_else(|why| panic!("{}: {why}", key.name));
            }
        }
    });
}

#[test]
fn every_word_there_is_can_be_said() {
    each(|key, read| {
        for word in key.kind.split('`').filter(|word| word.starts_with('"')) {
            for result in read(word) {
                result.unwrap_or_else(|why| panic!("{}: {why}", key.name));
            }
        }
    });
}

#[test]
fn what_is_of_another_kind_is_refused() {
    each(|key, read| {
        let wrong = match key.kind.as_str() {
            "text" | "table" => "1",
            "true or false" | "number" => "'nonsense'",
            "list of texts" => "[1]",
            kind if kind.starts_with('`') => "'nonsense'",
            "size" | "time" | "rate" => "true",
            _ => return,
        };
        for result in read(wrong) {
            assert!(result.is_err(), "{} = {wrong}", key.name);
        }
    });
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads what is shipped")]
fn the_files_there_are_fit_their_schemas() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = [0, 0];
    for (kind, schema) in [manifest_schema(), project_schema()].iter().enumerate() {
        let validator = jsonschema::validator_for(schema).unwrap();
        let name = ["module.toml", "larkspur.toml"][kind];
        for file in
            find(&root.join("modules"), name).into_iter().chain(find(&root.join("examples"), name))
        {
            let json = read_toml(&std::fs::read_to_string(&file).unwrap()).unwrap();
            let fits = validator.validate(&json);
            fits.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            seen[kind] += 1;
        }
        assert!(!validator.is_valid(&json!({"nonsense": 1})));
    }
    assert!(seen[0] > 10 && seen[1] > 0, "{seen:?}");
}

#[expect(clippy::disallowed_methods, reason = "a test reads what is shipped")]
fn find(folder: &Path, name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| if path.is_dir() { find(&path, name) } else { vec![path] });
    found.filter(|path| path.ends_with(name)).collect()
}

#[test]
fn the_template_says_nothing_as_it_stands() {
    let template = project_template();
    let untouched = parse_project(&template).unwrap();
    assert_eq!(untouched.enable, None);
    let is_comment = |line: &str| line.is_empty() || line.starts_with('#');
    assert!(template.lines().all(is_comment));
    assert!(template.lines().all(|line| line.len() <= 100));
}

/// A line whose `#` is followed by no space holds a setting.
#[test]
fn the_template_shows_every_setting() {
    let template = project_template();
    let settings = template.lines().filter_map(|line| line.strip_prefix('#'));
    let settings = settings.filter(|rest| !rest.is_empty() && !rest.starts_with(' '));
    // An issuer has one place for its keys.
    let one = |line: &&str| {
        !["jwks_file", "key_file = \"i", "secret_env"].iter().any(|key| line.starts_with(key))
    };
    let settings: Vec<&str> = settings.filter(one).collect();
    parse_project(&settings.join("\n")).unwrap();
    for key in PROJECT.iter().flat_map(|section| &section.keys).filter(|key| key.value().is_some())
    {
        let shown = format!("\n#{} = ", key.name);
        assert!(template.contains(&shown), "{} is not shown", key.name);
    }
}
