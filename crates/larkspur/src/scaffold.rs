//! The files of a new module, and how they get to their place.
#![expect(clippy::disallowed_methods, reason = "these are the author's files, not the server's")]

use crate::compose;
use anyhow::Context;
use check::readme;
use model::ModuleName;
use std::fs;
use std::path::{Path, PathBuf};

/// What is written, with `NAME` where the name goes.
const FOLDER: [(&str, &str); 3] = [
    ("module.toml", include_str!("templates/module.toml")),
    ("main.star", include_str!("templates/main.star")),
    ("main_test.star", include_str!("templates/main_test.star")),
];
const SINGLE: [(&str, &str); 2] = [
    ("NAME.star", include_str!("templates/single.star")),
    ("NAME_test.star", include_str!("templates/single_test.star")),
];

/// Wherever a module of this name may lie: two forms of one would be in each other's way.
pub(crate) fn places(folder: &Path, name: &ModuleName) -> [PathBuf; 3] {
    let files = [name.to_string(), format!("{name}.star"), format!("{name}_test.star")];
    files.map(|file| folder.join(file))
}

/// One file and its test; the paths that were written.
pub(crate) fn write_single(folder: &Path, name: &ModuleName) -> anyhow::Result<Vec<PathBuf>> {
    make(folder)?;
    let files = SINGLE.map(|pair| filled(pair, name));
    for (file, text) in &files {
        write(&folder.join(file), text)?;
    }
    Ok(files.map(|(file, _)| folder.join(file)).to_vec())
}

/// Made aside, where no server looks, and moved into its place whole.
pub(crate) fn write_folder(folder: &Path, name: &ModuleName) -> anyhow::Result<Vec<PathBuf>> {
    let aside = Aside::beside(folder, name);
    let names = fill(&aside.0, &FOLDER.map(|pair| filled(pair, name)))?;
    let home = folder.join(name.as_str());
    fs::rename(&aside.0, &home).with_context(|| format!("cannot make {}", home.display()))?;
    Ok(names.iter().map(|file| home.join(file)).collect())
}

/// Writes the files of a module and its README into a new folder; their names.
pub(crate) fn fill(folder: &Path, files: &[(String, String)]) -> anyhow::Result<Vec<String>> {
    make(folder)?;
    for (file, text) in files {
        write(&folder.join(file), text)?;
    }
    write(&folder.join(readme::FILE), &page(folder)?)?;
    let names = files.iter().map(|(file, _)| file.clone());
    Ok(names.chain([readme::FILE.to_owned()]).collect())
}

pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The README of the module in a folder.
fn page(folder: &Path) -> anyhow::Result<String> {
    let survey = compose::look_at(folder.to_path_buf()).survey();
    let module = survey.modules.first().context("nothing was written")?;
    Ok(readme::page(module)?)
}

/// A folder that goes with this, unless it was moved away.
pub(crate) struct Aside(pub(crate) PathBuf);

impl Aside {
    /// Where no server looks: its name begins with a dot.
    pub(crate) fn beside(folder: &Path, name: &ModuleName) -> Self {
        Self(folder.join(format!(".{name}.new-{}", std::process::id())))
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn make(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
}

fn filled((file, text): (&str, &str), name: &ModuleName) -> (String, String) {
    let fill = |text: &str| text.replace("NAME", name.as_str());
    (fill(file), fill(text))
}
