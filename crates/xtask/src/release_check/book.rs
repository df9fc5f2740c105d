//! The book, built by mdBook: every page of its summary exists, and every link in it leads somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::command::{self, answers};
use crate::tools;
use crate::workspace::Workspace;

const VERSION: &str = "0.5.4";

/// Output folder, relative to the repository's root.
const OUTPUT: &str = "target/book";

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let root = &workspace.root;
    let output = root.join(OUTPUT);
    let destination = output.display().to_string();
    let args = ["build", "book", "--dest-dir", &destination];
    command::run(root, find_mdbook(workspace)?, &args)?;
    let pages = Pages::read(&output)?;
    let broken = pages.broken_links();
    if !broken.is_empty() {
        bail!("broken links in {OUTPUT}:\n{}", broken.join("\n"));
    }
    println!("{} files in {OUTPUT}, no broken link", pages.0.len());
    Ok(())
}

/// mdBook of this version in `target/tools`, installed if necessary.
fn find_mdbook(workspace: &Workspace) -> Result<PathBuf> {
    let folder = tools::folder(workspace).join(format!("mdbook-{VERSION}"));
    let program = folder.join("bin/mdbook");
    if answers(&program, &["--version"]) {
        return Ok(program);
    }
    println!("installing mdbook {VERSION} into target/tools: a few minutes, once");
    let root = folder.display().to_string();
    // Unoptimized: it runs for a second, and compiles in minutes.
    let what = ["install", "mdbook", "--locked", "--debug", "--version", VERSION];
    let features = ["--no-default-features", "--features", "search"];
    let args = [&what[..], &features, &["--root", &root]].concat();
    command::run(&workspace.root, "cargo", &args)?;
    Ok(program)
}

/// Files of a built book by path; a page with its identifiers and links, anything else with none.
struct Pages(BTreeMap<PathBuf, Page>);

#[derive(Default)]
struct Page {
    ids: BTreeSet<String>,
    links: BTreeSet<String>,
}

impl Pages {
    fn read(folder: &Path) -> Result<Self> {
        let mut pages = BTreeMap::new();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(next) = folders.pop() {
            let entries = fs::read_dir(&next);
            for entry in entries.with_context(|| format!("cannot read {}", next.display()))? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let is_page = path.extension().is_some_and(|extension| extension == "html");
                let page = if is_page {
                    Page::parse(&fs::read_to_string(&path)?)
                } else {
                    Page::default()
                };
                pages.insert(path.strip_prefix(folder)?.to_path_buf(), page);
            }
        }
        ensure!(pages.len() > 1, "nothing was built in {}", folder.display());
        Ok(Self(pages))
    }

    fn broken_links(&self) -> Vec<String> {
        let pages = self.0.iter();
        let links = pages.flat_map(|(path, page)| page.links.iter().map(move |link| (path, link)));
        links
            .filter(|(path, link)| !self.has_target(path, link))
            .map(|(path, link)| format!("  {}: {link}", path.display()))
            .collect()
    }

    fn has_target(&self, from: &Path, link: &str) -> bool {
        let (file, id) = link.split_once('#').unwrap_or((link, ""));
        let file = file.split('?').next().unwrap_or_default();
        let path = match file {
            "" => from.to_path_buf(),
            file => resolve(from, file),
        };
        let page = self.0.get(&path);
        page.is_some_and(|page| id.is_empty() || page.ids.contains(id))
    }
}

impl Page {
    fn parse(html: &str) -> Self {
        let links = ["href=\"", "src=\""].into_iter();
        let links = links.flat_map(|attribute| values(html, attribute));
        Self {
            ids: values(html, "id=\"").map(str::to_owned).collect(),
            links: links.filter(|link| !is_external(link)).map(str::to_owned).collect(),
        }
    }
}

/// Values of an attribute, wherever it stands.
fn values<'a>(html: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    let parts = html.split(attribute).skip(1);
    parts.filter_map(|part| part.split_once('"').map(|(value, _)| value))
}

/// A link whose target is outside the book; one that starts with `/` depends on the site's address.
fn is_external(link: &str) -> bool {
    let outside = ["/", "data:", "mailto:"];
    link.contains("://") || outside.iter().any(|start| link.starts_with(start))
}

fn resolve(from: &Path, link: &str) -> PathBuf {
    let mut path = from.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_missing_pages_and_headings_are_broken() {
        let html = r##"<h1 id="top"><a href="a.html">a</a><a href="lib/b.html#two">b</a>
            <a href="#top">c</a><a href="https://example.org/x">d</a>
            <a href="gone.html">e</a><a href="lib/b.html#three">f</a><a href="#end">g</a>"##;
        let back = r#"<h2 id="two"><img src="../a.html">"#;
        let pages = [("a.html", html), ("lib/b.html", back)];
        let pages = pages.map(|(path, html)| (PathBuf::from(path), Page::parse(html)));
        let broken = Pages(BTreeMap::from(pages)).broken_links();
        let expected = ["  a.html: #end", "  a.html: gone.html", "  a.html: lib/b.html#three"];
        assert_eq!(broken, expected);
    }
}
