//! `load()`: which files a file needs, in which order, and that they do not need each other.

use crate::engine::{Engine, Evaluated};
use crate::load_thread::{LoadProgress, LoadSession};
use model::Fault;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A source file by its path below the folder that is served, with `/` between its parts.
pub type FileId = String;

/// Where sources come from.
pub trait Sources {
    fn read(&self, file: &FileId) -> Result<String, String>;

    /// The file's whole path, which tells it from those of other folders.
    fn path_of(&self, file: &FileId) -> String {
        file.clone()
    }

    /// The folder of the module that a file is part of; its loads do not leave it. Files that are
    /// modules by themselves share the whole folder that is served.
    fn home(&self, _file: &FileId) -> Option<String> {
        None
    }

    /// The file that `load("@name")` means to the module of this file.
    fn dependency(&self, _file: &FileId, name: &str) -> Result<FileId, String> {
        Err(format!(
            "only a module with a module.toml can load `@{name}`, a dependency that it declares"
        ))
    }
}

/// One loading: every file is evaluated at most once in it.
pub(crate) struct Loading<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) sources: &'a dyn Sources,
    pub(crate) host: &'a dyn model::Host,
    session: &'a dyn LoadSession,
    /// What is being evaluated, and everything looked for on the way.
    pub(crate) progress: &'a LoadProgress,
    /// What has been evaluated, and all that was looked for on the way.
    done: HashMap<FileId, (Arc<Evaluated>, BTreeSet<FileId>)>,
}

impl<'a> Loading<'a> {
    pub(crate) fn new(
        engine: &'a Engine,
        sources: &'a dyn Sources,
        host: &'a dyn model::Host,
        session: &'a dyn LoadSession,
        progress: &'a LoadProgress,
    ) -> Self {
        Self { engine, sources, host, session, progress, done: HashMap::new() }
    }

    pub(crate) fn file(&mut self, file: &FileId) -> Result<Arc<Evaluated>, Fault> {
        if let Some((done, touched)) = self.done.get(file) {
            self.progress.touch(touched);
            return Ok(Arc::clone(done));
        }
        self.progress.open(file).map_err(|cycle| {
            Fault::new(format!("circular load detected: {}", cycle.join(" -> ")))
        })?;
        let evaluated = self.evaluate(file);
        let touched = self.progress.close();
        let evaluated = Arc::new(evaluated?);
        self.done.insert(file.clone(), (Arc::clone(&evaluated), touched));
        Ok(evaluated)
    }

    fn evaluate(&mut self, file: &FileId) -> Result<Evaluated, Fault> {
        let source = self
            .sources
            .read(file)
            .map_err(|why| Fault::new(format!("cannot read {file}: {why}")))?;
        if let Some((fault, touched)) = self.session.stuck(file) {
            self.progress.touch(&touched);
            return Err(fault);
        }
        self.engine.evaluate(file, source, self)
    }

    /// The file a `load` means, seen from the file it stands in: relative, with or without `.star`.
    pub(crate) fn resolve(&mut self, from: &FileId, target: &str) -> Result<FileId, String> {
        if let Some(name) = target.strip_prefix('@') {
            let file = self.sources.dependency(from, name)?;
            self.progress.touch([&file]);
            return Ok(file);
        }
        let candidates = candidates(self.sources, from, target)?;
        for candidate in &candidates {
            self.progress.touch([candidate]);
            if self.done.contains_key(candidate) || self.sources.read(candidate).is_ok() {
                return Ok(candidate.clone());
            }
        }
        Err(format!("there is no {}", candidates[0]))
    }

    /// The folder that paths in a file are relative to: its module's, or the one it lies in.
    pub(crate) fn base(&self, file: &FileId) -> String {
        let home = self.sources.home(file);
        home.unwrap_or_else(|| parent(file).to_owned())
    }
}

/// The same for those who only ask: editors.
pub fn resolve(sources: &dyn Sources, from: &FileId, target: &str) -> Result<FileId, String> {
    if let Some(name) = target.strip_prefix('@') {
        return sources.dependency(from, name);
    }
    let candidates = candidates(sources, from, target)?;
    let there = candidates.iter().find(|file| sources.read(file).is_ok());
    there.cloned().ok_or_else(|| format!("there is no {}", candidates[0]))
}

/// The files that a `load` of a path may mean, the likeliest first.
fn candidates(sources: &dyn Sources, from: &FileId, target: &str) -> Result<Vec<FileId>, String> {
    let file = join(parent(from), target)?;
    if let Some(home) = sources.home(from)
        && !home.is_empty()
        && !file.starts_with(&format!("{home}/"))
    {
        return Err(format!(
            "`{target}` leads out of the module's folder; \
             another module is loaded as \"@name\", once `depends_on` names it"
        ));
    }
    Ok(if std::path::Path::new(&file).extension().is_some_and(|e| e == "star") {
        vec![file]
    } else {
        vec![format!("{file}.star"), file]
    })
}

fn parent(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// `lib` + `../b` = `b`; leaving the folder is refused.
pub(crate) fn join(folder: &str, target: &str) -> Result<FileId, String> {
    if target.starts_with('/')
        || target.contains('\\')
        || target.starts_with('@')
        || target.contains("//")
    {
        return Err(format!("`{target}` is not a path relative to this file"));
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Err(format!("`{target}` leads out of the folder"));
                }
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_loading_file() {
        let check = |from: &str, target: &str, expected: Result<&str, &str>| {
            assert_eq!(
                join(parent(from), target),
                expected.map(str::to_owned).map_err(str::to_owned)
            );
        };
        check("a.star", "b", Ok("b"));
        check("a.star", "./b.star", Ok("b.star"));
        check("lib/a.star", "b.star", Ok("lib/b.star"));
        check("lib/a.star", "../b.star", Ok("b.star"));
        check("a.star", "../b.star", Err("`../b.star` leads out of the folder"));
        check("a.star", "/etc/passwd", Err("`/etc/passwd` is not a path relative to this file"));
    }
}
