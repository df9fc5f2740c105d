//! The code map in `ARCHITECTURE.md` names the folders that exist, all of them and no others.
//!
//! The map is a block fenced as `map`. A line that starts with a folder's whole path and `/`
//! names it; the rest of the line, and indented lines below, are for the reader.

use std::collections::BTreeSet;

use crate::workspace::Source;

pub(super) fn problems(sources: &[Source]) -> Vec<String> {
    let page = sources.iter().find(|source| source.path == "ARCHITECTURE.md");
    let Some(mapped) = page.and_then(|page| mapped(&page.text)) else {
        return vec!["ARCHITECTURE.md: no code map, a block fenced as ```map".to_owned()];
    };
    let folders: BTreeSet<&str> = sources.iter().flat_map(|source| folders(&source.path)).collect();
    let gone = mapped.iter().filter(|folder| !folders.contains(*folder));
    let unmapped = folders.iter().filter(|f| belongs(f) && !mapped.contains(*f));
    gone.map(|folder| format!("ARCHITECTURE.md: the map names {folder}, which does not exist"))
        .chain(unmapped.map(|folder| format!("ARCHITECTURE.md: the map does not name {folder}")))
        .collect()
}

/// The folders that the page's map names, or `None` if it has no map.
fn mapped(page: &str) -> Option<BTreeSet<&str>> {
    let (_, rest) = page.split_once("\n```map\n")?;
    let (block, _) = rest.split_once("\n```")?;
    let named = block.lines().filter(|line| !line.starts_with(' '));
    Some(named.filter_map(|line| line.split_whitespace().next()).collect())
}

/// Every folder on the way to a file: `a/` and `a/b/` of `a/b/c.rs`.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(slash, _)| &path[..=slash])
}

/// Whether a reader may expect a folder on the map: what stands at the top, and in a crate its
/// first folders and every room of its source. Deeper fixtures may be named, but need not be.
fn belongs(folder: &str) -> bool {
    let parts: Vec<&str> = folder.trim_end_matches('/').split('/').collect();
    match parts.as_slice() {
        ["crates"] => false,
        [top] => !top.starts_with('.'),
        ["crates", _, "src", ..] | ["crates", _, _] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::source;

    fn check(page: &str, paths: &[&str], expected: &[&str]) {
        let mut sources: Vec<Source> = paths.iter().map(|path| source(path, "")).collect();
        sources.push(source("ARCHITECTURE.md", page));
        assert_eq!(problems(&sources), expected);
    }

    const PAGE: &str = "\
# Architecture

```map
crates/model/src/        our own words
crates/model/src/plan/   a batch, proved sound
                         before it runs
modules/                 what we ship
```
";

    #[test]
    fn a_true_map_passes_and_fixtures_need_no_line() {
        let paths = [
            "README.md",
            ".ci/run",
            "crates/model/Cargo.toml",
            "crates/model/src/lib.rs",
            "crates/model/src/plan/step.rs",
            "modules/notion/notion.star",
        ];
        check(PAGE, &paths, &[]);
    }

    #[test]
    fn a_folder_that_is_gone_and_one_that_is_new_are_named() {
        let paths = [
            "crates/model/src/lib.rs",
            "crates/model/src/compact/toon.rs",
            "crates/model/tests/deep/case.txt",
            "modules/a.star",
            "book/book.toml",
        ];
        let expected = [
            "ARCHITECTURE.md: the map names crates/model/src/plan/, which does not exist",
            "ARCHITECTURE.md: the map does not name book/",
            "ARCHITECTURE.md: the map does not name crates/model/src/compact/",
            "ARCHITECTURE.md: the map does not name crates/model/tests/",
        ];
        check(PAGE, &paths, &expected);
    }

    #[test]
    fn a_page_without_a_map_is_a_problem() {
        let expected = ["ARCHITECTURE.md: no code map, a block fenced as ```map"];
        check("# Architecture\n", &["crates/model/src/lib.rs"], &expected);
        assert_eq!(problems(&[]), expected);
    }
}
