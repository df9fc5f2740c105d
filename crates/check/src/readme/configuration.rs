//! The section that says what a module can be told: one row a key of its manifest.

use super::words::{code, kind, one_line};
use model::ModuleName;
use settings::{ConfigKey, ConfigSchema};

pub(super) fn section(module: &ModuleName, schema: Option<&ConfigSchema>) -> String {
    let body = match schema {
        None => format!(
            "This module has no manifest: what `[module.{module}.config]` in `larkspur.toml` says \
             reaches it as it stands.\n"
        ),
        Some(schema) if schema.keys().is_empty() => "There is nothing to set.\n".to_owned(),
        Some(schema) => table(module, schema.keys()),
    };
    format!("## Configuration\n\n{body}")
}

fn table(module: &ModuleName, keys: &[ConfigKey]) -> String {
    let rows: String = keys.iter().map(|key| row(module, key)).collect();
    format!(
        "Set a key under `[module.{module}.config]` in `larkspur.toml`, by its variable in the \
         environment, or with `--set {module}.KEY=VALUE`; the later of these wins.\n\n\
         | key | type | default | description | environment variable |\n\
         |---|---|---|---|---|\n{rows}"
    )
}

fn row(module: &ModuleName, key: &ConfigKey) -> String {
    let default = match &key.default {
        Some(default) => code(&default.to_string()),
        None if key.required => "none, must be set".to_owned(),
        None => "none".to_owned(),
    };
    let cells = [
        code(&key.name),
        kind(&key.schema),
        default,
        key.description.as_deref().map(one_line).unwrap_or_default(),
        code(&key.variable(module)),
    ];
    // A bar ends a cell, also inside code.
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    format!("| {} |\n", cells.join(" | "))
}
