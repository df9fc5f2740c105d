//! What modules need of this machine: commands, variables, databases; and whether the vault opens.

use super::Notes;
use crate::{compose, keys};
use model::{Permission, Permissions};
use runtime::{ProjectFile, Survey, Surveyed};
use settings::Project;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use vault::Vault;

pub(super) fn findings(survey: &Survey, file: &ProjectFile) -> Notes {
    let mut notes = Notes::of("needs");
    for (name, module) in survey.named().filter(|(_, module)| !module.disabled) {
        let who = name.as_str();
        let permissions = permissions(module);
        commands(who, module, permissions.as_ref(), &mut notes);
        if let Some(permissions) = &permissions {
            variables(who, permissions, &mut notes);
            databases(who, permissions, file.project(), &mut notes);
        }
    }
    sealed(&keys::vault(file), &mut notes);
    notes
}

/// Can what is sealed be opened?
fn sealed(vault: &Vault, notes: &mut Notes) {
    match vault.check() {
        Ok(None) => {}
        Ok(Some(origin)) => notes.ok(format!("the vault opens with the key in {origin}")),
        Err(why) => notes.problem(format!("the vault does not open: {why}"), None),
    }
}

/// What a manifest asks for, as it is configured, or what a single file declares.
fn permissions(module: &Surveyed) -> Option<Permissions> {
    let Some(manifest) = &module.manifest else {
        return module.script.as_ref()?.declared.permissions.clone();
    };
    let config = module.config.as_ref().ok()?.to_json();
    manifest.permissions.under(&config).ok()
}

fn commands(who: &str, module: &Surveyed, permissions: Option<&Permissions>, notes: &mut Notes) {
    let named = permissions.map_or(&[][..], |permissions| permissions.get(Permission::Exec));
    let described = match (&module.manifest, &module.script) {
        (None, Some(script)) => script.declared.allowed_exec.as_slice(),
        _ => &[],
    };
    let commands = named.iter().chain(described);
    for command in commands.filter(|command| !command.contains('*')) {
        match find(command, module.home.as_deref()) {
            Some(place) => notes.ok(format!("{who} runs `{command}`: {}", place.display())),
            None => notes.problem(
                format!("{who} runs `{command}`, which is not there"),
                Some(if command.contains('/') {
                    "it must lie in the module's folder, and be executable".into()
                } else {
                    format!("install {command}, or put its folder into PATH")
                }),
            ),
        }
    }
}

/// As it is found when a script runs it: by a path from the module's folder, or in PATH.
fn find(command: &str, home: Option<&Path>) -> Option<PathBuf> {
    let places = if command.contains('/') {
        vec![home.unwrap_or(Path::new("")).join(command)]
    } else {
        let folders = compose::search_path().into_iter();
        let folders = folders.filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(command)).collect()
    };
    places.into_iter().find(|place| is_executable(place))
}

pub(super) fn is_executable(path: &Path) -> bool {
    let metadata = path.metadata();
    metadata.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// One that is not set may be one that the module can do without: only its author knows.
fn variables(who: &str, permissions: &Permissions, notes: &mut Notes) {
    let set: Vec<String> = compose::variables().map(|(name, _)| name).collect();
    for wanted in permissions.get(Permission::Env) {
        let is_wanted = |name: &String| match wanted.split_once('*') {
            Some((begin, end)) => name.starts_with(begin) && name.ends_with(end),
            None => name == wanted,
        };
        if set.iter().any(is_wanted) {
            notes.ok(format!("{who} reads `{wanted}`, which is set"));
        } else {
            notes.warning(
                format!("{who} reads `{wanted}`, which is not set"),
                Some("set it where the server is started, if the module needs it".into()),
            );
        }
    }
}

fn databases(who: &str, permissions: &Permissions, project: &Project, notes: &mut Notes) {
    for wanted in permissions.get(Permission::Postgres).iter().filter(|name| !name.contains('*')) {
        if project.postgres.contains_key(wanted) {
            notes.ok(format!("{who} uses the database `{wanted}`"));
        } else {
            notes.problem(
                format!("{who} uses the database `{wanted}`, which larkspur.toml does not name"),
                Some(format!("add [postgres.{wanted}] with its url")),
            );
        }
    }
}
