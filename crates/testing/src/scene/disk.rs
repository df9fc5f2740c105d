//! Files that are played, or those on the disk if the test plays none.

use super::props::Given;
use super::world::Played;
use model::HostError;
use script::Kind;
use serde_json::json;
use std::path::Path;

impl Played {
    pub(super) fn read_file(&self, path: &Path) -> Result<String, HostError> {
        let mut props = self.props();
        if props.files.is_empty() {
            drop(props);
            return self.real.file_read(path);
        }
        match props.files.get_mut(path) {
            Some(given) => {
                let text = given.take();
                props.sent.push(text.clone());
                Ok(text)
            }
            None => Err(missing(path)),
        }
    }

    pub(super) fn list_file(&self, path: &Path) -> Result<Vec<String>, HostError> {
        let mut props = self.props();
        if props.files.is_empty() {
            drop(props);
            return self.real.file_list(path);
        }
        let mut names = Vec::new();
        for (file, given) in &mut props.files {
            let Ok(below) = file.strip_prefix(path) else {
                continue;
            };
            given.used = true;
            let mut parts = below.components();
            let name = parts.next().map(|part| part.as_os_str().to_string_lossy());
            let slash = if parts.next().is_some() { "/" } else { "" };
            names.extend(name.map(|name| format!("{name}{slash}")));
        }
        names.dedup();
        if names.is_empty() {
            return Err(missing(path));
        }
        Ok(names)
    }

    pub(super) fn exists_file(&self, path: &Path) -> Result<bool, HostError> {
        let mut props = self.props();
        if props.files.is_empty() {
            drop(props);
            return self.real.file_exists(path);
        }
        let mut found = false;
        for (file, given) in &mut props.files {
            if file.starts_with(path) {
                (given.used, found) = (true, true);
            }
        }
        Ok(found)
    }

    pub(super) fn write_file(&self, path: &Path, text: &str) -> Result<(), HostError> {
        let mut props = self.props();
        if props.files.is_empty() {
            drop(props);
            return self.real.file_write(path, text);
        }
        props.note(Kind::Files, json!({"path": path, "text": text}));
        let mut given = Given::new(String::new(), text.to_owned(), None);
        given.used = true;
        props.files.insert(path.to_owned(), given);
        Ok(())
    }
}

fn missing(path: &Path) -> HostError {
    HostError(format!("{}: there is no such file", path.display()))
}
