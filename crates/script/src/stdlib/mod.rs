//! What every script finds in place: one file a library.

mod checked;
pub(crate) mod content;
pub(crate) mod context;
mod data;
mod duration;
mod env;
mod exec;
mod failure;
mod files;
mod hash;
mod http;
mod json;
mod log;
mod postgres;
mod show;
mod sql;
mod sqlite;
mod state;
pub(crate) mod testing;
mod time;
mod tools;

use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension};
use std::sync::LazyLock;

static PARTIAL: LazyLock<Globals> = LazyLock::new(|| {
    GlobalsBuilder::new()
        .with(|builder| LibraryExtension::Partial.add(builder))
        .build()
});

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
    hash::add(&mut builder);
    http::add(&mut builder);
    json::add(&mut builder);
    data::add(&mut builder);
    log::add(&mut builder);
    exec::add(&mut builder);
    env::add(&mut builder);
    files::add(&mut builder);
    time::add(&mut builder);
    postgres::add(&mut builder);
    sqlite::add(&mut builder);
    crate::kinds::add(&mut builder);
    crate::declare::add(&mut builder);
    crate::resource::add(&mut builder);
    crate::prompt::add(&mut builder);
    more(&mut builder);
    builder.build()
}
