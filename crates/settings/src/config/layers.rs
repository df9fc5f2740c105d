//! The layers of a configuration, laid over each other and checked.

use super::environment;
use super::merged::Merged;
use super::path::{Path, below};
use super::problems::Problems;
use super::text::read_text;
use super::{Config, ConfigSchema, Origin, set};
use crate::ModuleSettings;
use model::{Fault, ModuleName};
use serde_json::Value;

/// What was said about modules, beside their defaults.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layers<'a> {
    /// `[module.NAME.config]` in `larkspur.toml`.
    pub file: Option<&'a ModuleSettings>,
    pub environment: &'a [(String, String)],
    /// `--set module.key=value`, split at `=`.
    pub set: &'a [(String, String)],
    /// `module.key` with the value that a test gives it.
    pub played: &'a [(String, Value)],
}

/// The configuration of one module, or everything that is wrong with it.
pub fn resolve(
    module: &ModuleName,
    schema: &ConfigSchema,
    layers: &Layers<'_>,
) -> Result<Config, Fault> {
    let mut merged = Merged::default();
    put_defaults(&mut merged, schema);
    if let Some(settings) = layers.file {
        put_file(&mut merged, settings);
    }
    put_environment(&mut merged, module, schema, layers.environment);
    put_set(&mut merged, module, schema, layers.set);
    put_played(&mut merged, module, layers.played);
    let problems = Problems::of(schema, &merged, layers.file);
    match problems.fault(module) {
        Some(fault) => Err(fault),
        None => Ok(merged.into_config(schema)),
    }
}

fn put_defaults(merged: &mut Merged, schema: &ConfigSchema) {
    for key in schema.keys() {
        if let Some(default) = &key.default {
            let origin = Origin::Default { file: key.place.file.clone(), line: key.default_line };
            merged.put(std::slice::from_ref(&key.name), default.clone(), &|_| origin.clone());
        }
    }
}

fn put_file(merged: &mut Merged, settings: &ModuleSettings) {
    for (key, value) in &settings.config {
        merged.put(std::slice::from_ref(key), value.clone(), &|path| settings.origin(path));
    }
}

fn put_environment(
    merged: &mut Merged,
    module: &ModuleName,
    schema: &ConfigSchema,
    environment: &[(String, String)],
) {
    for (variable, text) in environment::of_module(module, environment) {
        let rest = &variable[environment::prefix(module).len()..];
        // What the schema does not know is left to `near_misses`: the environment has many owners.
        if let Some(path) = environment::path(schema, merged, rest) {
            let origin = Origin::Environment(variable.to_owned());
            let value = typed(schema, &path, text);
            merged.put(&path, value, &|_| origin.clone());
        }
    }
}

fn put_set(
    merged: &mut Merged,
    module: &ModuleName,
    schema: &ConfigSchema,
    set: &[(String, String)],
) {
    for (target, text) in set {
        if let Some((_, path)) = set::split(target).filter(|(name, _)| *name == module.as_str()) {
            let value = typed(schema, &path, text);
            merged.put(&path, value, &|_| Origin::CommandLine);
        }
    }
}

fn put_played(merged: &mut Merged, module: &ModuleName, played: &[(String, Value)]) {
    for (target, value) in played {
        if let Some((_, path)) = set::split(target).filter(|(name, _)| *name == module.as_str()) {
            merged.put(&path, value.clone(), &|_| Origin::Test);
        }
    }
}

fn typed(schema: &ConfigSchema, path: &Path, text: &str) -> Value {
    let schema = path.split_first().and_then(|(key, inner)| {
        let key = schema.key(key)?;
        below(&key.schema, inner)
    });
    read_text(schema, text)
}
