//! The reference as pages of the book, in Markdown.

use script::{Entry, Library, LibraryKind};
use std::fmt::Write;

/// Stands on every page that is made.
const MADE: &str = "<!-- Made from the code by `larkspur doc --book book`. -->";

/// Each page's file name and text: one a library, one that lists them. What values of Starlark's
/// own types can do, and its own functions, are its specification's to tell, and the terminal's.
pub(crate) fn pages(libraries: &[Library]) -> Vec<(String, String)> {
    let shown = || libraries.iter().filter(|library| has_page(library));
    let pages = shown().map(|library| (file(library), page(library)));
    let mut pages: Vec<(String, String)> = pages.collect();
    pages.push(("index.md".to_owned(), index(&shown().collect::<Vec<_>>())));
    pages
}

fn has_page(library: &Library) -> bool {
    library.kind != LibraryKind::Type && library.name != "builtins" && library.name != "typing"
}

fn file(library: &Library) -> String {
    format!("{}.md", library.name.replace('.', "-"))
}

fn index(libraries: &[&Library]) -> String {
    let mut text = format!("{MADE}\n\n# Libraries\n\n");
    text += "Every script finds these in place; nothing is imported. In a terminal, `larkspur doc` \
             shows the same, and Starlark's own functions and types as well.\n\n";
    text += "| library | what it is for |\n|---|---|\n";
    for library in libraries {
        let (name, file, about) = (&library.name, file(library), &library.about);
        let _ = writeln!(text, "| [`{name}`]({file}) | {about} |");
    }
    text
}

fn page(library: &Library) -> String {
    let (name, about) = (&library.name, &library.about);
    let mut text = format!("{MADE}\n\n# {name}\n\n{about}\n");
    for entry in &library.entries {
        text += &section(entry);
    }
    text
}

fn section(entry: &Entry) -> String {
    let (name, signature) = (&entry.name, &entry.signature);
    let mut text = format!("\n## {name}\n\n```python signature\n{signature}\n```\n");
    for part in [&entry.summary, &entry.details, &entry.examples] {
        if !part.is_empty() {
            let part = part.replace("```python\n", "```python example\n");
            let _ = write!(text, "\n{part}\n");
        }
    }
    text
}
