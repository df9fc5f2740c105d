//! No relative path leads out of the repository.
//!
//! A path is resolved from the folder its reader starts in: the crate for Rust strings (tests run
//! there, and `CARGO_MANIFEST_DIR` names it), the root for prose, commands and hidden folders such as
//! `.github`, the file's own folder for `include_str!`, links and everything else. Fixtures may climb
//! as far as a system folder (`etc`), which no repository has beside it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::workspace::Source;

/// Top folders of every machine, the usual targets of path traversal.
const SYSTEM: [&str; 9] = ["bin", "dev", "etc", "proc", "sys", "tmp", "usr", "var", "windows"];

/// Rust syntax whose path is relative to the file.
const RELATIVE_TO_FILE: [&str; 4] = ["include!(", "include_str!(", "include_bytes!(", "#[path ="];

pub(super) fn problems(sources: &[Source]) -> Vec<String> {
    let tree = FileTree::new(sources);
    sources.iter().flat_map(|source| tree.problems_of(source)).collect()
}

/// Files and crates of the repository, by path.
struct FileTree<'s> {
    files: BTreeSet<&'s str>,
    crates: BTreeSet<&'s str>,
}

/// A path in a text, and the text before it.
struct PathMention<'t> {
    before: &'t str,
    path: &'t str,
}

impl<'s> FileTree<'s> {
    fn new(sources: &'s [Source]) -> Self {
        let files: BTreeSet<&str> = sources.iter().map(|source| source.path.as_str()).collect();
        let crates = files.iter().filter_map(|p| p.strip_suffix("/Cargo.toml"));
        Self { crates: crates.collect(), files }
    }

    fn problems_of(&self, source: &Source) -> Vec<String> {
        mentions(&merge_joins(&source.text))
            .filter(|mention| self.escapes(source, mention))
            .map(|mention| {
                let line = mention.before.matches('\n').count() + 1;
                let path = mention.path;
                format!("{}:{line}: `{path}` leads out of the repository", source.path)
            })
            .collect()
    }

    fn escapes(&self, source: &Source, mention: &PathMention) -> bool {
        let Some((variable, path)) = split_variable(mention) else {
            return false;
        };
        let own = folder(&source.path);
        let package = self.package(own);
        let from = match variable {
            Some(name) if is_root(name) => "",
            Some(_) => return false,
            None if source.path.starts_with('.') || is_joined_to_root(mention.before) => "",
            None if is_prose(mention.before) => {
                if self.has(own, path) || self.has(package, path) {
                    return false;
                }
                ""
            }
            None if source.is_rust() && !is_relative_to_file(mention.before) => package,
            None => own,
        };
        match resolve(from, path) {
            ResolvedPath::Inside(_) => false,
            ResolvedPath::Outside(name) => {
                !name.is_empty() && !SYSTEM.contains(&name.to_lowercase().as_str())
            }
        }
    }

    /// The crate that a folder belongs to; the root outside of crates.
    fn package(&self, folder: &str) -> &'s str {
        let around = self.crates.iter().copied();
        let around = around.filter(|package| Path::new(folder).starts_with(package));
        around.max_by_key(|package| package.len()).unwrap_or("")
    }

    /// Whether a path from a folder names something in the repository.
    fn has(&self, folder: &str, path: &str) -> bool {
        let ResolvedPath::Inside(path) = resolve(folder, path) else {
            return false;
        };
        let below = format!("{path}/");
        let mut after = self.files.range(below.as_str()..);
        self.files.contains(path.as_str()) || after.next().is_some_and(|f| f.starts_with(&below))
    }
}

enum ResolvedPath<'p> {
    Inside(String),
    /// The first name after the path has left the repository, empty if none follows.
    Outside(&'p str),
}

/// Writes `.join("..").join("a")` as one path, keeping the number of every later line.
fn merge_joins(text: &str) -> String {
    const JOIN: &str = ".join(\"";
    let mut merged = String::with_capacity(text.len());
    let mut owed = 0;
    for (number, piece) in text.split(JOIN).enumerate() {
        let previous = merged.trim_end().strip_suffix("\")").map(str::len);
        match previous {
            Some(end) if number > 0 => {
                owed += merged[end..].matches('\n').count();
                merged.truncate(end);
                merged.push('/');
            }
            _ if number > 0 => merged.push_str(JOIN),
            _ => {}
        }
        let line = piece.find('\n').unwrap_or(piece.len());
        merged.push_str(&piece[..line]);
        if line < piece.len() {
            merged.push_str(&"\n".repeat(std::mem::take(&mut owed)));
        }
        merged.push_str(&piece[line..]);
    }
    merged
}

/// Finds paths with a `..` in them.
fn mentions(text: &str) -> impl Iterator<Item = PathMention<'_>> {
    let mut seen = 0;
    text.match_indices("../").filter_map(move |(at, _)| {
        if at < seen {
            return None;
        }
        let head = text[seen..at].chars().rev().take_while(|c| is_path(*c));
        let start = at - head.map(char::len_utf8).sum::<usize>();
        let end = text[at..].find(|c| !is_path(c)).map_or(text.len(), |end| at + end);
        seen = end;
        let path = &text[start..end];
        Some(PathMention {
            before: &text[..start],
            // The full stop of a sentence.
            path: path.strip_suffix('.').filter(|p| !p.ends_with('.')).unwrap_or(path),
        })
    })
}

fn is_path(c: char) -> bool {
    c.is_alphanumeric() || "_-./@+%".contains(c)
}

/// The variable that a path starts with, if any, and the rest; `None` for absolute paths.
fn split_variable<'t>(mention: &PathMention<'t>) -> Option<(Option<&'t str>, &'t str)> {
    let PathMention { before, path } = *mention;
    if before.ends_with('$') {
        let (name, rest) = path.split_once('/')?;
        return Some((Some(name), rest));
    }
    let Some(rest) = path.strip_prefix('/') else {
        return Some((None, path));
    };
    if let Some(inner) = before.strip_suffix('}') {
        return Some((Some(last_word(inner.trim_end())), rest));
    }
    // `concat!(env!("CARGO_MANIFEST_DIR"), "/../…")`
    let goes_on = before.ends_with('"') && rest.starts_with("..");
    goes_on.then_some((None, rest))
}

fn is_root(name: &str) -> bool {
    let name = name.to_lowercase();
    name.ends_with("root") || name.ends_with("workspace")
}

fn is_joined_to_root(before: &str) -> bool {
    let receiver = before.strip_suffix(".join(\"");
    receiver.is_some_and(|receiver| is_root(last_word(receiver)))
}

fn last_word(text: &str) -> &str {
    let start = text.rfind(|c: char| !c.is_alphanumeric() && c != '_');
    start.map_or(text, |start| {
        text[start..].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_')
    })
}

/// Whether a path stands in a sentence or a command, neither quoted nor linked.
fn is_prose(before: &str) -> bool {
    let opens = before.ends_with('(') && !before.ends_with("](");
    opens || before.is_empty() || before.ends_with(char::is_whitespace)
}

fn is_relative_to_file(before: &str) -> bool {
    let syntax = before.trim_end_matches('"').trim_end();
    RELATIVE_TO_FILE.iter().any(|open| syntax.ends_with(open))
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn resolve<'p>(from: &str, path: &'p str) -> ResolvedPath<'p> {
    let mut at: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    while let Some(part) = parts.next() {
        if part != ".." {
            at.push(part);
        } else if at.pop().is_none() {
            return ResolvedPath::Outside(parts.find(|part| *part != "..").unwrap_or(""));
        }
    }
    ResolvedPath::Inside(at.join("/"))
}
