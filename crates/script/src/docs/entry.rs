//! One function or value: how it is called, and what it says of itself.

use serde::Serialize;
use starlark::docs::{DocFunction, DocMember, DocParam, DocProperty, DocString};
use starlark::typing::Ty;

/// A function or a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// As it is called: `math.sqrt`.
    pub name: String,
    pub signature: String,
    /// What it does, in a paragraph.
    pub summary: String,
    /// What else there is to know.
    pub details: String,
    /// Fenced blocks, which a test runs: expressions after `>>>` with what comes back, or a file.
    pub examples: String,
}

impl Entry {
    pub fn is_function(&self) -> bool {
        self.signature.contains('(')
    }

    pub(super) fn member(name: &str, member: &DocMember) -> Self {
        match member {
            DocMember::Function(doc) => Self::function(name, doc),
            DocMember::Property(DocProperty { docs, typ }) => {
                Self::written(name, format!("{name}{}", typed(typ)), docs.as_ref())
            }
        }
    }

    pub(super) fn function(name: &str, doc: &DocFunction) -> Self {
        let returned =
            if doc.ret.typ == Ty::any() { String::new() } else { format!(" -> {}", doc.ret.typ) };
        let signature = format!("{name}({}){returned}", parameters(doc).join(", "));
        Self::written(name, signature, doc.docs.as_ref())
    }

    fn written(name: &str, signature: String, docs: Option<&DocString>) -> Self {
        let of = |part: Option<&String>| part.map(|text| cleared(text)).unwrap_or_default();
        Self {
            name: name.to_owned(),
            signature,
            summary: of(docs.map(|docs| &docs.summary)),
            details: of(docs.and_then(|docs| docs.details.as_ref())),
            examples: of(docs.and_then(|docs| docs.examples.as_ref())),
        }
    }
}

/// Without what the engine's authors wrote for another reader: links to a specification in front of
/// a sentence, and the frame that their own tests need.
fn cleared(text: &str) -> String {
    let is_link = |rest: &str| rest.starts_with('[') && rest.contains("]( http");
    let text = match text.split_once(" ): ") {
        Some((link, rest)) if is_link(link) => capital(rest),
        _ => text.to_owned(),
    };
    // A sentence that swallowed its example keeps itself.
    let text = match text.split_once(" ``` # starlark::") {
        Some((sentence, _)) => sentence,
        None => &text,
    };
    let frame = |line: &&str| line.starts_with("# starlark::") || *line == "# \"#);";
    let lines: Vec<&str> = text.lines().filter(|line| !frame(line)).collect();
    lines.join("\n").trim().to_owned()
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn typed(typ: &Ty) -> String {
    if *typ == Ty::any() { String::new() } else { format!(": {typ}") }
}

/// As one would write them in a `def`.
fn parameters(doc: &DocFunction) -> Vec<String> {
    let params = &doc.params;
    let mut written: Vec<String> = params.pos_only.iter().map(parameter).collect();
    if !written.is_empty() {
        written.push("/".into());
    }
    written.extend(params.pos_or_named.iter().map(parameter));
    written.extend(params.args.iter().map(|args| format!("*{}", args.name)));
    if params.args.is_none() && !params.named_only.is_empty() {
        written.push("*".into());
    }
    written.extend(params.named_only.iter().map(parameter));
    let kwargs = params.kwargs.iter();
    written.extend(kwargs.map(|kwargs| format!("**{}", kwargs.name)));
    written
}

fn parameter(param: &DocParam) -> String {
    let default = param.default_value.as_ref().map(|default| format!(" = {default}"));
    format!("{}{}{}", param.name, typed(&param.typ), default.unwrap_or_default())
}
