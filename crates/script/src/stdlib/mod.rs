//! What every script finds in place: one file a library.

#![allow(
    clippy::unnecessary_wraps,
    clippy::elidable_lifetime_names,
    clippy::too_many_arguments,
    clippy::doc_markdown,
    reason = "starlark's macros ask for it; parameters and sentences are those that authors see"
)]

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
pub(crate) mod prelude;
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

/// Adds functions to scripts.
pub(crate) type Natives = fn(&mut GlobalsBuilder);

/// Functions that are called with the library's name in front.
pub(crate) const LIBRARIES: [(&str, Natives); 21] = [
    ("base64", base64::natives),
    ("csv", csv::natives),
    ("data", data::natives),
    ("env", env::natives),
    ("exec", exec::natives),
    ("files", files::natives),
    ("fuzzy", fuzzy::natives),
    ("hex", hex::natives),
    ("http", http::natives),
    ("json", json::natives),
    ("log", log::natives),
    ("math", math::natives),
    ("postgres", postgres::natives),
    ("random", random::natives),
    ("re", re::natives),
    ("sqlite", sqlite::natives),
    ("time", time::natives),
    ("toml", toml::natives),
    ("url", url::natives),
    ("uuid", uuid::natives),
    ("yaml", yaml::natives),
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
    hash::add(&mut builder);
    parallel::add(&mut builder);
    text::add(&mut builder);
    for (name, natives) in LIBRARIES {
        builder.namespace(name, natives);
    }
    crate::kinds::add(&mut builder);
    crate::declare::add(&mut builder);
    crate::permissions::add(&mut builder);
    crate::resource::add(&mut builder);
    crate::prompt::add(&mut builder);
    more(&mut builder);
    builder.build()
}
