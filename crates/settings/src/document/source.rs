//! A text with its file's name: turns byte ranges into places.

use model::Place;
use std::ops::Range;
use std::sync::Arc;

/// A clone shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) file: Arc<str>,
    pub(crate) text: Arc<str>,
}

impl Source {
    pub(crate) fn new(file: &str, text: &str) -> Self {
        Self { file: file.into(), text: text.into() }
    }

    /// Marks the range, or what of it lies on its first line.
    pub(crate) fn place(&self, span: &Range<usize>) -> Place {
        let start = self.text.floor_char_boundary(span.start);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = &self.text[line_start..];
        let excerpt = rest.lines().next().unwrap_or_default();
        let marked = &self.text[start..self.text.floor_char_boundary(span.end.max(start))];
        Place {
            file: self.file.to_string(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            width: marked.lines().next().map_or(1, |l| l.chars().count().max(1)),
            excerpt: excerpt.to_owned(),
        }
    }
}
