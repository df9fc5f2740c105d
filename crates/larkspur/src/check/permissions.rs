//! What a module does against what its manifest asks for.

use super::Finding;
use super::files::located;
use super::fix::Fix;
use model::{Access, Fault, Manifest, ModuleName, Permission, Rights, Site, ToolPath};
use runtime::{Lookup, Runtime, Surveyed};
use script::{Sketch, Use};
use std::path::Path;

/// May be granted but not used.
const UNUSED: &str = "W0302";
/// Is used but not granted.
const MISSING: &str = "E0301";

pub(super) fn check(
    runtime: &Runtime,
    name: &ModuleName,
    module: &Surveyed,
    findings: &mut Vec<Finding>,
) {
    let sketches = sketches(runtime, module);
    let rights = rights(name, module);
    for (file, sketch) in &sketches {
        for used in &sketch.uses {
            let manifest = module.manifest.as_deref();
            let tool = called(runtime, used);
            let fault = match &tool {
                Some(tool) => uncallable(tool, used, &rights),
                None => refused(used, &rights, manifest),
            };
            let Some(finding) = fault.map(|fault| Finding::new(file, fault)) else {
                continue;
            };
            let home = module.home.as_ref().filter(|_| manifest.is_some());
            findings.push(match (tool, home) {
                (Some(tool), Some(home)) => {
                    let manifest = home.join("module.toml");
                    finding.fixed_by(Fix::AddCall { manifest, tool })
                }
                _ => finding,
            });
        }
    }
    let Some(manifest) = module.manifest.as_deref() else {
        return;
    };
    // What cannot be read, or names what is not there, may be what uses them.
    let of_it = |one: &Finding| {
        module
            .home
            .as_ref()
            .is_some_and(|home| Path::new(&one.file).starts_with(home))
    };
    if findings.iter().any(|one| one.is_error() && of_it(one)) {
        return;
    }
    // What is loaded from another module runs with the permissions of this one.
    let borrows = |sketch: &Sketch| sketch.loads.iter().any(|load| load.starts_with('@'));
    if !sketches.iter().any(|(_, sketch)| borrows(sketch)) {
        let unused = unused(manifest, &sketches);
        let unused = unused.into_iter().map(|fault| located(runtime, fault));
        findings.extend(unused.filter_map(|fault| unneeded(fault, module)));
    }
}

/// Every file of a module, read without being run. What cannot be read is told elsewhere.
fn sketches(runtime: &Runtime, module: &Surveyed) -> Vec<(String, Sketch)> {
    let mut found = Vec::new();
    for folder in runtime.folders() {
        for file in folder.sources() {
            let path = folder.path(&file);
            let shown = path.display().to_string();
            let is_its_own = match &module.home {
                Some(home) => path.starts_with(home),
                None => shown == module.file,
            };
            if !is_its_own {
                continue;
            }
            let source = folder.read_text(&file).unwrap_or_default();
            if let Ok(sketch) = Sketch::read(&shown, &source) {
                found.push((shown, sketch));
            }
        }
    }
    found
}

/// As the author says: what an operator adds or takes away is not his affair.
fn rights(name: &ModuleName, module: &Surveyed) -> Rights {
    let name = name.as_str();
    match &module.manifest {
        Some(manifest) => {
            // Whoever configures it can lead it elsewhere; this is what the author wrote down.
            let config = manifest.config.defaults();
            let permissions = manifest.permissions.under(&config).unwrap_or_default();
            Rights::of_folder(name, &permissions, None)
        }
        None => {
            let script = module.script.as_ref();
            let allowed = script.map_or(&[][..], |script| &script.declared.allowed_exec);
            Rights::of_single(name, allowed, None)
        }
    }
}

/// The tool that a script calls, where its name is written out.
fn called(runtime: &Runtime, used: &Use) -> Option<ToolPath> {
    if used.library != "ctx" || used.function != "call" {
        return None;
    }
    let name = used.first.as_deref()?;
    match runtime.catalog().lookup(name) {
        Lookup::Found(handle) => Some(handle.path()),
        Lookup::Ambiguous(_) | Lookup::Unknown(_) => name.parse().ok(),
    }
}

fn uncallable(tool: &ToolPath, used: &Use, rights: &Rights) -> Option<Fault> {
    let denied = rights.check(&Access::Calls(tool)).err()?;
    let fault = refusal(&denied.to_string());
    Some(fault.code(MISSING).at(used.place.clone()))
}

fn refused(used: &Use, rights: &Rights, manifest: Option<&Manifest>) -> Option<Fault> {
    let denied = |access: &Access<'_>| rights.check(access).err().map(|denied| denied.to_string());
    let first = used.first.as_deref();
    let told = match (used.library.as_str(), first) {
        ("ctx", Some(secret)) if used.function == "secret" => {
            return undeclared(secret, used, manifest?);
        }
        ("exec", Some(command)) => denied(&Access::Exec(command)),
        ("env", Some(name)) => denied(&Access::Env(name)),
        ("http", Some(url)) => Site::read(url).and_then(|site| denied(&Access::Http(&site))),
        _ => None,
    };
    let fault = match told {
        Some(why) => refusal(&why),
        None => ungranted(used, manifest?)?,
    };
    Some(fault.code(MISSING).at(used.place.clone()))
}

/// What is refused, and how to get it: the sentence of a call, in two parts.
fn refusal(why: &str) -> Fault {
    match why.split_once("; ") {
        Some((says, help)) => Fault::new(says).help(help),
        None => Fault::new(why),
    }
}

/// It uses a library of which its manifest grants nothing at all.
fn ungranted(used: &Use, manifest: &Manifest) -> Option<Fault> {
    let permission = permission(used)?;
    let granted = |permission| !manifest.permissions.get(permission).is_empty();
    let by_more = match permission {
        Permission::Files => granted(Permission::FilesWrite),
        Permission::Sqlite => granted(Permission::SqliteWrite),
        _ => false,
    };
    if granted(permission) || by_more {
        return None;
    }
    let key = permission.key();
    let says = format!(
        "module `{}` uses {}.{}, and its manifest grants no `{key}`",
        manifest.name, used.library, used.function
    );
    let help = format!("add {key} = [\"…\"] to [permissions] in module.toml");
    Some(Fault::new(says).help(help))
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

fn permission(used: &Use) -> Option<Permission> {
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

fn unused(manifest: &Manifest, sketches: &[(String, Sketch)]) -> Vec<Fault> {
    // Also where it is handed on: `attempt(http.get, url)`.
    let named = |name: &str| {
        sketches
            .iter()
            .any(|(_, sketch)| sketch.names.contains(name))
    };
    let argued = |name: &str| {
        sketches
            .iter()
            .any(|(_, sketch)| sketch.keywords.contains(name))
    };
    let said = |text: &String| {
        sketches
            .iter()
            .any(|(_, sketch)| sketch.texts.contains(text))
    };
    let library = |permission: Permission| match permission {
        Permission::Sqlite | Permission::SqliteWrite => "sqlite",
        Permission::Files | Permission::FilesWrite => "files",
        Permission::Calls => "ctx",
        other => other.key(),
    };
    let fault = |says: String, place| Fault {
        place,
        ..Fault::new(says)
    };
    let mut found = Vec::new();
    for permission in Permission::ALL {
        // The folder that a command runs in is one that may be read.
        let by_cwd = permission == Permission::Files && named("exec") && argued("cwd");
        let used = named(library(permission)) || by_cwd;
        if !manifest.permissions.get(permission).is_empty() && !used {
            let key = permission.key();
            let place = manifest.place(&format!("permissions.{key}"));
            found.push(fault(
                format!("`{key}` is granted, and nothing uses it"),
                place,
            ));
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
    Some(if is_one_entry(&line) && !is_table {
        finding.fixed_by(Fix::DeleteLine)
    } else {
        finding
    })
}

/// `key = […]` or `key = {…}`, and nothing else: such a line can go without its neighbours.
fn is_one_entry(line: &str) -> bool {
    let Some((key, value)) = line.split_once('=') else {
        return false;
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    if key != key.trim_start() || !key.trim_end().chars().all(is_plain) {
        return false;
    }
    let (mut depth, mut quote) = (0, None);
    for (at, c) in value.trim().char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            _ => continue,
        }
        if depth == 0 && quote.is_none() {
            let rest = value.trim()[at + c.len_utf8()..].trim();
            return rest.is_empty() || rest.starts_with('#');
        }
    }
    false
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
