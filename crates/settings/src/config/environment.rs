//! `MODULE_NAME__KEY`: variables that configure a module, and those that nearly do.

use super::ConfigSchema;
use super::merged::Merged;
use super::path::{Path, below, names};
use model::{ModuleName, did_you_mean};

/// `crypto-tools` is `CRYPTO_TOOLS` there.
pub(super) fn env_name(name: &str) -> String {
    name.to_ascii_uppercase().replace('-', "_")
}

/// `CRYPTO_TOOLS__`.
pub(super) fn prefix(module: &ModuleName) -> String {
    format!("{}__", env_name(module.as_str()))
}

pub(super) fn variable(module: &ModuleName, key: &str) -> String {
    format!("{}{}", prefix(module), env_name(key))
}

/// The module's variables by name, so that `A__B` is laid down before `A__B__C`.
pub(super) fn of_module<'e>(
    module: &ModuleName,
    environment: &'e [(String, String)],
) -> Vec<(&'e str, &'e str)> {
    let prefix = prefix(module);
    let pairs = environment.iter().map(|(k, v)| (k.as_str(), v.as_str()));
    let mut pairs: Vec<_> = pairs.filter(|(k, _)| k.starts_with(&prefix)).collect();
    pairs.sort_unstable();
    pairs
}

/// Where `KEY__INNER` leads; `None` if it is no key of the module.
pub(super) fn path(schema: &ConfigSchema, merged: &Merged, rest: &str) -> Option<Path> {
    let mut path = Path::new();
    for part in rest.split("__") {
        let names = match path.split_first() {
            None => first_names(schema, merged),
            Some((key, inner)) => {
                let schema = schema.key(key).and_then(|key| below(&key.schema, inner));
                names(schema, merged.get(&path))
            }
        };
        let known = names.into_iter().find(|name| env_name(name) == part);
        let free = schema.is_open() || !path.is_empty();
        let made = (free && !part.is_empty()).then(|| part.to_ascii_lowercase());
        path.push(known.map(str::to_owned).or(made)?);
    }
    Some(path)
}

fn first_names<'s>(schema: &'s ConfigSchema, merged: &'s Merged) -> Vec<&'s str> {
    if schema.is_open() {
        return merged.values().keys().map(String::as_str).collect();
    }
    schema.keys().iter().map(|key| key.name.as_str()).collect()
}

/// Variables that look as if they were to configure a module, but do not: a note for each.
pub fn near_misses(
    modules: &[(&ModuleName, &ConfigSchema)],
    environment: &[(String, String)],
) -> Vec<String> {
    let mut variables: Vec<&str> = environment.iter().map(|(name, _)| name.as_str()).collect();
    variables.sort_unstable();
    variables.dedup();
    let ours = |v: &&str| !v.starts_with('_') && !v.starts_with("LARKSPUR_");
    let notes = variables.into_iter().filter(ours);
    notes.filter_map(|v| near_miss(modules, v)).collect()
}

fn near_miss(modules: &[(&ModuleName, &ConfigSchema)], variable: &str) -> Option<String> {
    let owns = |(module, _): &&(&ModuleName, &ConfigSchema)| variable.starts_with(&prefix(module));
    let mut owners = modules.iter().filter(owns).peekable();
    if owners.peek().is_none() {
        return stray_module(modules, variable);
    }
    let notes: Option<Vec<String>> = owners.map(|(m, s)| stray_key(m, s, variable)).collect();
    notes?.into_iter().next()
}

fn stray_module(modules: &[(&ModuleName, &ConfigSchema)], variable: &str) -> Option<String> {
    let (given, rest) = variable.split_once("__")?;
    let names: Vec<String> = modules.iter().map(|(m, _)| env_name(m.as_str())).collect();
    let near = did_you_mean(given, names.iter().map(String::as_str))?;
    let meant = format!("{near}__{}", rest.to_ascii_uppercase());
    if near.eq_ignore_ascii_case(given) {
        return Some(format!("{variable} is set, but not in capitals; did you mean {meant}?"));
    }
    let given = given.to_ascii_lowercase().replace('_', "-");
    Some(format!("{variable} is set, but there is no module `{given}`; did you mean {meant}?"))
}

fn stray_key(module: &ModuleName, schema: &ConfigSchema, variable: &str) -> Option<String> {
    let rest = &variable[prefix(module).len()..];
    if path(schema, &Merged::default(), rest).is_some() {
        return None;
    }
    let given = rest.split("__").next().unwrap_or_default();
    let names: Vec<String> = schema.keys().iter().map(|k| env_name(&k.name)).collect();
    let help = match did_you_mean(given, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {}?", variable.replacen(given, near, 1)),
        None if names.is_empty() => "it has none".to_owned(),
        None => format!("there are {}", names.join(", ")),
    };
    let given = given.to_ascii_lowercase();
    Some(format!("{variable} is set, but module `{module}` has no config key `{given}`; {help}"))
}
