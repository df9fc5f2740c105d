//! What somebody who types a name wants to know about.

use model::did_you_mean;
use script::{Entry, Library, LibraryKind};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Library(Library),
    Entry(Entry),
}

/// A library or function by its name; else a sentence with what may have been meant.
pub(crate) fn find(name: &str, libraries: &[Library]) -> Result<Found, String> {
    let entries = || libraries.iter().flat_map(|library| &library.entries);
    let function = entries().find(|entry| entry.name == name);
    if let Some(library) = libraries.iter().find(|library| library.name == name) {
        // `text` and `hash` are functions as well, and so are the names of types.
        let mut library = library.clone();
        library.entries.splice(0..0, function.cloned());
        return Ok(Found::Library(library));
    }
    let found = function.or_else(|| in_group(name, libraries));
    let found = found.cloned().map(Found::Entry);
    found.ok_or_else(|| format!("there is no `{name}`; {}", meant(name, libraries)))
}

/// `declarations.tool`: a function that has no library, by the name it is listed under.
fn in_group<'l>(name: &str, libraries: &'l [Library]) -> Option<&'l Entry> {
    let (group, function) = name.split_once('.')?;
    let mut groups = libraries.iter();
    let group = groups.find(|l| l.name == group && l.kind == LibraryKind::Functions)?;
    group.entries.iter().find(|entry| entry.name == function)
}

fn meant(name: &str, libraries: &[Library]) -> String {
    let names = libraries.iter().map(|library| library.name.as_str());
    let entries = libraries.iter().flat_map(|library| &library.entries);
    let entries: Vec<&str> = entries.map(|entry| entry.name.as_str()).collect();
    let last = |entry: &&str| entry.rsplit('.').next().unwrap_or_default().to_owned();
    let alike = |word: &str| -> Vec<&str> {
        let same = entries.iter().filter(|entry| last(entry) == word);
        same.copied().collect()
    };
    let same = alike(name);
    if !same.is_empty() {
        return hint(&same);
    }
    if let Some(near) = did_you_mean(name, names.chain(entries.iter().copied())) {
        return hint(&[near]);
    }
    // A slip in a name that was typed without its library.
    let words: Vec<String> = entries.iter().map(last).collect();
    match did_you_mean(name, words.iter().map(String::as_str)) {
        Some(near) => hint(&alike(near)),
        None => "`larkspur doc` lists what there is".to_owned(),
    }
}

/// ``did you mean `a`, `b` or `c`?``
fn hint(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => format!("did you mean {last}?"),
        Some((last, others)) => format!("did you mean {} or {last}?", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        let found = match find(name, &script::reference()) {
            Ok(Found::Library(library)) => format!("library {}", library.name),
            Ok(Found::Entry(entry)) => entry.signature,
            Err(why) => why,
        };
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn names_are_found() {
        check("http", "library http");
        check("ctx.state", "library ctx.state");
        check("text", "library text");
        check("math.sqrt", "math.sqrt(x) -> float");
        check("print", "print(*args) -> None");
        check("control.print", "print(*args) -> None");
        check("answers.text", "text(s: str, /) -> content");
        check("math.pi", "math.pi: float");
    }

    #[test]
    fn near_misses_are_told() {
        check("htpp", "there is no `htpp`; did you mean `http`?");
        check("math.sqr", "there is no `math.sqr`; did you mean `math.sqrt`?");
        check("sqrt", "there is no `sqrt`; did you mean `math.sqrt`?");
        check("sqart", "there is no `sqart`; did you mean `math.sqrt`?");
        check(
            "get",
            "there is no `get`; did you mean `ctx.state.get`, `env.get`, `http.get` or `dict.get`?",
        );
        check("zzzzzz", "there is no `zzzzzz`; `larkspur doc` lists what there is");
    }
}
