//! Docstrings of functions: the description, and what they say of parameters. The engine looks for their
//! sections with regular expressions that take milliseconds to compile. It does not where there is no blank
//! line, so `guard` marks the lines of such docstrings and they are read here.

use starlark::docs::{DocFunction, DocParam, DocString};
use std::collections::HashMap;

/// A line end in a marked docstring. The engine joins lines, and removes spaces around them only outside the
/// marks.
pub(crate) const MARKED_LINE_END: &str = "\u{f8ff}\n\u{f8ff}";
/// The same as the engine passes it on.
const MARKED_SPACE: &str = "\u{f8ff} \u{f8ff}";
const MARK: char = '\u{f8ff}';

/// Sections that are not part of the description.
const SECTIONS: [&str; 4] = ["arguments", "args", "returns", "return"];
const EXAMPLES: &str = "Examples:\n";

#[derive(Debug, PartialEq)]
pub(crate) struct Docstring {
    pub(crate) description: String,
    /// Descriptions of parameters by name.
    pub(crate) parameters: HashMap<String, String>,
}

/// Would the engine look for sections in it? If so, it can be marked unless it contains marks already.
pub(crate) fn is_markable(text: &str) -> bool {
    let has_blank_line = text.trim().lines().any(is_blank);
    has_blank_line && !text.contains(MARK)
}

impl Docstring {
    /// What the engine has found in a docstring, or passed on of a marked one.
    pub(crate) fn of(function: &DocFunction) -> Self {
        let description = function.docs.as_ref().map(shown).unwrap_or_default();
        if description.contains(MARKED_SPACE) {
            return Self::parse(&description.replace(MARKED_SPACE, "\n"));
        }
        let described = |param: &DocParam| Some((param.name.clone(), shown(param.docs.as_ref()?)));
        let params = &function.params;
        let all = params.pos_only.iter().chain(&params.pos_or_named);
        let all = all.chain(&params.args);
        let all = all.chain(&params.named_only).chain(&params.kwargs);
        Self { description, parameters: all.filter_map(described).collect() }
    }

    fn parse(text: &str) -> Self {
        let (summary, details) = split(text);
        let mut rest = Vec::new();
        let mut sections: HashMap<String, Vec<&str>> = HashMap::new();
        let mut section = None;
        for line in details.lines() {
            if let Some(name) = section_name(line) {
                section = SECTIONS.contains(&name.as_str()).then_some(name);
                match &section {
                    Some(name) => drop(sections.insert(name.clone(), Vec::new())),
                    None => rest.push(line),
                }
            } else if let Some(name) = section.as_ref().filter(|_| is_indented(line)) {
                sections.entry(name.clone()).or_default().push(line);
            } else {
                rest.push(line);
                section = None;
            }
        }
        let arguments = sections.get("arguments").or_else(|| sections.get("args"));
        Self {
            description: join(&summary, rest.join("\n").trim()),
            parameters: arguments.map_or_else(HashMap::new, |lines| parameters(&dedent(lines))),
        }
    }
}

fn shown(docs: &DocString) -> String {
    let details = docs.details.as_deref().unwrap_or_default();
    join(&docs.summary, details).trim().to_owned()
}

/// The first paragraph in one line, and the others up to the examples.
fn split(text: &str) -> (String, String) {
    let text = text.trim();
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if is_blank(line) {
            let begin = end + line.len();
            let examples = text[begin..].find(EXAMPLES);
            let details = &text[begin..examples.map_or(text.len(), |at| begin + at)];
            let lines: Vec<&str> = details.lines().collect();
            return (one_line(&text[..end]), dedent(&lines).trim().to_owned());
        }
        end += line.len();
    }
    (one_line(text), String::new())
}

fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
    lines.join(" ")
}

fn join(summary: &str, details: &str) -> String {
    if details.is_empty() {
        return summary.to_owned();
    }
    format!("{summary}\n\n{details}")
}

/// `Args:` and the like, in lower case.
fn section_name(line: &str) -> Option<String> {
    let name = line.trim_end().strip_suffix(':')?;
    let fits = |c: char| is_word(c) || c == ' ' || c == '-';
    (!name.is_empty() && name.chars().all(fits)).then(|| name.to_ascii_lowercase())
}

/// `name: what it is`, each with the indented lines below it.
fn parameters(section: &str) -> HashMap<String, String> {
    let mut parameters: Vec<(&str, Vec<String>)> = Vec::new();
    for line in section.trim().lines() {
        if let Some((name, text)) = parameter(line) {
            let indent = " ".repeat(line.len() - text.len());
            parameters.push((name, vec![indent + text]));
        } else if let Some((_, lines)) = parameters.last_mut().filter(|_| is_indented(line)) {
            lines.push(line.to_owned());
        }
    }
    let described = parameters.into_iter().map(|(name, lines)| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (summary, details) = split(&dedent(&lines));
        (name.to_owned(), join(&summary, &details))
    });
    described.collect()
}

fn parameter(line: &str) -> Option<(&str, &str)> {
    let bare = line.strip_prefix("**").or_else(|| line.strip_prefix('*'));
    let (name, text) = bare.unwrap_or(line).split_once(':')?;
    (!name.is_empty() && name.chars().all(is_word)).then(|| (name, text.trim_start()))
}

/// The lines without the indentation that all of them have.
pub(crate) fn dedent(lines: &[&str]) -> String {
    let indents = lines.iter().filter(|line| !is_blank(line)).map(|line| {
        let text = line.trim_start();
        &line[..line.len() - text.len()]
    });
    let common = indents.reduce(|a, b| {
        let same = a.char_indices().zip(b.chars());
        let differs = same.filter(|((_, a), b)| a != b).map(|((at, _), _)| at);
        let length = differs.chain([a.len().min(b.len())]).min();
        &a[..length.unwrap_or_default()]
    });
    let common = common.unwrap_or_default();
    let bare = |line: &&str| match line.strip_prefix(common) {
        Some(bare) if !is_blank(line) => bare.to_owned(),
        _ => String::new(),
    };
    let bare: Vec<String> = lines.iter().map(bare).collect();
    bare.join("\n")
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn is_indented(line: &str) -> bool {
    line.is_empty() || line.starts_with(char::is_whitespace)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::dialect;
    use starlark::docs::{DocItem, DocMember};
    use starlark::environment::{GlobalsBuilder, Module};
    use starlark::eval::Evaluator;
    use starlark::syntax::AstModule;

    /// The documentation of a function that has this docstring.
    fn documentation(text: &str) -> DocFunction {
        let literal = format!("\"\"\"{text}\"\"\"");
        let source = format!("def f(x, y_1, *args, **kwargs):\n    {literal}\n    pass\n");
        let ast = AstModule::parse("a.star", source, &dialect()).unwrap();
        Module::with_temp_heap(|module| {
            let mut eval = Evaluator::new(&module);
            let globals = GlobalsBuilder::new().build();
            eval.eval_module(ast, &globals).unwrap();
            drop(eval);
            match module.get("f").unwrap().documentation() {
                DocItem::Member(DocMember::Function(doc)) => doc,
                other => panic!("{other:?}"),
            }
        })
    }

    const TEXTS: [&str; 9] = [
        "Adds.\n\n    Args:\n        x: One\n            number.\n        y_1:  another\n    ",
        "\n    Adds\n    numbers.\n\n    More:\n      - this\n\n    Arguments:\n        *args: all\n        x: it\n",
        "Adds.\n\nArgs:\n  x: One.\n\n     On two lines.\n\n  nonsense\n  **kwargs: rest\n\nEnd.",
        "Adds.\n\n    Returns:\n        A number.\n    Notes: none\n    Args:\n        x:\n        y_1: two",
        "Adds.\n  \n\tTabs.\n\n\tArgs:\n\t\tx: a\n\n\tSome More-Words:\n\t\ty_1: b",
        "Adds.\n\n    Text.\n\n    Examples:\n        f(1)\n",
        "Größe.\n\n    Übrige:\n    Args :\n    args:\n        x: ä: b\n        ***y_1: c",
        "Adds.\n\n    Args:\n        x: a\n    Args:\n        y_1: b\n",
        "Adds.\n\n        Deep.\n    Less.\n",
    ];

    #[test]
    fn marked_docstrings_are_read_as_the_engine_reads_others() {
        for text in TEXTS {
            assert!(is_markable(text), "{text}");
            let marked = documentation(&text.replace('\n', MARKED_LINE_END));
            assert_eq!(marked.docs.as_ref().unwrap().details, None);
            let expected = Docstring::of(&documentation(text));
            assert_eq!(Docstring::of(&marked), expected, "{text}");
        }
    }

    #[test]
    fn docstrings_without_sections_are_not_marked() {
        for text in ["", "Adds.", "Adds\n    numbers.\n", "A\u{f8ff}.\n\nB."] {
            assert!(!is_markable(text), "{text}");
        }
    }
}
