//! A file that an editor has open, and addresses of files.

use script::{Outline, outline};
use std::path::{Path, PathBuf};
use url::Url;

#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: String,
    pub(crate) text: String,
    pub(crate) version: Option<i64>,
    /// Of the last text that could be read: while somebody types, most cannot.
    pub(crate) outline: Outline,
}

impl Document {
    pub(crate) fn new(uri: &str, text: &str, version: Option<i64>) -> Self {
        let mut document =
            Self { uri: uri.to_owned(), text: String::new(), version, outline: Outline::default() };
        document.change(text, version);
        document
    }

    pub(crate) fn change(&mut self, text: &str, version: Option<i64>) {
        text.clone_into(&mut self.text);
        self.version = version;
        if let Ok(outline) = outline(&self.uri, text) {
            self.outline = outline;
        }
    }
}

pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    Url::parse(uri).ok()?.to_file_path().ok()
}

pub(crate) fn uri(path: &Path) -> Option<String> {
    Url::from_file_path(path).ok().map(String::from)
}
