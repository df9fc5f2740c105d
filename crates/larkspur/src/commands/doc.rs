//! `larkspur doc`: what scripts can name, from the code itself.
#![expect(clippy::disallowed_methods, reason = "this command writes the book's pages")]

use crate::args::{Cli, Doc, Format, Global, Readme};
use crate::commands::readme;
use crate::exit::USAGE;
use crate::reference::{self, Found};
use crate::terminal::{GOOD, error, say, styled};
use anyhow::Context;
use clap::CommandFactory;
use serde::Serialize;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, doc: Doc) -> anyhow::Result<ExitCode> {
    if let Some(module) = doc.readme {
        return readme::run(global, &Readme { module, write: doc.write });
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
        show(doc.format, &libraries, || reference::overview(&libraries))?;
        return Ok(ExitCode::SUCCESS);
    };
    match reference::find(name, &libraries) {
        Ok(Found::Library(found)) => show(doc.format, &found, || reference::library(&found))?,
        Ok(Found::Entry(found)) => show(doc.format, &found, || reference::entry(&found))?,
        Err(why) => {
            error(&why);
            return Ok(ExitCode::from(USAGE));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show<T: Serialize>(
    format: Format,
    found: &T,
    text: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    match format {
        Format::Text => say(&text()),
        Format::Json => say(&serde_json::to_string_pretty(found)?),
    }
    Ok(())
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
