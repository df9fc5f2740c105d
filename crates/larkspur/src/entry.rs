//! How a client starts this server, from whichever folder: every path is absolute.

use crate::args::Global;
use crate::compose;
use anyhow::{Context, bail};
use clients::{Launch, ProjectPaths};
use settings::{Surface, Transport};
use std::path::{Path, PathBuf};

/// A client speaks over pipes, whatever `larkspur.toml` says.
const PIPES: Transport = Transport { stdio: true, http: false };

pub(crate) fn launch(global: &Global) -> anyhow::Result<Launch> {
    if !global.set.is_empty() {
        bail!(
            "--set is not written into a client's file, which others may read; \
             say it under [module.NAME.config] in larkspur.toml"
        );
    }
    let project = compose::project(global)?;
    let mut args = vec!["serve".to_owned()];
    if project.project().server.transport.is_some_and(|open| open != PIPES) {
        args.extend(["--transport".into(), "stdio".into()]);
    }
    for folder in folders(global)? {
        args.extend(["--modules".into(), absolute(&folder)?]);
    }
    if project.path().exists() {
        args.extend(["--config".into(), absolute(project.path())?]);
    }
    let command = absolute(&program()?)?;
    // A flat list may be long: a client that loads tools on demand does well to do so.
    let always_load = project.project().server.surface != Surface::Flat;
    Ok(Launch { command, args, always_load })
}

/// The paths by which a client's entry of this project is known, there or not.
pub(crate) fn project_paths(global: &Global) -> anyhow::Result<ProjectPaths> {
    let project = compose::project(global)?;
    let folders = compose::wanted_folders(global);
    let folders = folders.iter().map(|folder| absolute(folder));
    let config = Some(project.path()).filter(|path| path.exists());
    Ok(ProjectPaths {
        folders: folders.collect::<anyhow::Result<_>>()?,
        config: config.map(absolute).transpose()?,
    })
}

/// What clients call this project: its name, or that of its folder.
pub(crate) fn name(global: &Global) -> anyhow::Result<String> {
    if let Some(name) = compose::project(global)?.name() {
        return Ok(clients::entry_name(&name));
    }
    let folders = compose::folders(global);
    let folder = folders.first().map(|folder| absolute(folder)).transpose()?;
    let folder = PathBuf::from(folder.unwrap_or_default());
    let named = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let usual = ["modules", "extensions"].map(|name| Some(name.to_owned()));
    let name = if usual.contains(&named(&folder)) {
        folder.parent().and_then(named)
    } else {
        named(&folder)
    };
    Ok(clients::entry_name(&name.unwrap_or_default()))
}

/// Those that are there: a client would wait for others in vain, and nobody would see it.
fn folders(global: &Global) -> anyhow::Result<Vec<PathBuf>> {
    let mut folders = compose::folders(global);
    if global.modules.is_empty() {
        folders.retain(|folder| folder.is_dir());
    }
    if folders.is_empty() {
        bail!(
            "there is no folder of modules here: go to your project's folder, name one with \
             --modules, or write a first module with `larkspur new hello`"
        );
    }
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        bail!("there is no folder {}", missing.display());
    }
    Ok(folders)
}

/// This program, by the name in PATH if it is found there: that one outlives an update.
fn program() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe().context("cannot tell where this program lies")?;
    let name = own.file_name().unwrap_or_default();
    let mut named = compose::search_path().into_iter().map(|folder| folder.join(name));
    let found = named.find(|path| path.is_absolute() && is_same(path, &own));
    Ok(found.unwrap_or(own))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|one| Some(one) == real(other))
}

fn absolute(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let whole =
        std::path::absolute(path).with_context(|| format!("cannot tell where {shown} is"))?;
    let text = whole.into_os_string().into_string();
    text.map_err(|_| anyhow::anyhow!("{shown} is not UTF-8, which a client's file has to be"))
}
