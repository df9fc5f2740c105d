//! Under what an answer is found again: all that it may depend on.

use crate::catalog::{Catalog, Module};
use model::{Args, Cache, Caller};
use serde_json::{Map, Value};
use settings::Roles;
use std::fmt::Write;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// Which run of the module: one that is loaded, configured or started anew is another.
    pub(crate) life: u64,
    /// Its tools may have changed within one.
    generation: u64,
    /// The tool, or the URI.
    pub(crate) what: String,
    /// Written in one way, whatever the order they came in.
    args: String,
    /// The form of the answer.
    shape: String,
    /// Nobody where everybody gets the same.
    who: Option<Who>,
}

/// A caller, and what he may reach besides.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Who {
    is_local: bool,
    pub(super) name: String,
    issuer: Option<String>,
    scopes: Option<Arc<[String]>>,
    roles: Roles,
}

impl Who {
    pub(crate) fn of(caller: &Caller, catalog: &Catalog) -> Self {
        let claims = caller.claims.as_ref();
        let issuer = claims.and_then(|claims| claims.get("iss")?.as_str());
        Self {
            is_local: caller.is_local(),
            name: caller.name.to_string(),
            issuer: issuer.map(str::to_owned),
            scopes: caller.scopes.clone(),
            roles: catalog.rules.policy.roles_of(caller),
        }
    }
}

impl Key {
    pub(crate) fn new(
        module: &Module,
        what: String,
        args: &Args,
        shape: String,
        who: &Who,
        cache: Cache,
    ) -> Self {
        let mut text = String::new();
        object(args, &mut text);
        Self {
            life: module.life.born,
            generation: module.generation,
            what,
            args: text,
            shape,
            who: (!cache.public).then(|| who.clone()),
        }
    }

    pub(crate) fn for_caller(self, who: Who) -> Self {
        Self { who: Some(who), ..self }
    }

    pub(super) fn is_public(&self) -> bool {
        self.who.is_none()
    }

    pub(super) fn size(&self) -> usize {
        let who = self.who.as_ref().map_or(0, |who| who.name.len());
        self.what.len() + self.args.len() + self.shape.len() + who
    }
}

fn object(map: &Map<String, Value>, out: &mut String) {
    let mut names: Vec<&String> = map.keys().collect();
    names.sort_unstable();
    out.push('{');
    for name in names {
        let _ = write!(out, "{}:", Value::String(name.clone()));
        value(&map[name], out);
        out.push(',');
    }
    out.push('}');
}

fn value(of: &Value, out: &mut String) {
    match of {
        Value::Object(map) => object(map, out),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                value(item, out);
                out.push(',');
            }
            out.push(']');
        }
        plain => {
            let _ = write!(out, "{plain}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written(args: &Value) -> String {
        let mut text = String::new();
        object(args.as_object().unwrap(), &mut text);
        text
    }

    #[test]
    fn order_does_not_matter_and_all_else_does() {
        let one = written(&json!({"b": 1, "a": {"y": [1, 2], "x": null}}));
        let other = written(&json!({"a": {"x": null, "y": [1, 2]}, "b": 1}));
        assert_eq!(one, other);
        let all = [
            json!({}),
            json!({"a": 1}),
            json!({"a": "1"}),
            json!({"a": [1]}),
            json!({"a": [1, 1]}),
            json!({"a": {"1": 1}}),
            json!({"a": "1,\"b\":1"}),
            json!({"a": 1, "b": 1}),
            json!({"a": [2, 1]}),
            json!({"a": [1, 2]}),
        ];
        for (i, one) in all.iter().enumerate() {
            for other in &all[i + 1..] {
                assert_ne!(written(one), written(other));
            }
        }
    }
}
