//! `permissions(…)`: what a single file may reach, with the keys of `[permissions]` in a manifest.

use crate::declare::known;
use crate::kinds;
use crate::signature::get;
use crate::source_facts::SourceFacts;
use crate::stdlib::prelude::*;
use crate::stdlib::show;
use anyhow::anyhow;
use model::{Permission, Permissions};

/// The call stack of a native function that the file itself calls.
const TOP_LEVEL: usize = 2;
/// The function that starlark-mcp looks for.
const DESCRIBE: &str = "describe_extension";

/// Why a file cannot be loaded that reads variables at its top.
pub const ENV_WHILE_LOADING: &str = "`env` works in calls, not while a file loads";

/// Does the source look like a file in starlark-mcp's form? Such a file has `describe_extension`, and uses
/// neither `tool` nor `permissions`, which starlark-mcp does not have; it may give these names to values of
/// its own.
pub fn is_extension(file: &str, source: &str) -> bool {
    if !source.contains(DESCRIBE) {
        return false;
    }
    let Ok(facts) = SourceFacts::read(file, source) else {
        return false;
    };
    let loaded = facts.loads.iter().flat_map(|load| &load.names).map(|(own, _)| own);
    let mut names = facts.definitions.iter().map(|definition| &definition.name).chain(loaded);
    let is_described = names.any(|name| name == DESCRIBE);
    let is_used = |name: &str| facts.mentions(name) && !facts.own.contains(name);
    is_described && !is_used("tool") && !is_used("permissions")
}

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// Declares what a single file may reach: without it, no network, variables, databases, files or commands.
    ///
    /// It is called once, at the top of a file that offers tools. By name it takes lists of strings, with
    /// the keys of `[permissions]` in a `module.toml`: `http` (hosts), `exec` (commands), `env` (variables),
    /// `sqlite` and `sqlite_write` (database files), `postgres` (connections by name), `files` and
    /// `files_write` (paths), `calls` (tools of other modules). `*` stands for anything but `/`, `**` for anything, and `http = ["*"]` for every
    /// public host. A module in a folder has them in its `module.toml`. `larkspur check --fix` adds what a file
    /// uses.
    ///
    /// Examples:
    /// ```python
    /// permissions(http = ["api.example.org"], env = ["EXAMPLE_*"])
    ///
    /// def news() -> str:
    ///     """Read the latest news."""
    ///     return http.get("https://api.example.org/news")["body"]
    ///
    /// tool(news)
    /// ```
    fn permissions<'v>(
        #[starlark(kwargs)] entries: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        check_place(eval)?;
        let mut all = Permissions::default();
        for (key, value) in entries.iter() {
            read(&mut all, key.unpack_str().unwrap_or_default(), value)?;
        }
        // Copies: the script may change its lists later.
        let heap = eval.heap();
        let copied = Permission::ALL.map(|permission| {
            let names = all.get(permission).iter().map(String::as_str);
            (permission.key(), heap.alloc(AllocList(names)))
        });
        let entry =
            [("kind", heap.alloc("permissions")), ("entries", heap.alloc(AllocDict(copied)))];
        kinds::note(heap.alloc(AllocDict(entry)), eval)?;
        Ok(NoneType)
    }
}

fn check_place(eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<()> {
    let Some(load) = &Cx::of(eval)?.loading else {
        bail!("permissions() is called at the top of a file, not in a call")
    };
    if load.is_in_folder {
        bail!(
            "permissions() is for single files; this module has a module.toml: write them under \
             [permissions] there"
        );
    }
    if eval.call_stack_count() > TOP_LEVEL {
        bail!("permissions() is called at the top of a file, not inside a function");
    }
    if kinds::noted(eval).into_iter().any(is_permissions) {
        bail!("permissions() is called once in a file; add these to the first call");
    }
    Ok(())
}

fn is_permissions(entry: Value<'_>) -> bool {
    get(entry, "kind").and_then(Value::unpack_str) == Some("permissions")
}

/// Adds one key with its list.
fn read(all: &mut Permissions, key: &str, value: Value<'_>) -> anyhow::Result<()> {
    known("permissions()", key, Permission::ALL.iter().map(|one| one.key()))?;
    let permission = Permission::ALL.into_iter().find(|one| one.key() == key);
    let (Some(permission), Some(list)) = (permission, ListRef::from_value(value)) else {
        let hint = value
            .unpack_str()
            .map_or_else(String::new, |_| format!("; write {key} = [{}]", show::quoted(value)));
        bail!("`{key}` of permissions() takes a list of strings, not a {}{hint}", value.get_type());
    };
    for item in list.iter() {
        let Some(text) = item.unpack_str() else {
            bail!(
                "`{key}` of permissions() takes a list of strings, and {} is a {}",
                show::quoted(item),
                item.get_type()
            );
        };
        all.declare(permission, text)
            .map_err(|fault| anyhow!("`{key}` of permissions(): {}", one_line(&fault)))?;
    }
    Ok(())
}

fn one_line(fault: &model::Fault) -> String {
    match &fault.help {
        Some(help) => format!("{}; {help}", fault.message),
        None => fault.message.clone(),
    }
}

/// What a noted call declares; it was checked when it was called.
pub(crate) fn declared(entry: Value<'_>) -> Option<Permissions> {
    let entries = get(entry, "entries").and_then(DictRef::from_value)?;
    let mut all = Permissions::default();
    for (key, value) in entries.iter() {
        read(&mut all, key.unpack_str()?, value).ok()?;
    }
    Some(all)
}
