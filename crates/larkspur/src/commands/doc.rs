//! `larkspur doc`: what scripts can name, from the code itself.
#![expect(clippy::disallowed_methods, reason = "this command writes the book's pages")]

use crate::args::{Cli, Doc, Global, Readme, SettingsFile};
use crate::commands::readme;
use crate::exit::wrong_usage;
use crate::reference::{self, Found};
use crate::terminal::{GOOD, print, say, styled};
use anyhow::Context;
use clap::CommandFactory;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, doc: Doc) -> anyhow::Result<ExitCode> {
    if let Some(module) = doc.readme {
        return readme::run(global, &Readme { module, write: doc.write });
    }
    if let Some(file) = doc.schema {
        let schema = match file {
            SettingsFile::Project => settings::project_schema(),
            SettingsFile::Manifest => settings::manifest_schema(),
        };
        say(&format!("{schema:#}"));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = &doc.man {
        return write_man(folder);
    }
    let libraries = script::reference();
    if let Some(book) = &doc.book {
        write(book, &reference::pages(&libraries))?;
        for (file, text) in reference::made() {
            write_page(&book.join("src").join(file), &text)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let Some(name) = &doc.name else {
        print(doc.format, || &libraries, || say(&reference::overview(&libraries)))?;
        return Ok(ExitCode::SUCCESS);
    };
    match reference::find(name, &libraries).map_err(wrong_usage)? {
        Found::Library(found) => {
            print(doc.format, || &found, || say(&reference::library(&found)))?;
        }
        Found::Entry(found) => print(doc.format, || &found, || say(&reference::entry(&found)))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Renews the pages of the libraries; one whose library is gone goes as well.
fn write(book: &Path, pages: &[(String, String)]) -> anyhow::Result<()> {
    let folder = book.join("src/libraries");
    let shown = folder.display();
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot renew {shown}"))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {shown}"))?;
    for (file, text) in pages {
        write_page(&folder.join(file), text)?;
    }
    say(&format!("{} {} pages in {shown}", styled(GOOD, "wrote"), pages.len()));
    Ok(())
}

fn write_page(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn write_man(folder: &Path) -> anyhow::Result<ExitCode> {
    let shown = folder.display();
    fs::create_dir_all(folder).with_context(|| format!("cannot make {shown}"))?;
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("cannot write into {shown}"))?;
    Ok(ExitCode::SUCCESS)
}
