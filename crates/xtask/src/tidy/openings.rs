//! Every Rust file opens by saying what the room is for.

use crate::workspace::Source;

pub(super) fn problems(sources: &[Source]) -> Vec<String> {
    let rust = sources.iter().filter(|source| source.is_rust());
    rust.filter(|source| !opens_well(&source.text))
        .map(|source| format!("{}: does not open with a `//!` sentence", source.path))
        .collect()
}

fn opens_well(text: &str) -> bool {
    text.strip_prefix("//! ").is_some_and(|rest| !rest.trim_start().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::source;

    #[test]
    fn a_file_that_opens_with_anything_else_is_named() {
        let sources = [
            source("crates/model/src/good.rs", "//! What this is for.\n"),
            source("crates/model/src/late.rs", "use std::fmt;\n//! Too late.\n"),
            source("crates/model/src/empty.rs", ""),
            source("examples/greet/greet.star", "def hello(): pass\n"),
        ];
        let expected = [
            "crates/model/src/late.rs: does not open with a `//!` sentence",
            "crates/model/src/empty.rs: does not open with a `//!` sentence",
        ];
        assert_eq!(problems(&sources), expected);
    }
}
