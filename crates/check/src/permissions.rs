//! What a module does against what it declares.

use crate::files::located;
use crate::fix::Fix;
use crate::inspection::{Inspection, SourceFile};
use crate::{Finding, file_permissions};
use model::{Access, Fault, ModuleName, Permission, Permissions, Rights, Site, Spot, ToolPath};
use runtime::{Catalog, Lookup, Surveyed};
use script::Use;
use settings::Manifest;
use std::path::Path;
use toml_edit::DocumentMut;

/// May be granted but not used.
pub(super) const UNUSED: &str = "W0302";
/// Is used but not granted.
pub const MISSING: &str = "E0301";

pub(super) fn check(
    inspection: &Inspection<'_>,
    name: &ModuleName,
    module: &Surveyed,
    findings: &mut Vec<Finding>,
) {
    match (&module.manifest, &module.script) {
        (Some(manifest), _) => check_folder(inspection, module, manifest, findings),
        (None, Some(script)) => file_permissions::check(inspection, name, module, script, findings),
        (None, None) => {}
    }
}

fn check_folder(
    inspection: &Inspection<'_>,
    module: &Surveyed,
    manifest: &Manifest,
    findings: &mut Vec<Finding>,
) {
    let is_own = |path: &Path| module.home.as_ref().is_some_and(|home| path.starts_with(home));
    let files = inspection.sources(is_own);
    let rights = rights(manifest);
    for file in &files {
        for used in &file.facts.uses {
            let tool = called(&inspection.catalog, used);
            let fault = match &tool {
                Some(tool) => uncallable(tool, used, &rights),
                None => refused(used, &rights, manifest),
            };
            let Some(finding) = fault.map(|fault| Finding::new(&file.shown, fault)) else {
                continue;
            };
            findings.push(match (tool, &module.home) {
                (Some(tool), Some(home)) => {
                    let manifest = home.join("module.toml");
                    finding.fixed_by(Fix::AddCall { manifest, tool })
                }
                _ => finding,
            });
        }
    }
    // What cannot be read, or names what is not there, may be what uses them.
    if findings.iter().any(|one| one.is_error() && is_own(Path::new(&one.file))) {
        return;
    }
    // What is loaded from another module runs with the permissions of this one.
    let mut loads = files.iter().flat_map(|file| &file.facts.loads);
    if !loads.any(|load| load.target.starts_with('@')) {
        let unused = unused(manifest, &files);
        let unused = unused.into_iter().map(|fault| located(inspection.runtime, fault));
        findings.extend(unused.filter_map(|fault| unneeded(fault, module)));
    }
}

/// What the author wrote, without what an operator adds or takes away.
fn rights(manifest: &Manifest) -> Rights {
    let config = manifest.config.defaults();
    let permissions = manifest.permissions.under(&config).unwrap_or_default();
    Rights::of_folder(manifest.name.as_str(), &permissions, None)
}

/// The tool that a script calls, where its name is written out.
pub(super) fn called(catalog: &Catalog, used: &Use) -> Option<ToolPath> {
    if used.library != "ctx" || used.function != "call" {
        return None;
    }
    let name = used.first.as_deref()?;
    match catalog.lookup(name) {
        Lookup::Found(handle) => Some(handle.path()),
        Lookup::Ambiguous(_) | Lookup::Unknown(_) => name.parse().ok(),
    }
}

pub(super) fn uncallable(tool: &ToolPath, used: &Use, rights: &Rights) -> Option<Fault> {
    let denied = rights.check(&Access::Calls(tool)).err()?;
    let fault = refusal(&denied.to_string());
    Some(fault.code(MISSING).at(used.place.clone()))
}

fn refused(used: &Use, rights: &Rights, manifest: &Manifest) -> Option<Fault> {
    if let ("ctx", "secret", Some(secret)) =
        (used.library.as_str(), used.function.as_str(), used.first.as_deref())
    {
        return undeclared(secret, used, manifest);
    }
    let fault = match denial(used, rights) {
        Some((why, _)) => refusal(&why),
        None => ungranted(used, manifest)?,
    };
    Some(fault.code(MISSING).at(used.place.clone()))
}

/// Why a use is denied, and the name that would have to be granted, as far as the source tells what it asks
/// for.
pub(super) fn denial(used: &Use, rights: &Rights) -> Option<(String, String)> {
    let first = used.first.as_deref()?;
    let (access, name) = match permission(used)? {
        Permission::Exec => (rights.check(&Access::Exec(first)), first.to_owned()),
        Permission::Env => (rights.check(&Access::Env(first)), first.to_owned()),
        Permission::Postgres => (rights.check(&Access::Postgres(first)), first.to_owned()),
        Permission::Http => {
            let site = Site::read(first)?;
            (rights.check(&Access::Http(&site)), site.to_string())
        }
        permission => {
            let path = plain(first)?;
            let spot = Spot {
                asked: first,
                whole: &path,
                below: (!path.starts_with('/')).then_some(path.as_str()),
            };
            let access = match permission {
                Permission::Files => Access::Files(spot),
                Permission::FilesWrite => Access::FilesWrite(spot),
                Permission::Sqlite => Access::Sqlite(spot),
                Permission::SqliteWrite => Access::SqliteWrite(spot),
                _ => return None,
            };
            (rights.check(&access), path.clone())
        }
    };
    Some((access.err()?.to_string(), name))
}

/// A path without `.`; nothing if it leads up, because links decide where to.
fn plain(path: &str) -> Option<String> {
    let parts = path.split('/').filter(|part| *part != ".");
    let parts: Vec<&str> = parts.collect();
    let is_up = parts.contains(&"..") || parts.iter().all(|part| part.is_empty());
    (!is_up).then(|| parts.join("/"))
}

/// What is refused, and how to get it: the sentence of a call, in two parts.
pub(super) fn refusal(why: &str) -> Fault {
    match why.split_once("; ") {
        Some((says, help)) => Fault::new(says).help(help),
        None => Fault::new(why),
    }
}

/// It uses a library of which its manifest grants nothing at all.
fn ungranted(used: &Use, manifest: &Manifest) -> Option<Fault> {
    let key = ungranted_key(used, &manifest.permissions)?;
    let says = format!(
        "module `{}` uses {}.{}, and its manifest grants no `{key}`",
        manifest.name, used.library, used.function
    );
    let help = format!("add {key} = [\"…\"] to [permissions] in module.toml");
    Some(Fault::new(says).help(help))
}

/// The key of which nothing at all is granted, though the use needs something of it.
pub(super) fn ungranted_key(used: &Use, permissions: &Permissions) -> Option<&'static str> {
    let permission = permission(used)?;
    let granted = |permission| !permissions.get(permission).is_empty();
    let by_more = match permission {
        Permission::Files => granted(Permission::FilesWrite),
        Permission::Sqlite => granted(Permission::SqliteWrite),
        _ => false,
    };
    (!granted(permission) && !by_more).then(|| permission.key())
}

fn undeclared(secret: &str, used: &Use, manifest: &Manifest) -> Option<Fault> {
    if manifest.secrets.contains_key(secret) {
        return None;
    }
    let fault = Fault::new(format!(
        "module `{}` asks for the secret `{secret}`, which its manifest does not name",
        manifest.name
    ));
    let help = format!(
        "add to module.toml: [secrets] {secret} = {{ description = \"…\", hosts = [\"…\"] }}"
    );
    Some(fault.code(MISSING).help(help).at(used.place.clone()))
}

pub(super) fn permission(used: &Use) -> Option<Permission> {
    let writes = ["write", "execute", "transaction"].contains(&used.function.as_str());
    Some(match used.library.as_str() {
        "http" => Permission::Http,
        "exec" => Permission::Exec,
        "env" => Permission::Env,
        "postgres" => Permission::Postgres,
        "files" if writes => Permission::FilesWrite,
        "files" => Permission::Files,
        "sqlite" if writes => Permission::SqliteWrite,
        "sqlite" => Permission::Sqlite,
        _ => return None,
    })
}

/// Does anything here use what this permission is for?
pub(super) fn is_used(permission: Permission, files: &[&SourceFile]) -> bool {
    // Also where it is handed on: `attempt(http.get, url)`.
    let named = |name: &str| files.iter().any(|file| file.facts.mentions(name));
    let argued = |name: &str| files.iter().any(|file| file.facts.keywords.contains(name));
    match permission {
        Permission::Sqlite | Permission::SqliteWrite => named("sqlite"),
        // The folder that a command runs in is one that may be read.
        Permission::Files => named("files") || named("exec") && argued("cwd"),
        Permission::FilesWrite => named("files"),
        Permission::Calls => named("ctx"),
        other => named(other.key()),
    }
}

fn unused(manifest: &Manifest, files: &[&SourceFile]) -> Vec<Fault> {
    let said = |text: &String| files.iter().any(|file| file.facts.texts.contains(text));
    let fault = |says: String, place| Fault { place, ..Fault::new(says) };
    let mut found = Vec::new();
    for permission in Permission::ALL {
        let is_granted = !manifest.permissions.get(permission).is_empty();
        if is_granted && !is_used(permission, files) {
            let key = permission.key();
            let place = manifest.place(&format!("permissions.{key}"));
            found.push(fault(format!("`{key}` is granted, and nothing uses it"), place));
        }
    }
    for secret in manifest.secrets.keys() {
        if !said(secret) {
            let says = format!("the secret `{secret}` is asked for, and nothing uses it");
            found.push(fault(says, manifest.place_of_item("secrets", secret)));
        }
    }
    found
}

fn unneeded(fault: Fault, module: &Surveyed) -> Option<Finding> {
    let help = "delete the line: what a module may do should be what it does";
    let fault = fault.code(UNUSED).help(help);
    let line = fault.place.as_ref()?.excerpt.trim_end().to_owned();
    let file = module.home.as_ref()?.join("module.toml");
    let finding = Finding::new(&file.display().to_string(), fault);
    // Of a table in one line, the rest would go as well.
    let is_table = line.starts_with("permissions") || line.starts_with("secrets");
    Some(if is_one_entry(&line) && !is_table { finding.fixed_by(Fix::DeleteLine) } else { finding })
}

/// `key = […]` or `key = {…}`, and nothing else: such a line can go without its neighbours.
fn is_one_entry(line: &str) -> bool {
    let Ok(document) = line.parse::<DocumentMut>() else {
        return false;
    };
    let is_whole = document.iter().all(|(_, item)| item.is_array() || item.is_inline_table());
    document.len() == 1 && is_whole && !line.starts_with(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_of_its_own_can_go() {
        for (line, expected) in [
            ("http = [\"a\"]", true),
            ("http = ['a', \"b]\"] # why", true),
            ("token = { hosts = [\"a\"] }", true),
            ("http = [", false),
            ("http = [ \"a\"", false),
            ("permissions = { http = [\"a\"] }", true),
            ("a.b = [\"a\"]", false),
            ("  ]", false),
            ("\"x\",", false),
        ] {
            assert_eq!(is_one_entry(line), expected, "{line}");
        }
    }
}
