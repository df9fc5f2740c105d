//! What every script finds in place: one file a library.

mod base64;
mod checked;
pub(crate) mod content;
pub(crate) mod context;
mod csv;
mod data;
mod failure;
mod fuzzy;
mod hex;
mod json;
mod log;
mod math;
mod parallel;
mod random;
mod re;
mod show;
pub(crate) mod state;
pub(crate) mod testing;
mod text;
mod toml;
pub(crate) mod tools;
mod url;
mod uuid;
mod yaml;

pub(crate) use re::Patterns;

use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension};
use std::sync::LazyLock;

static PARTIAL: LazyLock<Globals> = LazyLock::new(|| {
    GlobalsBuilder::new()
        .with(|builder| LibraryExtension::Partial.add(builder))
        .build()
});

/// Libraries that only compute; `random` and `uuid` ask the host for chance and nothing else.
const PURE: [fn(&mut GlobalsBuilder); 13] = [
    base64::add,
    csv::add,
    fuzzy::add,
    hex::add,
    math::add,
    parallel::add,
    random::add,
    re::add,
    text::add,
    toml::add,
    url::add,
    uuid::add,
    yaml::add,
];

/// Everything a script can name.
pub(crate) fn globals(more: impl FnOnce(&mut GlobalsBuilder)) -> Globals {
    let mut builder = GlobalsBuilder::extended_by(&[
        LibraryExtension::StructType,
        LibraryExtension::RecordType,
        LibraryExtension::EnumType,
        LibraryExtension::Map,
        LibraryExtension::Filter,
        LibraryExtension::Partial,
        LibraryExtension::Debug,
        LibraryExtension::Print,
        LibraryExtension::Typing,
        LibraryExtension::SetType,
    ]);
    // The edits of `guard` need it under a name that no script takes.
    if let Some((_, partial)) = PARTIAL.iter().find(|(name, _)| *name == "partial") {
        builder.set("__partial", partial);
    }
    checked::add(&mut builder);
    show::add(&mut builder);
    failure::add(&mut builder);
    content::add(&mut builder);
    json::add(&mut builder);
    data::add(&mut builder);
    log::add(&mut builder);
    for library in PURE {
        library(&mut builder);
    }
    crate::kinds::add(&mut builder);
    crate::declare::add(&mut builder);
    more(&mut builder);
    builder.build()
}
