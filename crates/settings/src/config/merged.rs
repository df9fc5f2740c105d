//! Layers laid over each other: objects by key, anything else whole.

use super::path::Path;
use super::{Config, ConfigSchema, Origin, Setting};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Merged {
    values: Map<String, Value>,
    /// Who said what, by the path of what was said whole.
    origins: BTreeMap<Path, Origin>,
}

impl Merged {
    /// Lays a value over what is there; `origin` knows who says each part of it.
    pub(super) fn put(
        &mut self,
        path: &[String],
        value: Value,
        origin: &dyn Fn(&[String]) -> Origin,
    ) {
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                for (key, value) in inner {
                    let path: Path = path.iter().cloned().chain([key]).collect();
                    self.put(&path, value, origin);
                }
            }
            Value::Object(_) if self.get(path).is_some_and(Value::is_object) => {}
            whole => self.replace(path, whole, origin(path)),
        }
    }

    pub(super) fn get(&self, path: &[String]) -> Option<&Value> {
        let (first, inner) = path.split_first()?;
        inner.iter().try_fold(self.values.get(first)?, |v, step| v.get(step))
    }

    pub(super) fn values(&self) -> &Map<String, Value> {
        &self.values
    }

    /// Who said the value at this path: the nearest that was said whole, else the last of its parts.
    pub(super) fn origin(&self, path: &[String]) -> Option<&Origin> {
        let around = (1..=path.len()).rev().find_map(|n| self.origins.get(&path[..n]));
        let inside = self.origins.iter().filter(|(p, _)| p.starts_with(path));
        around.or_else(|| inside.map(|(_, origin)| origin).max())
    }

    /// In the schema's order; keys it does not have come after.
    pub(super) fn into_config(self, schema: &ConfigSchema) -> Config {
        let known = schema.keys().iter().map(|key| &key.name);
        let known = known.filter(|name| self.values.contains_key(*name));
        let others = self.values.keys().filter(|name| schema.key(name).is_none());
        let setting = |key: &String| {
            Some(Setting {
                key: key.clone(),
                value: self.values.get(key)?.clone(),
                origin: self.origin(std::slice::from_ref(key))?.clone(),
                parts: self.parts(key),
            })
        };
        Config { settings: known.chain(others).filter_map(setting).collect() }
    }

    fn parts(&self, key: &String) -> Vec<(String, Origin)> {
        let origins = self.origins.iter();
        let inside = origins.filter(|(path, _)| path.len() > 1 && path.first() == Some(key));
        let parts = inside.map(|(path, origin)| (path[1..].join("."), origin.clone()));
        let parts: Vec<(String, Origin)> = parts.collect();
        let several = parts.windows(2).any(|pair| pair[0].1 != pair[1].1);
        if several { parts } else { Vec::new() }
    }

    fn replace(&mut self, path: &[String], value: Value, origin: Origin) {
        let Some((first, inner)) = path.split_first() else {
            return;
        };
        self.origins.retain(|p, _| !p.starts_with(path) && !path.starts_with(p));
        self.origins.insert(path.to_vec(), origin);
        let mut slot = self.values.entry(first.clone()).or_insert(Value::Null);
        for step in inner {
            if !slot.is_object() {
                *slot = Value::Object(Map::new());
            }
            slot = &mut slot[step.as_str()];
        }
        *slot = value;
    }
}
