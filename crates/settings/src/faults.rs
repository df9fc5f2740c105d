//! Files of texts that are not in order, each with what is said about it.

use expect_test::ExpectFile;
use model::Fault;
use std::fmt::Write;

/// Reads each block behind `head` and holds what is said about it against the comment that ends the block.
#[track_caller]
pub(crate) fn check_file(file: &ExpectFile, head: &str, parse: impl Fn(&str) -> Option<Fault>) {
    let data = file.data();
    let (about, blocks) = data.split_once("\n\n").unwrap();
    let mut found = about.to_owned();
    for block in blocks.split("\n\n") {
        let (text, _) = block.split_once("\n# ").unwrap();
        let fault = parse(&format!("{head}{text}")).unwrap_or_else(|| panic!("in order: {text}"));
        let place = fault.place.unwrap();
        let line = place.line - head.lines().count();
        let (column, width) = (place.column, place.width);
        let _ = write!(found, "\n\n{text}\n# {line}:{column} {width} {}", fault.message);
        if let Some(help) = fault.help {
            let _ = write!(found, "\n# help: {help}");
        }
    }
    file.assert_eq(&(found + "\n"));
}
