//! What a script can name, as a reference: libraries, signatures, and what the natives say of themselves.

mod about;
mod entry;

use crate::stdlib;
use crate::stdlib::context::{Context, NAMESPACES};
use crate::stdlib::hash::Hash;
use crate::stdlib::tester::Tester;
use crate::stdlib::tester::answer::Answer;
use crate::stdlib::tester::exec::Exec;
use crate::stdlib::tester::http::Http;
use crate::stdlib::tester::sql::{Postgres, Sqlite};
use crate::stdlib::text::Text;
pub use entry::Entry;
use serde::Serialize;
use starlark::docs::{DocItem, DocMember, DocModule, DocType};
use starlark::environment::GlobalsBuilder;
use starlark::values::StarlarkValue;
use std::collections::BTreeMap;

/// Names that belong together: a library, functions for one purpose, or a type with its methods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Library {
    pub name: String,
    pub kind: LibraryKind,
    /// What it is for, in a sentence.
    pub about: String,
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LibraryKind {
    /// Called with its name in front: `math.sqrt`.
    Library,
    /// Called by their own names: `tool`.
    Functions,
    /// What the values of a type can do.
    Type,
}

/// Everything a script can name, tests' assertions included, in the order of the alphabet.
pub fn reference() -> Vec<Library> {
    let globals = stdlib::globals(stdlib::testing::add).documentation();
    let mut functions: BTreeMap<&str, Vec<Entry>> = BTreeMap::new();
    let mut libraries = Vec::new();
    let mut add = |entry: Entry| {
        let group = about::group(&entry.name);
        functions.entry(group).or_default().push(entry);
    };
    for (name, item) in globals.members {
        if name.starts_with('_') {
            continue;
        }
        match item {
            DocItem::Module(module) => libraries.push(library(&name, module)),
            DocItem::Type(doc) => {
                if let Some(constructor) = &doc.constructor {
                    add(Entry::function(&name, constructor));
                }
                libraries.push(of_type(&name, LibraryKind::Type, doc));
            }
            // Values that can be called have methods as well, and say of neither here.
            DocItem::Member(DocMember::Property(_)) if about::CALLED.contains(&name.as_str()) => {}
            DocItem::Member(member) => add(Entry::member(&name, &member)),
        }
    }
    about::called().into_iter().for_each(&mut add);
    let namespaces = GlobalsBuilder::new().with(|builder| {
        for (name, natives) in NAMESPACES.into_iter().filter(|(name, _)| *name != "log") {
            builder.namespace(&format!("ctx.{name}"), natives);
        }
    });
    for (name, item) in namespaces.build().documentation().members {
        if let DocItem::Module(module) = item {
            libraries.push(library(&name, module));
        }
    }
    libraries.push(value::<Context>("ctx"));
    libraries.push(value::<Hash>("hash"));
    libraries.push(value::<Text>("text"));
    libraries.push(value::<Tester>("t"));
    libraries.push(value::<Answer>("t.answers"));
    libraries.push(value::<Exec>("t.exec"));
    libraries.push(value::<Http>("t.http"));
    libraries.push(value::<Postgres>("t.postgres"));
    libraries.push(value::<Sqlite>("t.sqlite"));
    libraries.retain(|library| !library.entries.is_empty());
    let groups = functions.into_iter().map(|(name, entries)| {
        Library::new(name, LibraryKind::Functions, about::sentence(name), entries)
    });
    libraries.extend(groups);
    libraries.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    libraries
}

impl Library {
    fn new(name: &str, kind: LibraryKind, about: String, mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Self { name: name.to_owned(), kind, about, entries }
    }
}

fn value<T: StarlarkValue<'static>>(name: &str) -> Library {
    of_type(name, LibraryKind::Library, DocType::from_starlark_value::<T>())
}

fn library(name: &str, module: DocModule) -> Library {
    let members = module.members.into_iter();
    let members = members.filter_map(|(member, item)| {
        Some((member, item.try_as_member_with_collapsed_object().ok()?))
    });
    gathered(name, LibraryKind::Library, about::sentence(name), members)
}

fn of_type(name: &str, kind: LibraryKind, doc: DocType) -> Library {
    let own = doc.docs.map(|docs| docs.summary);
    gathered(name, kind, own.unwrap_or_else(|| about::sentence(name)), doc.members.into_iter())
}

fn gathered(
    name: &str,
    kind: LibraryKind,
    about: String,
    members: impl Iterator<Item = (String, DocMember)>,
) -> Library {
    let entries = members.map(|(member, doc)| Entry::member(&format!("{name}.{member}"), &doc));
    Library::new(name, kind, about, entries.collect())
}
