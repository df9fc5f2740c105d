//! What can be written here, what a name means, and where it comes from.

use crate::cursor::{is_in_text, name_at, typed};
use crate::document::{self, Document};
use crate::position::{self, locate, range};
use crate::project::Project;
use script::{Entry, Library, LibraryKind, Loaded, Named, outline};
use serde_json::{Value, json};
use settings::{Key, MANIFEST};
use std::path::{Path, PathBuf};

/// Kinds of completions, as the protocol counts them.
const FUNCTION: u8 = 3;
const VARIABLE: u8 = 6;
const MODULE: u8 = 9;

/// Names that fit what was typed.
pub(crate) fn completion(document: &Document, libraries: &[Library], position: &Value) -> Value {
    let Some((line, byte)) = locate(&document.text, position) else {
        return json!([]);
    };
    if is_in_text(line, byte) {
        return json!([]);
    }
    let (library, begun) = typed(line, byte);
    let items = match library {
        Some(library) => members(library, libraries),
        None => {
            let keys = permission_keys(&text_before(&document.text, position, byte));
            let names = own_names(document).chain(globals(libraries));
            keys.into_iter().chain(names).collect()
        }
    };
    let fits = |item: &Value| item["label"].as_str().is_some_and(|name| name.starts_with(begun));
    items.into_iter().filter(fits).collect()
}

fn text_before(text: &str, position: &Value, byte: usize) -> String {
    let row = position["line"].as_u64().unwrap_or_default();
    let lines = text.split_inclusive('\n');
    let lines = lines.take(usize::try_from(row).unwrap_or_default());
    let start: usize = lines.map(str::len).sum();
    text.get(..start + byte).unwrap_or_default().to_owned()
}

/// Keys of `permissions(…)`, if the text ends among its arguments.
fn permission_keys(before: &str) -> Vec<Value> {
    let is_among = before.rsplit_once("permissions(").is_some_and(|(_, inside)| {
        let count = |bracket: char| inside.matches(bracket).count();
        count(')') <= count('(') && count(']') == count('[')
    });
    let section = MANIFEST.iter().find(|section| section.name == "permissions");
    let keys = section.filter(|_| is_among).map_or(&[][..], |section| section.keys);
    let item = |key: &Key| json!({"label": key.name, "kind": VARIABLE, "detail": key.about});
    keys.iter().map(item).collect()
}

fn members(name: &str, libraries: &[Library]) -> Vec<Value> {
    // `ctx.log` is `log`, as its own name says.
    let find = |name: &str| libraries.iter().find(|library| is_library(library, name));
    let library = find(name).or_else(|| find(name.strip_prefix("ctx.")?));
    let entries = library.into_iter().flat_map(|library| &library.entries);
    entries.map(entry_item).collect()
}

fn is_library(library: &Library, name: &str) -> bool {
    library.kind == LibraryKind::Library && library.name == name
}

fn globals(libraries: &[Library]) -> impl Iterator<Item = Value> {
    let named =
        libraries.iter().filter(|l| l.kind == LibraryKind::Library && !l.name.contains('.'));
    let named = named.map(|l| json!({"label": l.name, "kind": MODULE, "detail": l.about}));
    let free = libraries.iter().filter(|l| l.kind == LibraryKind::Functions);
    named.chain(free.flat_map(|l| &l.entries).map(entry_item))
}

fn entry_item(entry: &Entry) -> Value {
    let label = entry.name.rsplit('.').next();
    json!({
        "label": label,
        "kind": if entry.is_function() { FUNCTION } else { VARIABLE },
        "detail": entry.signature,
        "documentation": {"kind": "markdown", "value": entry.summary},
    })
}

fn own_names(document: &Document) -> impl Iterator<Item = Value> {
    let names = document.outline.names.iter().map(|named| {
        let kind = if named.signature.is_some() { FUNCTION } else { VARIABLE };
        json!({"label": named.name, "kind": kind, "detail": named.signature})
    });
    let loads = document.outline.loads.iter().flat_map(|load| {
        let names = load.names.iter();
        names.map(|(own, ..)| json!({"label": own, "kind": FUNCTION, "detail": load.target}))
    });
    names.chain(loads)
}

/// What is known of the name under the cursor.
pub(crate) fn hover(
    document: &Document,
    libraries: &[Library],
    project: &dyn Project,
    position: &Value,
) -> Value {
    let Some((line, byte)) = locate(&document.text, position) else {
        return Value::Null;
    };
    let Some((name, _)) = name_at(line, byte).filter(|_| !is_in_text(line, byte)) else {
        return Value::Null;
    };
    let own = home_of(document, name, project).map(|home| about_named(&home.named));
    let text = own.or_else(|| about(name, libraries));
    text.map_or(Value::Null, |text| json!({"contents": {"kind": "markdown", "value": text}}))
}

fn about(name: &str, libraries: &[Library]) -> Option<String> {
    let mut entries = libraries.iter().flat_map(|library| &library.entries);
    let entry = entries.find(|entry| entry.name == name).map(about_entry);
    let mut all = libraries.iter();
    let library = all.find(|library| is_library(library, name));
    let library = library.map(|library| format!("**{}**: {}", library.name, library.about));
    let parts: Vec<String> = library.into_iter().chain(entry).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n---\n\n"))
}

fn about_entry(entry: &Entry) -> String {
    let signature = format!("```python\n{}\n```", entry.signature);
    let parts = [&signature, &entry.summary, &entry.details, &entry.examples];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.map(String::as_str).collect::<Vec<_>>().join("\n\n")
}

fn about_named(named: &Named) -> String {
    let written = named.signature.as_ref().unwrap_or(&named.place.excerpt);
    format!("```python\n{written}\n```\n\n{}", named.docs)
}

/// Where the name under the cursor is said: in this file, or in the one it is loaded from.
pub(crate) fn definition(document: &Document, project: &dyn Project, position: &Value) -> Value {
    let Some((line, byte)) = locate(&document.text, position) else {
        return Value::Null;
    };
    let found = loaded_at(document, line, byte, position)
        .and_then(|load| beginning_of(document, load, project))
        .or_else(|| {
            let (name, _) = name_at(line, byte)?;
            let home = home_of(document, name, project)?;
            Some(json!({"uri": home.uri, "range": range(&home.text, &home.named.place)}))
        });
    found.unwrap_or(Value::Null)
}

/// The `load` whose path the cursor is on.
fn loaded_at<'d>(
    document: &'d Document,
    line: &str,
    byte: usize,
    position: &Value,
) -> Option<&'d Loaded> {
    let row = usize::try_from(position["line"].as_u64()?).ok()? + 1;
    let column = line[..byte].chars().count() + 1;
    let is_there = |load: &&Loaded| {
        let place = &load.place;
        place.line == row && (place.column..=place.column + place.width).contains(&column)
    };
    document.outline.loads.iter().find(is_there)
}

fn beginning_of(document: &Document, load: &Loaded, project: &dyn Project) -> Option<Value> {
    let file = project.resolve(&document::path(&document.uri)?, &load.target)?;
    Some(json!({"uri": document::uri(&file)?, "range": position::beginning()}))
}

/// A name with the file that says it.
struct Home {
    uri: String,
    text: String,
    named: Named,
}

fn home_of(document: &Document, name: &str, project: &dyn Project) -> Option<Home> {
    if let Some(named) = find(&document.outline.names, name) {
        return Some(Home { uri: document.uri.clone(), text: document.text.clone(), named });
    }
    let mut loads = document.outline.loads.iter();
    let (target, their) = loads.find_map(|load| {
        let mut names = load.names.iter();
        let (_, their, _) = names.find(|(own, ..)| own == name)?;
        Some((&load.target, their))
    })?;
    let from: PathBuf = document::path(&document.uri)?;
    let file = project.resolve(&from, target)?;
    in_file(&file, their, project)
}

fn in_file(file: &Path, name: &str, project: &dyn Project) -> Option<Home> {
    let text = project.read(file)?;
    let outline = outline(&file.display().to_string(), &text).ok()?;
    Some(Home { uri: document::uri(file)?, named: find(&outline.names, name)?, text })
}

/// The last one counts, as when the file runs.
fn find(names: &[Named], name: &str) -> Option<Named> {
    names.iter().rev().find(|named| named.name == name).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Permission;

    #[test]
    fn keys_of_permissions_are_offered_among_its_arguments() {
        for (before, expected) in [
            ("permissions(", true),
            ("permissions(http = [\"a.org\"], e", true),
            ("permissions(\n    http = [\"a.org\"],\n    ", true),
            ("permissions(http = [", false),
            ("permissions(http = [])\nx = ", false),
            ("tool(", false),
        ] {
            let keys = permission_keys(before);
            let labels = keys.iter().filter_map(|key| key["label"].as_str());
            let mut labels: Vec<&str> = labels.collect();
            let mut all =
                if expected { Permission::ALL.map(Permission::key).to_vec() } else { Vec::new() };
            labels.sort_unstable();
            all.sort_unstable();
            assert_eq!(labels, all, "{before}");
        }
    }
}
