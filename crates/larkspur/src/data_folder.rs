//! Where a project without `larkspur.toml` keeps its data, and data that lies where it was kept before.
#![expect(clippy::disallowed_methods, reason = "this looks for folders that were made before")]

use crate::args::Global;
use crate::compose;
use crate::terminal::note;
use anyhow::bail;
use model::DATA_FOLDER;
use runtime::{ProjectFile, Runtime};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::{Store, StoreError};

/// How long another process may take that is moving the same folder.
const PATIENCE: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(20);

/// The folder that data is kept in without `larkspur.toml`: the first folder of modules, so that a
/// server that a client starts elsewhere finds it, and two folders side by side share nothing.
pub(crate) fn home(global: &Global) -> PathBuf {
    if let Some(home) = &global.data_home {
        return home.clone();
    }
    let first = compose::folders(global).into_iter().next();
    first.unwrap_or_default()
}

/// Makes sure that a project does not start without data that it has: moves the data folder to where
/// it belongs, or fails with the command that does.
pub(crate) fn settle(global: &Global, project: &ProjectFile) -> anyhow::Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        let Some(misplaced) = Misplaced::find(global, project) else {
            return Ok(());
        };
        if !misplaced.is_certain() {
            bail!("{}; {}", misplaced.what(), misplaced.fix());
        }
        let (old, new) = (&misplaced.old, &misplaced.new);
        let has_more = has_more_than_names(old);
        match store::move_folder(old, new) {
            Ok(()) => {
                if has_more {
                    let (old, new) = (old.display(), new.display());
                    note(&format!("note: moved the data folder {old} to {new}"));
                }
                return Ok(());
            }
            Err(StoreError::Busy { .. }) if Instant::now() < until => {
                std::thread::park_timeout(POLL);
            }
            // Another process may have moved it meanwhile.
            Err(_) if Misplaced::find(global, project).is_none() => return Ok(()),
            Err(error) => {
                let fix = misplaced.fix();
                let (old, new) = (old.display(), new.display());
                bail!("cannot move the data folder {old} to {new}: {error}; {fix}");
            }
        }
    }
}

/// Says at the start of a server what would otherwise be found at its first use.
pub(crate) fn warn_of_damage(runtime: &Runtime) {
    if let Err(error) = runtime.check_store() {
        note(&format!("warning: {error}"));
    }
}

/// A data folder that is in use, while the one that would be used is not.
pub(crate) struct Misplaced {
    old: PathBuf,
    new: PathBuf,
    owner: Owner,
    /// `larkspur.toml`, if the project has one.
    file: Option<PathBuf>,
}

enum Owner {
    /// This project, and nobody else.
    Project,
    /// Any of these folders of modules.
    Several(Vec<PathBuf>),
    /// The project with this file.
    File(PathBuf),
    /// This project, and so do these data folders.
    All(Vec<PathBuf>),
}

impl Misplaced {
    pub(crate) fn find(global: &Global, project: &ProjectFile) -> Option<Self> {
        let new = whole(&project.data_dir());
        if store::is_used(&new) || project.project().server.data_dir.is_some() {
            return None;
        }
        let file = project.exists().then(|| whole(project.path()));
        let served = compose::folders(global);
        let served: Vec<PathBuf> = served.iter().map(|folder| whole(folder)).collect();
        let (old, owner) = match &file {
            Some(file) => inside_modules(&served, file)?,
            None => beside_modules(&whole(&home(global)), &served)?,
        };
        Some(Self { old, new, owner, file })
    }

    /// Does it belong to this project beyond doubt? Then it is moved without asking.
    pub(crate) fn is_certain(&self) -> bool {
        matches!(self.owner, Owner::Project)
    }

    pub(crate) fn what(&self) -> String {
        let (old, new) = (self.old.display(), self.new.display());
        match &self.owner {
            Owner::Project => format!("the data folder {old} is kept in {new} now"),
            Owner::Several(folders) => format!(
                "the data folder {old} may belong to any of {}, and each has its own now",
                listed(folders)
            ),
            Owner::File(file) => format!("the data folder {old} belongs to {}", file.display()),
            Owner::All(folders) => {
                format!("of the data folders {} one can be kept in {new}", listed(folders))
            }
        }
    }

    pub(crate) fn fix(&self) -> String {
        let (old, new) = (quoted(&self.old), quoted(&self.new));
        let take = format!("run `mv {old} {new}` to use it");
        let without = format!("`mkdir -p {new} && echo '*' > {new}/.gitignore` starts without it");
        match (&self.owner, &self.file) {
            (_, Some(file)) => format!(
                "{take}, or add data_dir = \"{}\" under [server] in {}; {without}",
                self.old.display(),
                file.display()
            ),
            (Owner::File(file), _) => {
                let file = quoted(file);
                format!("start with `--config {file}`, or {take}; {without}")
            }
            _ => {
                let file = quoted(&self.old.with_file_name(compose::PROJECT));
                format!(
                    "{take}, or `touch {file}` and start with `--config {file}` to keep it where it \
                     is; {without}"
                )
            }
        }
    }
}

fn listed(folders: &[PathBuf]) -> String {
    let folders = folders.iter().map(|folder| folder.display().to_string());
    folders.collect::<Vec<_>>().join(", ")
}

/// What version 0.1 kept beside a folder of modules, and whose that is.
fn beside_modules(folder: &Path, served: &[PathBuf]) -> Option<(PathBuf, Owner)> {
    let above = folder.parent()?;
    let old = above.join(DATA_FOLDER);
    if !has_data(&old) {
        return None;
    }
    let file = above.join(compose::PROJECT);
    let owners = owners(folder, above, served);
    let owner = match owners.len() {
        _ if file.exists() => Owner::File(file),
        1 => Owner::Project,
        _ => Owner::Several(owners),
    };
    let is_moved = matches!(owner, Owner::Project);
    (is_moved || has_more_than_names(&old)).then_some((old, owner))
}

/// What was kept in the folders of modules before this file came beside them.
fn inside_modules(folders: &[PathBuf], file: &Path) -> Option<(PathBuf, Owner)> {
    let beside = folders.iter();
    let beside = beside.filter(|folder| folder.parent() == file.parent());
    let data = beside.map(|folder| folder.join(DATA_FOLDER));
    let mut data: Vec<PathBuf> = data.filter(|data| has_data(data)).collect();
    if data.len() > 1 {
        data.retain(|data| has_more_than_names(data));
    }
    let old = data.first()?.clone();
    let owner = match data.len() {
        1 => Owner::Project,
        _ => Owner::All(data),
    };
    Some((old, owner))
}

/// Every folder that could be served with a data folder in `above`: this one, others that hold modules
/// and are not served with it, and `above` itself.
fn owners(folder: &Path, above: &Path, served: &[PathBuf]) -> Vec<PathBuf> {
    let beside = folders_in(above).into_iter();
    let others = beside.filter(|other| !served.contains(other) && holds_modules(other));
    let mut owners = vec![folder.to_owned()];
    owners.extend(others);
    let is_module = |folder: &PathBuf| folder.join("module.toml").is_file();
    if holds_sources(above) || owners.iter().any(is_module) {
        owners.push(above.to_owned());
    }
    owners
}

fn holds_modules(folder: &Path) -> bool {
    let holds = |folder: &Path| holds_sources(folder) || folder.join("module.toml").is_file();
    holds(folder) || folders_in(folder).iter().any(|inside| holds(inside))
}

fn holds_sources(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| Path::new(&entry.file_name()).extension() == Some("star".as_ref()))
}

/// Those that are not hidden.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_shown = |entry: &fs::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".");
    let shown = entries.filter(is_shown).map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = shown.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Anything but the note for git.
fn has_data(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name() != ".gitignore")
}

/// Anything but owners of listed names, which every server records: a project may start without them.
fn has_more_than_names(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_database =
        |name: &[u8]| name == b".gitignore" || name.starts_with(store::FILE.as_bytes());
    entries.any(|entry| !is_database(entry.file_name().as_encoded_bytes()))
        || !Store::at(folder).has_only_names().unwrap_or(false)
}

/// An absolute path whose last part is a name.
fn whole(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // `..` says nothing of where it leads.
    match whole.file_name() {
        Some(_) => whole,
        None => whole.canonicalize().unwrap_or(whole),
    }
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    if text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
