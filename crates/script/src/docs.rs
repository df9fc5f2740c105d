//! What a script can name, as a reference: libraries, signatures, and what the natives say of themselves.

use crate::stdlib;
use crate::stdlib::context::Context;
use crate::stdlib::state::State;
use crate::stdlib::tools::Tools;
use serde::Serialize;
use starlark::docs::{
    DocFunction, DocItem, DocMember, DocModule, DocParam, DocProperty, DocString, DocType,
};
use starlark::typing::Ty;

/// Names that belong together: a library, a type with its methods, or the built-ins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Library {
    pub name: String,
    pub kind: LibraryKind,
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LibraryKind {
    /// Called by their own names.
    Builtins,
    Library,
    /// What the values of a type can do.
    Type,
}

/// A function or a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// As it is called: `math.sqrt`.
    pub name: String,
    pub signature: String,
    pub summary: String,
    pub details: String,
    /// A fenced block; lines with `>>>` in it are run by a test.
    pub examples: String,
}

/// Everything a script can name, tests' assertions included, in the order of the alphabet.
pub fn reference() -> Vec<Library> {
    let globals = stdlib::globals(stdlib::testing::add).documentation();
    let mut builtins = Vec::new();
    let mut libraries = Vec::new();
    for (name, item) in globals.members {
        if name.starts_with('_') {
            continue;
        }
        match item {
            DocItem::Module(module) => libraries.push(library(&name, module)),
            DocItem::Type(doc) => {
                builtins.extend(doc.constructor.as_ref().map(|f| function(&name, f)));
                libraries.push(of_type(&name, LibraryKind::Type, doc));
            }
            DocItem::Member(member) => builtins.push(entry(&name, &member)),
        }
    }
    libraries.push(value::<Context>("ctx"));
    libraries.push(value::<State>("ctx.state"));
    libraries.push(value::<Tools>("ctx.tools"));
    libraries.retain(|library| !library.entries.is_empty());
    libraries.push(Library {
        name: "builtins".into(),
        kind: LibraryKind::Builtins,
        entries: builtins,
    });
    for library in &mut libraries {
        library.entries.sort_by(|a, b| a.name.cmp(&b.name));
    }
    libraries.sort_by(|a, b| (a.kind as u8, &a.name).cmp(&(b.kind as u8, &b.name)));
    libraries
}

fn value<T: starlark::values::StarlarkValue<'static>>(name: &str) -> Library {
    of_type(
        name,
        LibraryKind::Library,
        DocType::from_starlark_value::<T>(),
    )
}

fn library(name: &str, module: DocModule) -> Library {
    let members = module.members.into_iter();
    let members = members.filter_map(|(member, item)| {
        Some((member, item.try_as_member_with_collapsed_object().ok()?))
    });
    gathered(name, LibraryKind::Library, members)
}

fn of_type(name: &str, kind: LibraryKind, doc: DocType) -> Library {
    gathered(name, kind, doc.members.into_iter())
}

fn gathered(
    name: &str,
    kind: LibraryKind,
    members: impl Iterator<Item = (String, DocMember)>,
) -> Library {
    Library {
        name: name.to_owned(),
        kind,
        entries: members
            .map(|(member, doc)| entry(&format!("{name}.{member}"), &doc))
            .collect(),
    }
}

fn entry(name: &str, member: &DocMember) -> Entry {
    match member {
        DocMember::Function(doc) => function(name, doc),
        DocMember::Property(DocProperty { docs, typ }) => {
            written(name, format!("{name}{}", typed(typ)), docs.as_ref())
        }
    }
}

fn function(name: &str, doc: &DocFunction) -> Entry {
    let returned = if doc.ret.typ == Ty::any() {
        String::new()
    } else {
        format!(" -> {}", doc.ret.typ)
    };
    let signature = format!("{name}({}){returned}", parameters(doc).join(", "));
    written(name, signature, doc.docs.as_ref())
}

fn written(name: &str, signature: String, docs: Option<&DocString>) -> Entry {
    let of = |part: Option<&String>| part.cloned().unwrap_or_default();
    Entry {
        name: name.to_owned(),
        signature,
        summary: of(docs.map(|docs| &docs.summary)),
        details: of(docs.and_then(|docs| docs.details.as_ref())),
        examples: of(docs.and_then(|docs| docs.examples.as_ref())),
    }
}

fn typed(typ: &Ty) -> String {
    if *typ == Ty::any() {
        String::new()
    } else {
        format!(": {typ}")
    }
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
    written.extend(
        params
            .kwargs
            .iter()
            .map(|kwargs| format!("**{}", kwargs.name)),
    );
    written
}

fn parameter(param: &DocParam) -> String {
    let default = param
        .default_value
        .as_ref()
        .map(|default| format!(" = {default}"));
    format!(
        "{}{}{}",
        param.name,
        typed(&param.typ),
        default.unwrap_or_default()
    )
}
