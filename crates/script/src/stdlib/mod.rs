//! What every script finds in place: one file a library.

pub(crate) mod asking;
mod base64;
pub(crate) mod checked;
pub(crate) mod content;
pub(crate) mod context;
mod csv;
mod data;
mod duration;
mod env;
mod exec;
mod failure;
mod files;
mod fuzzy;
pub(crate) mod hash;
mod hex;
mod http;
mod json;
mod log;
mod math;
mod parallel;
mod postgres;
pub(crate) mod question;
mod random;
mod re;
pub(crate) mod secret;
pub(crate) mod show;
mod sql;
mod sqlite;
pub(crate) mod state;
pub(crate) mod tester;
pub(crate) mod testing;
pub(crate) mod text;
mod time;
mod toml;
pub(crate) mod tools;
mod url;
mod uuid;
mod yaml;

pub(crate) use re::Patterns;

use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension};
use std::sync::LazyLock;

static PARTIAL: LazyLock<Globals> = LazyLock::new(|| {
    GlobalsBuilder::new().with(|builder| LibraryExtension::Partial.add(builder)).build()
});

const LIBRARIES: [fn(&mut GlobalsBuilder); 24] = [
    base64::add,
    csv::add,
    data::add,
    env::add,
    exec::add,
    files::add,
    fuzzy::add,
    hash::add,
    hex::add,
    http::add,
    json::add,
    log::add,
    math::add,
    parallel::add,
    postgres::add,
    random::add,
    re::add,
    sqlite::add,
    text::add,
    time::add,
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
    for library in LIBRARIES {
        library(&mut builder);
    }
    crate::kinds::add(&mut builder);
    crate::declare::add(&mut builder);
    crate::permissions::add(&mut builder);
    crate::resource::add(&mut builder);
    crate::prompt::add(&mut builder);
    more(&mut builder);
    builder.build()
}
