//! `cargo xtask lines`: lines of source and of tests in each crate, and what has changed since a revision.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::command::{output, run};
use crate::workspace::{Source, Workspace};

/// Extracts revision `$0` into folder `$1`.
const EXTRACT: &str =
    r#"rm -rf "$1" && mkdir -p "$1" && git archive "$0" crates modules examples | tar -x -C "$1""#;

/// By crate, now and before: lines of source, of tests, and of JSON.
#[derive(Default)]
struct LineCounts(BTreeMap<String, [[i64; 3]; 2]>);

pub(crate) fn print(workspace: &Workspace, args: &[String]) -> Result<()> {
    let mut counts = LineCounts::default();
    counts.add(0, &workspace.sources()?);
    match args {
        [] => counts.add(1, &workspace.sources()?),
        [revision] => {
            let folder = "target/lines";
            run(&workspace.root, "sh", &["-c", EXTRACT, revision, folder])?;
            let list = ["ls-tree", "-r", "-z", "--name-only", revision];
            let paths = String::from_utf8(output(&workspace.root, "git", &list)?)?;
            let folder = workspace.root.join(folder);
            let before = paths.split('\0').filter_map(|path| Source::read(&folder, path));
            counts.add(1, &before.collect::<Vec<_>>());
        }
        _ => bail!("`cargo xtask lines`, or `cargo xtask lines REVISION`"),
    }
    print!("{}", counts.table());
    Ok(())
}

impl LineCounts {
    /// Adds files to one side. What is outside of crates counts for its top folder.
    fn add(&mut self, side: usize, sources: &[Source]) {
        for source in sources {
            let mut folders = source.path.split('/');
            let area = match (folders.next(), folders.next()) {
                (Some("crates"), Some(name)) => name,
                (Some(top @ ("modules" | "examples")), Some(_)) => top,
                _ => continue,
            };
            for area in [area, "~ in all"] {
                let sums = &mut self.0.entry(area.to_owned()).or_default()[side];
                for (sum, lines) in sums.iter_mut().zip(count(source)) {
                    *sum += i64::try_from(lines).unwrap_or(i64::MAX);
                }
            }
        }
    }

    fn table(&self) -> String {
        let head = format!("{:<12}{:>9}{:>16}{:>16}\n", "", "source", "tests", "JSON");
        let rows = self.0.iter().map(|(area, [now, before])| {
            let cells = now.iter().zip(before).map(|(now, before)| match now - before {
                0 => format!("{now:>9}       "),
                change => format!("{now:>9} {change:<+6}"),
            });
            let area = area.trim_start_matches("~ ");
            format!("{area:<12}{}\n", cells.collect::<String>().trim_end())
        });
        head + &rows.collect::<String>()
    }
}

/// Lines of source, tests and JSON: in a crate's tests every text counts, elsewhere Rust and Starlark.
fn count(source: &Source) -> [usize; 3] {
    let (path, lines) = (source.path.as_str(), source.text.lines().count());
    let is_test = ["_tests.rs", "/tests.rs", "_test.star"].iter().any(|end| path.ends_with(end));
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "json" => [0, 0, lines],
        _ if path.starts_with("crates/") && path.contains("/tests/") => [0, lines, 0],
        "rs" | "star" if is_test => [0, lines, 0],
        "rs" | "star" => {
            let source = first_test(&source.text).unwrap_or(lines);
            [source, lines - source, 0]
        }
        _ => [0; 3],
    }
}

/// The line at which a file's own tests begin. Nothing follows them, which clippy checks.
fn first_test(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().enumerate().position(|(number, line)| {
        let item = lines[number + 1..].iter().find(|line| !line.starts_with("#["));
        let opens = |item: &&str| item.contains("mod ") && item.ends_with('{');
        *line == "#[cfg(test)]" && item.is_some_and(opens)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::source;

    #[test]
    fn source_tests_and_data_are_counted_apart() {
        let inline = "//! A.\n\n#[cfg(test)]\nuse x;\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n}\n";
        let files = [
            ("crates/a/src/lib.rs", inline),
            ("crates/a/src/lib_tests.rs", "x\n"),
            ("crates/a/src/x/tests/y.rs", "x\n"),
            ("crates/a/tests/cmd/new.md", "x\n"),
            ("crates/a/tests/fixture.json", "x\ny\n"),
            ("crates/a/src/help.txt", "x\n"),
            ("modules/m/main.star", "x\ny\n"),
            ("README.md", "x\n"),
        ];
        let mut counts = LineCounts::default();
        counts.add(0, &files.map(|(path, text)| source(path, text)));
        counts
            .add(1, &[source("modules/m/main.star", "x\n"), source("modules/m/a_test.star", "x")]);
        let table = counts.table();
        let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split_whitespace().collect()).collect();
        assert_eq!(rows[1], ["a", "4", "+4", "7", "+7", "2", "+2"]);
        assert_eq!(rows[2], ["modules", "2", "+1", "0", "-1", "0"]);
        assert_eq!(rows[3], ["in", "all", "6", "+5", "7", "+6", "2", "+2"]);
    }
}
