//! Which part of a source has to change: nothing, where that is not certain.

use model::Place;
use script::SourceFacts;
use std::ops::Range;

pub(super) fn marked(place: &Place, source: &str) -> Option<Range<usize>> {
    let start: usize = source.split_inclusive('\n').take(place.line - 1).map(str::len).sum();
    let line = source[start..].lines().next()?;
    if line != place.excerpt {
        return None;
    }
    let at = |characters: usize| {
        let mut places = line.char_indices().map(|(at, _)| at);
        places.nth(characters).unwrap_or(line.len())
    };
    Some(start + at(place.column - 1)..start + at(place.column - 1 + place.width))
}

/// The whole line, with its end.
pub(super) fn line(source: &str, at: usize) -> Range<usize> {
    let start = source[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = source[at..].find('\n').map_or(source.len(), |end| at + end + 1);
    start..end
}

/// The name with its comma; or the statement, if nothing else is loaded by it. Nothing where the
/// statement does not stand alone on its lines.
pub(super) fn unload(source: &str, name: Range<usize>) -> Option<Range<usize>> {
    let begin = source[..name.start].rfind("load(")?;
    let open = begin + "load(".len();
    let (args, close) = arguments(source, open)?;
    let first = line(source, begin).start;
    let after = line(source, close);
    let is_alone = first == begin && source[close + 1..after.end].trim().is_empty();
    let at = args.iter().position(|arg| arg.contains(&name.start))?;
    if !is_alone || at == 0 {
        return None;
    }
    if args.len() == 2 {
        return Some(first..after.end);
    }
    // From the end of the one before, so that its comma goes.
    Some(args[at - 1].end..args[at].end)
}

/// Where the arguments stand, each without the space around it, and where the bracket closes.
fn arguments(source: &str, open: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let (mut args, mut start, mut quote) = (Vec::new(), open, None);
    for (at, c) in source[open..].char_indices() {
        let at = open + at;
        match (quote, c) {
            (Some(mark), _) if mark == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '#' | '(') => return None,
            (None, ',' | ')') => {
                let text = &source[start..at];
                let from = start + (text.len() - text.trim_start().len());
                if !text.trim().is_empty() {
                    args.push(from..from + text.trim().len());
                }
                start = at + 1;
                if c == ')' {
                    return Some((args, at));
                }
            }
            _ => {}
        }
    }
    None
}

/// What is in the brackets of `@tool(…)`; nothing where something else stands there.
pub(super) fn decoration(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix("@tool")?;
    if rest.is_empty() {
        return Some("");
    }
    let given = rest.strip_prefix('(')?.strip_suffix(')')?;
    let (mut depth, mut quote) = (0, None);
    for c in given.chars() {
        match (quote, c) {
            (Some(mark), _) if mark == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') => return None,
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    (depth == 0 && quote.is_none()).then(|| given.trim())
}

/// The function's lines without the decorator, and below them what declares it.
pub(super) fn undecorate(source: &str, at: usize) -> Option<(Range<usize>, String)> {
    let decorator = line(source, at);
    let given = decoration(&source[decorator.clone()])?;
    // The reader stops at the first of them.
    let plain = source.split_inclusive('\n');
    let plain = plain.map(|line| if line.starts_with('@') { "\n" } else { line });
    let facts = SourceFacts::read("", &plain.collect::<String>()).ok()?;
    let number = source[..decorator.end].matches('\n').count() + 1;
    let function = facts.functions.iter().find(|function| *function.lines.start() == number)?;
    let (name, last) = (&function.name, *function.lines.end());
    let lines = source.split_inclusive('\n').take(last);
    let end: usize = lines.map(str::len).sum();
    let body = source[decorator.end..end].trim_end();
    let comma = if given.is_empty() { "" } else { ", " };
    let text = format!("{body}\n\ntool({name}{comma}{given})\n");
    Some((decorator.start..end, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unloaded() {
        let check = |source: &str, name: &str, expected: &str| {
            let start = source.find(name).unwrap();
            let gone = unload(source, start..start + name.len()).unwrap();
            let mut text = source.to_owned();
            text.replace_range(gone, "");
            assert_eq!(text, expected);
        };
        check("load(\"a\", \"x\", \"y\")\nz\n", "\"y\"", "load(\"a\", \"x\")\nz\n");
        check("load(\"a\", \"x\", \"y\")\n", "\"x\"", "load(\"a\", \"y\")\n");
        check("load(\"a\", \"x\")\nz\n", "\"x\"", "z\n");
        check("load(\n    \"a\",\n    \"x\",\n)\nz\n", "\"x\"", "z\n");
        check("load(\"a,b)\", \"x\", y = \"z\")\n", "y = ", "load(\"a,b)\", \"x\")\n");
        for source in ["load(\"a\", \"x\"); z = 3\n", "load(\"a\", # \"x\"\n    \"x\")\n"] {
            let at = source.find("\"x\"").unwrap();
            assert_eq!(unload(source, at..at + 3), None, "{source}");
        }
    }

    #[test]
    fn a_decorator_becomes_a_line_below() {
        let check = |source: &str, expected: Option<&str>| {
            let made = undecorate(source, 0).map(|(range, by)| {
                let mut text = source.to_owned();
                text.replace_range(range, &by);
                text
            });
            assert_eq!(made.as_deref(), expected, "{source}");
        };
        check(
            "@tool(read_only = True)\ndef f(x):\n    return x\n\ndef g():\n    return 1\n",
            Some(
                "def f(x):\n    return x\n\ntool(f, read_only = True)\n\ndef g():\n    return 1\n",
            ),
        );
        check(
            "@tool\ndef f(x):\n    \"\"\"One.\n\nTwo.\n    \"\"\"\n# here\n    return x\n",
            Some(
                "def f(x):\n    \"\"\"One.\n\nTwo.\n    \"\"\"\n# here\n    return x\n\ntool(f)\n",
            ),
        );
        check(
            "@tool(examples = list([{\"q\": \"x)\"}]))\ndef f(q):\n    return q\n",
            Some("def f(q):\n    return q\n\ntool(f, examples = list([{\"q\": \"x)\"}]))\n"),
        );
        for line in
            ["@toolbox.register", "@tool(", "@tool # a comment", "@tool(a) # b", "@tool()()"]
        {
            check(&format!("{line}\ndef f(q):\n    return q\n"), None);
        }
    }
}
