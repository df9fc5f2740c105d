//! `larkspur new --from FILE`: a single file becomes a folder, and its tools keep their names.
#![expect(clippy::disallowed_methods, reason = "these are the author's files, not the server's")]

use crate::compose;
use crate::scaffold::{self, Aside};
use anyhow::{Context, bail};
use model::{ModuleName, Permission, Permissions, kebab_name};
use runtime::Surveyed;
use script::{Declared, Script, SourceFacts};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was written, and what was removed in its place.
pub(crate) struct Converted {
    pub(crate) written: Vec<PathBuf>,
    pub(crate) removed: Vec<PathBuf>,
}

/// A single file that is a module.
struct SingleFile {
    path: PathBuf,
    /// Its test, if it has one.
    test: Option<PathBuf>,
    name: ModuleName,
    script: Arc<Script>,
}

/// Writes the folder beside the file, checks that it loads, and removes the file. If anything is wrong,
/// everything stays as it was.
pub(crate) fn convert(file: &Path) -> anyhow::Result<Converted> {
    let single = SingleFile::read(file)?;
    let folder = parent(file);
    let home = folder.join(single.name.as_str());
    if home.symlink_metadata().is_ok() {
        bail!("{} is already there; nothing was written", home.display());
    }
    let aside = Aside::beside(folder, &single.name);
    // A file that loads others, or reads data beside it, may not work from within a folder.
    let failed = || format!("{} does not load from a folder of its own", file.display());
    let names = scaffold::fill(&aside.0, &single.files()?).with_context(failed)?;
    fs::rename(&aside.0, &home).with_context(|| format!("cannot make {}", home.display()))?;
    let removed: Vec<PathBuf> = [single.path].into_iter().chain(single.test).collect();
    for path in &removed {
        let failed = || format!("wrote {}, but cannot remove {}", home.display(), path.display());
        fs::remove_file(path).with_context(failed)?;
    }
    Ok(Converted { written: names.iter().map(|name| home.join(name)).collect(), removed })
}

impl SingleFile {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let stem = stem.filter(|stem| {
            path.extension().is_some_and(|e| e == "star") && !stem.ends_with("_test")
        });
        let Some(stem) = stem.filter(|_| path.is_file()) else {
            bail!("{shown} is not a module: name a single file such as modules/hello.star");
        };
        let survey = compose::look_at(parent(path).to_path_buf()).survey();
        let is_it = |module: &&Surveyed| Path::new(&module.file) == path;
        let Some(module) = survey.modules.iter().find(is_it) else {
            bail!("{shown} declares no tools, resources or prompts: nothing was written");
        };
        if let Some(broken) = &module.broken {
            bail!("{shown} cannot be loaded; nothing was written\n{}", broken.fault);
        }
        let (Some(name), Some(script)) = (&module.name, &module.script) else {
            bail!("{shown} cannot be loaded; nothing was written");
        };
        if script.declared.is_extension {
            bail!(
                "{shown} is in starlark-mcp's form, which may reach more than a folder can declare: call \
                 `permissions(…)` in it first; `larkspur check --fix {shown}` adds what it uses"
            );
        }
        // Another name would be another module, whose tools have other names.
        kebab_name(name.as_str()).map_err(|fault| {
            anyhow::anyhow!("{fault}\n  = help: a folder needs such a name: rename {shown} first")
        })?;
        let test = path.with_file_name(format!("{stem}_test.star"));
        Ok(Self {
            path: path.to_path_buf(),
            test: test.is_file().then_some(test),
            name: name.clone(),
            script: Arc::clone(script),
        })
    }

    /// The files of the folder.
    fn files(&self) -> anyhow::Result<Vec<(String, String)>> {
        let source = read(&self.path)?;
        let mut files = vec![
            ("module.toml".to_owned(), manifest(&self.name, &self.script.declared)),
            ("main.star".to_owned(), without_permissions(&source)),
        ];
        if let Some(test) = &self.test {
            let stem = self.path.file_name().unwrap_or_default().to_string_lossy();
            let text = read(test)?.replace(&format!("load(\"{stem}\""), "load(\"main.star\"");
            files.push(("main_test.star".to_owned(), text));
        }
        Ok(files)
    }
}

fn manifest(name: &ModuleName, declared: &Declared) -> String {
    let version = declared.version.as_deref().unwrap_or("0.1.0");
    let description = declared.description.as_deref().unwrap_or_default();
    let description = match description.trim() {
        "" => "Say here what your module does",
        said => said,
    };
    let permissions = permissions(declared.permissions.as_ref(), &declared.allowed_exec);
    format!(
        "name = \"{name}\"\nversion = {}\ndescription = {}\n\n\
         # Tools are listed under their bare names, as those of the single file were.\n\
         prefix = \"\"\n{permissions}",
        quoted(version),
        quoted(description)
    )
}

fn permissions(declared: Option<&Permissions>, exec: &[String]) -> String {
    let lines = Permission::ALL.into_iter().filter_map(|permission| {
        let names = declared.map_or(&[][..], |declared| declared.get(permission));
        let commands = exec.iter().filter(|_| permission == Permission::Exec);
        let names: Vec<String> = names.iter().chain(commands).map(|name| quoted(name)).collect();
        (!names.is_empty()).then(|| format!("{} = [{}]\n", permission.key(), names.join(", ")))
    });
    let lines: String = lines.collect();
    if lines.is_empty() {
        return lines;
    }
    format!("\n[permissions]\n{lines}")
}

/// A JSON string is a TOML string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The manifest declares them now. A call that shares its lines with something else stays.
fn without_permissions(source: &str) -> String {
    let facts = SourceFacts::read("", source).unwrap_or_default();
    let [(call, _)] = facts.declarations.as_slice() else {
        return source.to_owned();
    };
    let (open, end) = (call.inside.start.saturating_sub(1), call.inside.end + 1);
    let begin = source[..open].rfind('\n').map_or(0, |at| at + 1);
    let (before, after) = (&source[begin..open], &source[end..]);
    let (beside, rest) = after.split_once('\n').unwrap_or((after, ""));
    if before.trim_end() != "permissions" || !beside.trim().is_empty() {
        return source.to_owned();
    }
    format!("{}{}", &source[..begin], rest.trim_start_matches('\n'))
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The folder that a file is in.
fn parent(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
