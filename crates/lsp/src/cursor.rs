//! The name at a cursor: with what stands before it and dots between, like `http.get`.

use std::ops::Range;

/// The names up to the one that the cursor is on, and where they stand in the line.
pub(crate) fn name_at(line: &str, byte: usize) -> Option<(&str, Range<usize>)> {
    let end = byte + line[byte..].find(|c| !is_part(c)).unwrap_or(line.len() - byte);
    let start = start(line, end);
    let name = line[start..end].trim_matches('.');
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    is_name.then_some((name, start..end))
}

/// What has been typed so far: the library before the last dot, and the beginning of a name.
pub(crate) fn typed(line: &str, byte: usize) -> (Option<&str>, &str) {
    let begun = &line[start(line, byte)..byte];
    match begun.rsplit_once('.') {
        Some((library, name)) => (Some(library), name),
        None => (None, begun),
    }
}

/// Is the cursor inside a text or a comment, where names mean nothing?
pub(crate) fn is_in_text(line: &str, byte: usize) -> bool {
    let mut open = None;
    let mut escaped = false;
    for c in line[..byte].chars() {
        match open {
            None if c == '#' => return true,
            None if c == '"' || c == '\'' => open = Some(c),
            Some(quote) if c == quote && !escaped => open = None,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    open.is_some()
}

fn start(line: &str, end: usize) -> usize {
    let before = line[..end].rfind(|c| !is_part(c) && c != '.');
    before.map_or(0, |at| at + line[at..].chars().next().map_or(1, char::len_utf8))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_around_a_cursor() {
        let check = |marked: &str, expected: Option<&str>| {
            let byte = marked.find('|').unwrap();
            let line = marked.replace('|', "");
            let found = name_at(&line, byte).map(|(name, _)| name.to_owned());
            assert_eq!(found.as_deref(), expected, "{marked}");
        };
        check("x = http.g|et(url)", Some("http.get"));
        check("x = ht|tp.get(url)", Some("http"));
        check("x = é(ctx.state.get|(1))", Some("ctx.state.get"));
        check("x =| 1", None);
        check("12|", None);
        check("|", None);
    }

    #[test]
    fn what_is_typed_has_a_library() {
        let check = |line: &str, expected| assert_eq!(typed(line, line.len()), expected, "{line}");
        check("    http.", (Some("http"), ""));
        check("(ctx.state.ge", (Some("ctx.state"), "ge"));
        check("to", (None, "to"));
        check("", (None, ""));
    }

    #[test]
    fn texts_and_comments_are_known() {
        for (line, is) in [("x = \"a", true), ("x = \"a\"", false), ("# a", true), ("'\\'", true)] {
            assert_eq!(is_in_text(line, line.len()), is, "{line}");
        }
    }
}
