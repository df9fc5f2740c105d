//! What operators and authors set: `larkspur.toml`, `module.toml` and the configuration of modules, read and
//! described. No I/O, not async.
//!
//! Glossary:
//! - a **manifest** is what `module.toml` promises before code runs: names, permissions, what it depends on;
//! - a **project** is what `larkspur.toml` says about the server and its modules;
//! - a **config** is what one module is told; each of its **settings** has an **origin**, the layer that said it;
//! - a **surface** is how tools are shown: flat, or behind a few **meta tools**;

#[cfg(test)]
mod access_tests;
mod audit;
mod bounds;
mod claims;
mod config;
mod cors;
mod document;
#[cfg(test)]
mod faults;
mod manifest;
mod policy;
mod project;
mod schema;
mod server;
mod template;
mod trust;

pub use audit::{AuditSettings, OnError};
pub use bounds::Bounds;
pub use claims::Claims;
pub use config::{
    CONFIG_WORDS, Config, ConfigKey, ConfigSchema, Layers, Origin, Setting, check_set, near_misses,
    parse_set, resolve,
};
pub use cors::{Cors, origin_of};
pub use document::{parse_word, read_toml, write_toml};
pub use manifest::{Manifest, ModuleLimits, Rate, SecretSpec};
pub use policy::{Pattern, Policy, Roles, Verdict};
pub use project::{Connection, ModuleSettings, Project, Vault};
pub use schema::{Key, MANIFEST, PROJECT, Section, manifest_schema, project_schema};
pub use server::{
    Auth, ConnectionSettings, Errors, Server, SessionLimits, StructuredResults, Surface, Transport,
};
pub use template::project_template;
pub use trust::{Issuer, Keys, Trust};
