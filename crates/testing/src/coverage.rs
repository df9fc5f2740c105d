//! How much of the modules a run has run: line by line, file by file, and in sum.

use runtime::Folder;
use script::{Coverage, Lines};

/// Every source of the folders that is no test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    pub files: Vec<CoveredFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredFile {
    /// As reports call it.
    pub name: String,
    /// Where it lies.
    pub path: String,
    /// The lines that count, and how often each ran.
    pub lines: Lines,
}

impl Covered {
    /// What was counted, with nothing for files that no test led to.
    pub fn of(folders: &[Folder], coverage: &Coverage) -> Self {
        let several = folders.len() > 1;
        let mut files = Vec::new();
        for folder in folders {
            for file in folder.sources() {
                let path = folder.path(&file).display().to_string();
                if let Ok(source) = folder.read_text(&file) {
                    coverage.add_unloaded(&path, &source);
                }
                files.push((if several { path.clone() } else { file }, path));
            }
        }
        let mut counted = coverage.files();
        let files = files.into_iter().map(|(name, path)| CoveredFile {
            lines: counted.remove(&path).unwrap_or_default(),
            name,
            path,
        });
        Self { files: files.collect() }
    }

    pub fn covered(&self) -> usize {
        self.files.iter().map(CoveredFile::covered).sum()
    }

    pub fn total(&self) -> usize {
        self.files.iter().map(|file| file.lines.len()).sum()
    }

    /// Is it so many percent of all lines, or more?
    pub fn reaches(&self, percent: f64) -> bool {
        exact(self.covered()) * 100.0 >= exact(self.total()) * percent
    }

    /// In tenths, rounded down: 100 % is all of it.
    pub fn percent(&self) -> f64 {
        percent(self.covered(), self.total())
    }
}

impl CoveredFile {
    pub fn covered(&self) -> usize {
        self.lines.values().filter(|ran| **ran > 0).count()
    }

    pub fn percent(&self) -> f64 {
        percent(self.covered(), self.lines.len())
    }

    pub fn uncovered(&self) -> impl Iterator<Item = usize> {
        let lines = self.lines.iter();
        lines.filter(|(_, ran)| **ran == 0).map(|(line, _)| *line)
    }

    /// Lines that have not run, from the first to the last of those that follow each other; what
    /// does not count, such as a blank line, parts nothing.
    pub(crate) fn gaps(&self) -> Vec<(usize, usize)> {
        let mut gaps: Vec<(usize, usize)> = Vec::new();
        let mut open = false;
        for (line, ran) in &self.lines {
            match gaps.last_mut() {
                Some((_, last)) if open && *ran == 0 => *last = *line,
                _ if *ran == 0 => gaps.push((*line, *line)),
                _ => {}
            }
            open = *ran == 0;
        }
        gaps
    }
}

/// Nothing to cover is covered.
fn percent(covered: usize, total: usize) -> f64 {
    let tenths = (covered * 1000).checked_div(total).unwrap_or(1000);
    exact(tenths) / 10.0
}

/// Nobody has more lines than this holds.
fn exact(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
