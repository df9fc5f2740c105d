//! Characters that people do not see and models read: whoever looks a module over must see all of it.

use model::Fault;
use runtime::Surveyed;
use serde_json::json;

/// Zero width, direction, tags, and what is no text at all.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
        || c.is_control() && !matches!(c, '\n' | '\t')
}

pub(super) fn faults(module: &Surveyed) -> Vec<Fault> {
    let Some(script) = &module.script else {
        return Vec::new();
    };
    let tools = script.tools.iter().map(|one| {
        let tool = &one.tool;
        let schema = tool.input.to_json();
        let words = json!([tool.title, tool.description, schema]).to_string();
        (format!("tool `{}`", tool.name), words)
    });
    let resources = script.resources.iter().map(|one| {
        let of = &one.resource;
        let words = json!([of.title, of.description, of.uri.as_str()]).to_string();
        (format!("resource `{}`", of.name), words)
    });
    let prompts = script.prompts.iter().map(|one| {
        let of = &one.prompt;
        let words = json!([of.title, of.description, of.input.to_json()]).to_string();
        (format!("prompt `{}`", of.name), words)
    });
    let manifest = module.manifest.iter().map(|manifest| {
        let words = json!([manifest.description, manifest.keywords]).to_string();
        ("module".to_owned(), words)
    });
    let all = tools.chain(resources).chain(prompts).chain(manifest);
    all.filter_map(|(what, words)| fault(&what, &words)).collect()
}

fn fault(what: &str, words: &str) -> Option<Fault> {
    // In JSON, control characters are written out.
    let escaped = words.find("\\u00").map(|at| words[at..].chars().take(6).collect::<String>());
    let found = words.chars().find(|c| is_hidden(*c));
    let shown = found.map(|c| format!("U+{:04X}", u32::from(c))).or(escaped)?;
    let says = format!("the words of {what} hide {shown}, which a model reads and nobody sees");
    Some(Fault::new(says).code("E0608").help("take it out, and ask who put it there"))
}
