//! What a token may be for: a tool that scopes name needs one of them.

use super::Pattern;
use super::role::patterns;
use crate::document::Item;
use crate::known;
use model::{Fault, did_you_mean};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scope {
    pub name: String,
    pub tools: Vec<Pattern>,
    /// Scopes that need not be had besides.
    pub implies: Vec<String>,
}

impl Scope {
    pub(super) fn read(item: &Item<'_>) -> Option<Self> {
        let mut table = item.table()?;
        let scope = Self {
            name: item.key().to_owned(),
            tools: patterns(&mut table, "tools"),
            implies: table.strings("implies"),
        };
        table.finish(&known::SCOPE);
        if !is_token(&scope.name) {
            let fault = Fault::new(format!("`{}` is no name for a scope", scope.name));
            item.report_key(fault.help("use letters, digits and `:._-/`, and no blanks"));
        }
        Some(scope)
    }

    pub(super) fn opens(&self, module: &str, name: &str) -> bool {
        self.tools.iter().any(|pattern| pattern.matches(module, name))
    }
}

/// It is written into headers, between quotes, beside others.
fn is_token(name: &str) -> bool {
    let mut bytes = name.bytes();
    name != "offline_access"
        && !name.is_empty()
        && bytes.all(|b| b.is_ascii_alphanumeric() || b":._-/".contains(&b))
}

pub(super) fn unknown<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Fault {
    let fault = Fault::new(format!("it implies the scope `{name}`, which is not there"));
    match did_you_mean(name, known) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.help(format!("add [scope.\"{name}\"]")),
    }
}
