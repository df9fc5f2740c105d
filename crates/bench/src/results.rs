//! `bench/RESULTS.md`: a section per subject, each with the machine and revision it was measured on.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::subjects::Subject;

const HEAD: &str = "\
# Bench

`cargo xtask bench --only NAME --write` renews a section; the line below its heading says where and when \
that was. `cargo xtask bench --help` explains the subjects.
";

pub(super) struct Section {
    pub(super) subject: Subject,
    pub(super) text: String,
}

impl Section {
    /// Text below the heading: circumstances, then the table.
    pub(super) fn new(subject: Subject, circumstances: &str, table: &str) -> Self {
        Self { subject, text: format!("{circumstances}\n\n{table}") }
    }

    pub(super) fn page(&self) -> String {
        format!("\n## {}\n\n{}\n", self.subject, self.text.trim())
    }
}

/// Replaces the sections that were measured; the others stay.
pub(super) fn write(path: &Path, measured: Vec<Section>) -> Result<()> {
    let old = fs::read_to_string(path).unwrap_or_default();
    fs::write(path, merge(&old, measured))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn merge(old: &str, measured: Vec<Section>) -> String {
    let mut sections = measured;
    sections.extend(parse(old));
    let sections = Subject::ALL
        .iter()
        .filter_map(|subject| sections.iter().find(|section| section.subject == *subject));
    HEAD.to_owned() + &sections.map(Section::page).collect::<String>()
}

/// Sections of a page; what is no subject any more is left out.
fn parse(page: &str) -> impl Iterator<Item = Section> {
    page.split("\n## ").skip(1).filter_map(|part| {
        let (name, text) = part.split_once('\n')?;
        Some(Section { subject: name.trim().parse().ok()?, text: text.to_owned() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_measured_is_replaced() {
        let rss = || Section::new(Subject::Rss, "revision a", "| 24.0 MB |\n");
        let first = merge("| a table without a section |\n", vec![rss()]);
        let calls = Section::new(Subject::Calls, "revision b", "| 60 µs |\n");
        let second = merge(&(first + "\n## disk\n\ngone\n"), vec![calls]);
        let expected = format!(
            "{HEAD}\n## calls\n\nrevision b\n\n| 60 µs |\n\n## rss\n\nrevision a\n\n| 24.0 MB |\n"
        );
        assert_eq!(second, expected);
        assert_eq!(merge(&expected, vec![rss()]), expected);
    }
}
