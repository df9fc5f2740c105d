//! Which lines have run, as lcov's tools and most build servers read it.

use crate::coverage::Covered;
use std::fmt::Write;

impl Covered {
    /// A tracefile of `lcov`.
    pub fn to_lcov(&self) -> String {
        let mut text = String::new();
        for file in self.files.iter().filter(|file| !file.lines.is_empty()) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "TN:\nSF:{}", file.path);
            for (line, ran) in &file.lines {
                let _ = writeln!(text, "DA:{line},{ran}");
            }
            let (found, hit) = (file.lines.len(), file.covered());
            let _ = writeln!(text, "LF:{found}\nLH:{hit}\nend_of_record");
        }
        text
    }
}
