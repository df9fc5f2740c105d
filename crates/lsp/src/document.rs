//! A file that an editor has open, and addresses of files.

use lsp_types::Uri;
use script::SourceFacts;
use std::path::{Path, PathBuf};
use url::Url;

#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: Uri,
    pub(crate) text: String,
    pub(crate) version: i32,
    /// Of the last text that could be parsed: most texts cannot while they are edited.
    pub(crate) facts: SourceFacts,
}

impl Document {
    pub(crate) fn new(uri: Uri, text: String, version: i32) -> Self {
        let mut document =
            Self { uri, text: String::new(), version, facts: SourceFacts::default() };
        document.change(text, version);
        document
    }

    pub(crate) fn change(&mut self, text: String, version: i32) {
        if let Ok(facts) = SourceFacts::read(self.uri.as_str(), &text) {
            self.facts = facts;
        }
        self.text = text;
        self.version = version;
    }
}

pub(crate) fn path(uri: &Uri) -> Option<PathBuf> {
    Url::parse(uri.as_str()).ok()?.to_file_path().ok()
}

pub(crate) fn uri(path: &Path) -> Option<Uri> {
    Url::from_file_path(path).ok()?.as_str().parse().ok()
}
