//! The section of `ARCHITECTURE.md` on the functions that a call passes: few of them, and each exists.
//!
//! An entry is a list item that opens with a file and a function, both in backquotes. Numbered ones are what
//! every call passes; others stand for some of them, and are not counted.

use crate::workspace::Source;

const HEADING: &str = "\n## The functions a call passes\n";
const MAXIMUM: usize = 30;

pub(super) fn problems(sources: &[Source]) -> Vec<String> {
    let page = sources.iter().find(|source| source.path == "ARCHITECTURE.md");
    let Some(section) = page.and_then(|page| section(&page.text)) else {
        return vec![format!("ARCHITECTURE.md: no section `{}`", HEADING.trim())];
    };
    let entries: Vec<&str> = section.lines().filter(|line| is_item(line)).collect();
    let wrong = entries.iter().filter_map(|entry| problem(entry, sources));
    let mut problems: Vec<String> = wrong.collect();
    let numbered = entries.iter().filter(|entry| !entry.starts_with("- ")).count();
    if numbered == 0 || numbered > MAXIMUM {
        problems.push(format!(
            "ARCHITECTURE.md: a call passes {numbered} functions; the section lists from 1 to {MAXIMUM}",
        ));
    }
    problems
}

/// Text from the heading to the next one.
fn section(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once(HEADING)?;
    Some(rest.split_once("\n## ").map_or(rest, |(section, _)| section))
}

fn is_item(line: &str) -> bool {
    let item = line.trim_start_matches(|c: char| c.is_ascii_digit());
    item.starts_with("- ") || (item.len() < line.len() && item.starts_with(". "))
}

fn problem(entry: &str, sources: &[Source]) -> Option<String> {
    let mut quoted = entry.split('`').skip(1).step_by(2);
    let (Some(path), Some(function)) = (quoted.next(), quoted.next()) else {
        return Some(format!("ARCHITECTURE.md: `{}` names no file and function", entry.trim()));
    };
    let Some(source) = sources.iter().find(|source| source.path == path) else {
        return Some(format!("ARCHITECTURE.md: {path} does not exist"));
    };
    let defines =
        ["(", "<"].iter().any(|after| source.text.contains(&format!("fn {function}{after}")));
    (!defines).then(|| format!("ARCHITECTURE.md: {path} does not define `fn {function}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::source;

    fn check(section: &str, expected: &[&str]) {
        let code = "fn read() {}\n    pub(crate) async fn call<T>(self) {}\n";
        let page =
            format!("# A\n\n## The functions a call passes\n\n{section}\n## B\n\n- `c.rs` `d`\n");
        let sources = [source("crates/a/src/b.rs", code), source("ARCHITECTURE.md", &page)];
        assert_eq!(problems(&sources), expected);
    }

    #[test]
    fn functions_that_exist_pass() {
        let section =
            "Words.\n\n1. `crates/a/src/b.rs` `read`: parses\n2. `crates/a/src/b.rs` `call`\n";
        check(section, &[]);
        check(&format!("{section}\n{}", "- `crates/a/src/b.rs` `read`\n".repeat(31)), &[]);
    }

    #[test]
    fn what_does_not_exist_is_named() {
        check(
            "1. `crates/a/src/b.rs` `rea`\n- `crates/a/src/c.rs` `read`\n- `read`\n",
            &[
                "ARCHITECTURE.md: crates/a/src/b.rs does not define `fn rea`",
                "ARCHITECTURE.md: crates/a/src/c.rs does not exist",
                "ARCHITECTURE.md: `- `read`` names no file and function",
            ],
        );
    }

    #[test]
    fn a_long_section_is_a_problem() {
        let section = "1. `crates/a/src/b.rs` `read`\n".repeat(31);
        let many = "ARCHITECTURE.md: a call passes 31 functions; the section lists from 1 to 30";
        check(&section, &[many]);
        let none = "ARCHITECTURE.md: a call passes 0 functions; the section lists from 1 to 30";
        check("", &[none]);
        let missing = "ARCHITECTURE.md: no section `## The functions a call passes`";
        assert_eq!(problems(&[]), [missing]);
    }
}
