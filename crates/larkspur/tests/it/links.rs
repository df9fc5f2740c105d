//! Links in documents lead somewhere, and those of the book stay in it: it is read without the repository.

use crate::documents::workspace;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// All pages below a folder, or one file.
fn pages(at: &Path) -> Vec<PathBuf> {
    if at.is_file() {
        return vec![at.to_owned()];
    }
    let entries = fs::read_dir(at).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let wanted = paths.filter(|path| path.is_dir() || path.extension().is_some_and(|e| e == "md"));
    wanted.flat_map(|path| pages(&path)).collect()
}

/// What is no code: links in examples are the examples' own.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    let lines: Vec<String> =
        lines.map(|line| line.split('`').step_by(2).collect::<Vec<_>>().join("`")).collect();
    lines.join("\n")
}

/// The targets of links, but for those that leave for the web.
fn targets(text: &str) -> Vec<String> {
    let parts = prose(text);
    let parts = parts.split("](").skip(1);
    let targets = parts.filter_map(|part| part.split_once(')').map(|(target, _)| target));
    let local = targets.filter(|target| !target.contains("://"));
    local.map(str::to_owned).collect()
}

/// As pages name their headings: letters and digits in lower case, `-` for blanks.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

fn joined(from: &Path, target: &str) -> PathBuf {
    let mut path = from.parent().unwrap().to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
    }
    path
}

fn problem(page: &Path, target: &str, bounds: &Path) -> Option<String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = match file {
        "" => page.to_owned(),
        file => joined(page, file),
    };
    if !path.exists() {
        return Some("there is nothing".to_owned());
    }
    if !path.starts_with(bounds) {
        return Some("it leaves the book".to_owned());
    }
    let is_missing =
        !anchor.is_empty() && !anchors(&fs::read_to_string(&path).unwrap()).contains(anchor);
    is_missing.then(|| format!("there is no heading #{anchor}"))
}

#[test]
fn every_link_leads_somewhere() {
    let root = workspace().canonicalize().unwrap();
    let (book, all) = (root.join("book/src"), root.clone());
    let documents = [
        ("README.md", &all),
        ("ARCHITECTURE.md", &all),
        ("CONTRIBUTING.md", &all),
        ("CHANGELOG.md", &all),
        ("examples", &all),
        ("modules", &all),
        ("book/src", &book),
    ];
    let mut problems = Vec::new();
    let mut seen = 0;
    for (place, bounds) in documents {
        for page in pages(&root.join(place)) {
            for target in targets(&fs::read_to_string(&page).unwrap()) {
                seen += 1;
                if let Some(why) = problem(&page, &target, bounds) {
                    let page = page.strip_prefix(&root).unwrap().display();
                    problems.push(format!("{page}: {target}: {why}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(seen > 100, "only {seen} links were found");
}
