//! Completion, hover and definition at a position of an open file.

use crate::cursor::{is_in_text, name_at, typed};
use crate::document::{self, Document};
use crate::folders::{UnsavedTexts, find_loaded};
use crate::position::{locate, range};
use lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, Hover, HoverContents, Location,
    MarkupContent, MarkupKind, Position, Range, Uri,
};
use script::{Definition, Entry, Library, LibraryKind, SourceFacts};
use settings::{Key, MANIFEST};
use std::path::PathBuf;

/// An open file, and what its names may mean.
pub(crate) struct Files<'a> {
    pub(crate) document: &'a Document,
    pub(crate) libraries: &'a [Library],
    pub(crate) folders: &'a [PathBuf],
    pub(crate) unsaved: &'a UnsavedTexts,
}

impl Files<'_> {
    /// Names that fit what was typed.
    pub(crate) fn completion(&self, position: Position) -> Vec<CompletionItem> {
        let Some((line, byte)) = locate(&self.document.text, position) else {
            return Vec::new();
        };
        if is_in_text(line, byte) {
            return Vec::new();
        }
        let (library, begun) = typed(line, byte);
        let mut items = match library {
            Some(library) => members(library, self.libraries),
            None => {
                let keys = permission_keys(&text_before(&self.document.text, position.line, byte));
                let names = own_names(self.document).chain(globals(self.libraries));
                keys.into_iter().chain(names).collect()
            }
        };
        items.retain(|item| item.label.starts_with(begun));
        items
    }

    /// What is known of the name under the cursor.
    pub(crate) fn hover(&self, position: Position) -> Option<Hover> {
        let (line, byte) = locate(&self.document.text, position)?;
        let (name, _) = name_at(line, byte).filter(|_| !is_in_text(line, byte))?;
        let own = self.definition_of(name).map(|found| about_named(&found.named));
        let text = own.or_else(|| about(name, self.libraries))?;
        Some(Hover { contents: HoverContents::Markup(markdown(text)), range: None })
    }

    /// Where the name under the cursor is defined: in this file, or in the one it is loaded from.
    pub(crate) fn definition(&self, position: Position) -> Option<Location> {
        let (line, byte) = locate(&self.document.text, position)?;
        let loaded = self.loaded_at(line, byte, position).and_then(|target| {
            let (file, _) = self.find(target)?;
            Some(Location::new(document::uri(&file)?, Range::default()))
        });
        loaded.or_else(|| {
            let (name, _) = name_at(line, byte)?;
            let found = self.definition_of(name)?;
            Some(Location::new(found.uri, range(&found.named.place)))
        })
    }

    /// The path of the `load` that the cursor is on.
    fn loaded_at(&self, line: &str, byte: usize, position: Position) -> Option<&str> {
        let row = position.line as usize + 1;
        let column = line[..byte].chars().count() + 1;
        let mut loads = self.document.facts.loads.iter();
        let load = loads.find(|load| {
            let place = &load.place;
            place.line == row && (place.column..=place.column + place.width).contains(&column)
        });
        load.map(|load| load.target.as_str())
    }

    fn find(&self, target: &str) -> Option<(PathBuf, String)> {
        let from = document::path(&self.document.uri)?;
        find_loaded(self.folders, self.unsaved, &from, target)
    }

    fn definition_of(&self, name: &str) -> Option<FileDefinition> {
        let facts = &self.document.facts;
        if let Some(named) = find_definition(facts, name) {
            return Some(FileDefinition { uri: self.document.uri.clone(), named });
        }
        let (target, theirs) = facts.loads.iter().find_map(|load| {
            let (_, theirs) = load.names.iter().find(|(own, _)| own == name)?;
            Some((&load.target, theirs))
        })?;
        let (file, text) = self.find(target)?;
        let facts = SourceFacts::read(&file.display().to_string(), &text).ok()?;
        let named = find_definition(&facts, theirs)?;
        Some(FileDefinition { uri: document::uri(&file)?, named })
    }
}

/// A name with the file that defines it.
struct FileDefinition {
    uri: Uri,
    named: Definition,
}

/// The last one counts, as when the file runs.
fn find_definition(facts: &SourceFacts, name: &str) -> Option<Definition> {
    facts.definitions.iter().rev().find(|definition| definition.name == name).cloned()
}

fn text_before(text: &str, row: u32, byte: usize) -> String {
    let start: usize = text.split_inclusive('\n').take(row as usize).map(str::len).sum();
    text.get(..start + byte).unwrap_or_default().to_owned()
}

fn item(label: &str, kind: CompletionItemKind, detail: Option<&str>) -> CompletionItem {
    CompletionItem {
        label: label.to_owned(),
        kind: Some(kind),
        detail: detail.map(str::to_owned),
        ..CompletionItem::default()
    }
}

/// Keys of `permissions(…)`, if the text ends among its arguments.
fn permission_keys(before: &str) -> Vec<CompletionItem> {
    let is_among = before.rsplit_once("permissions(").is_some_and(|(_, inside)| {
        let count = |bracket: char| inside.matches(bracket).count();
        count(')') <= count('(') && count(']') == count('[')
    });
    let section = MANIFEST.iter().find(|section| section.name == "permissions");
    let keys = section.filter(|_| is_among).map_or(&[][..], |section| &section.keys);
    let of_key = |key: &Key| item(&key.name, CompletionItemKind::VARIABLE, Some(&key.about));
    keys.iter().map(of_key).collect()
}

fn members(name: &str, libraries: &[Library]) -> Vec<CompletionItem> {
    // `ctx.log` is `log`, as its own name says.
    let find = |name: &str| libraries.iter().find(|library| is_library(library, name));
    let library = find(name).or_else(|| find(name.strip_prefix("ctx.")?));
    let entries = library.into_iter().flat_map(|library| &library.entries);
    entries.map(entry_item).collect()
}

fn is_library(library: &Library, name: &str) -> bool {
    library.kind == LibraryKind::Library && library.name == name
}

fn globals(libraries: &[Library]) -> impl Iterator<Item = CompletionItem> {
    let named =
        libraries.iter().filter(|l| l.kind == LibraryKind::Library && !l.name.contains('.'));
    let named = named.map(|l| item(&l.name, CompletionItemKind::MODULE, Some(&l.about)));
    let free = libraries.iter().filter(|l| l.kind == LibraryKind::Functions);
    named.chain(free.flat_map(|l| &l.entries).map(entry_item))
}

fn entry_item(entry: &Entry) -> CompletionItem {
    let label = entry.name.rsplit('.').next().unwrap_or_default();
    let documentation = Documentation::MarkupContent(markdown(entry.summary.clone()));
    let item = item(label, kind(entry.is_function()), Some(&entry.signature));
    CompletionItem { documentation: Some(documentation), ..item }
}

fn kind(is_function: bool) -> CompletionItemKind {
    if is_function { CompletionItemKind::FUNCTION } else { CompletionItemKind::VARIABLE }
}

fn own_names(document: &Document) -> impl Iterator<Item = CompletionItem> {
    let names = document.facts.definitions.iter().map(|named| {
        let signature = named.signature.as_deref();
        item(&named.name, kind(signature.is_some()), signature)
    });
    let loads = document.facts.loads.iter().flat_map(|load| {
        let names = load.names.iter();
        names.map(|(own, _)| item(own, CompletionItemKind::FUNCTION, Some(&load.target)))
    });
    names.chain(loads)
}

fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
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

fn about_named(named: &Definition) -> String {
    let written = named.signature.as_ref().unwrap_or(&named.place.excerpt);
    format!("```python\n{written}\n```\n\n{}", named.docs)
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
            let mut labels: Vec<&str> = keys.iter().map(|key| key.label.as_str()).collect();
            let mut all =
                if expected { Permission::ALL.map(Permission::key).to_vec() } else { Vec::new() };
            labels.sort_unstable();
            all.sort_unstable();
            assert_eq!(labels, all, "{before}");
        }
    }
}
