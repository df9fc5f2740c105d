//! What a token may be for: a tool that scopes name needs one of them.

use super::Pattern;
use crate::document::Spans;
use indexmap::IndexMap;
use model::{Fault, did_you_mean};
use schemars::JsonSchema;
use serde::Deserialize;

/// Tools that need a token with this scope, or with one that implies it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(crate) struct Scope {
    /// The tools, as in a role.
    #[schemars(with = "Vec<String>", extend("examples" = [["notion.create_*"]]))]
    tools: Vec<Pattern>,
    /// Scopes that need not be had besides.
    pub(super) implies: Vec<String>,
}

impl Scope {
    pub(super) fn opens(&self, module: &str, name: &str) -> bool {
        self.tools.iter().any(|pattern| pattern.matches(module, name))
    }
}

/// Their names can be written into headers, and a scope that another one implies must be there.
pub(super) fn check(scopes: &IndexMap<String, Scope>, spans: &Spans) -> Result<(), Fault> {
    for (name, scope) in scopes {
        let fault = if is_token(name) {
            let missing = scope.implies.iter().find(|implied| !scopes.contains_key(*implied));
            missing.map(|missing| unknown(missing, scopes.keys().map(String::as_str)))
        } else {
            let fault = Fault::new(format!("`{name}` is no name for a scope"));
            Some(fault.help("use letters, digits and `:._-/`, and no blanks"))
        };
        if let Some(fault) = fault {
            return Err(spans.fault(&["scope", name], fault));
        }
    }
    Ok(())
}

/// It is written into headers, between quotes, beside others.
fn is_token(name: &str) -> bool {
    let mut bytes = name.bytes();
    name != "offline_access"
        && !name.is_empty()
        && bytes.all(|b| b.is_ascii_alphanumeric() || b":._-/".contains(&b))
}

fn unknown<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Fault {
    let fault = Fault::new(format!("it implies the scope `{name}`, which is not there"));
    match did_you_mean(name, known) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.help(format!("add [scope.\"{name}\"]")),
    }
}
