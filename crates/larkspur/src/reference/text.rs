//! The reference as a terminal shows it.

use crate::terminal::{DIM, STRONG, styled};
use script::{Entry, Library, LibraryKind};

/// All libraries, a line each.
pub(crate) fn overview(libraries: &[Library]) -> String {
    let width = libraries.iter().map(|l| l.name.len()).max().unwrap_or(0);
    let headings = [
        (LibraryKind::Library, "Libraries"),
        (LibraryKind::Functions, "Functions without a library"),
        (LibraryKind::Type, "Types"),
    ];
    let part = |(kind, heading): (LibraryKind, &str)| {
        let of = libraries.iter().filter(|library| library.kind == kind);
        let lines = of.map(|library| {
            let name = styled(STRONG, &library.name);
            let gap = " ".repeat(width - library.name.len());
            format!("  {name}{gap}  {}", library.about)
        });
        let lines: Vec<String> = lines.collect();
        format!("{}\n{}", styled(DIM, heading), lines.join("\n"))
    };
    headings.map(part).join("\n\n")
}

/// A library's functions, each with its signature and what it does.
pub(crate) fn library(library: &Library) -> String {
    let heading = format!("{}  {}", styled(STRONG, &library.name), library.about);
    let lines = library.entries.iter().map(|entry| {
        let signature = signature(entry);
        match first_line(&entry.summary) {
            "" => format!("\n{signature}"),
            line => format!("\n{signature}\n    {line}"),
        }
    });
    let lines: Vec<String> = lines.collect();
    format!("{heading}\n{}", lines.join("\n"))
}

/// All of a function.
pub(crate) fn entry(entry: &Entry) -> String {
    let examples = plain(&entry.examples);
    let examples = match examples.as_str() {
        "" => String::new(),
        examples => format!("{}\n{}", styled(DIM, "Examples"), indented(examples)),
    };
    let details = plain(&entry.details);
    let parts = [signature(entry), entry.summary.clone(), details, examples];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

fn signature(entry: &Entry) -> String {
    let rest = entry.signature.strip_prefix(&entry.name);
    let rest = rest.unwrap_or_default();
    format!("{}{rest}", styled(STRONG, &entry.name))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Without the fences, which are for Markdown.
fn plain(markdown: &str) -> String {
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("    {line}"));
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}
