//! `larkspur lsp`: for editors, over standard input and output.

use crate::args::Global;
use crate::compose;
use anyhow::Context;
use lsp::ProjectFault;
use runtime::{AbandonedThreads, Settings};
use std::io::{BufReader, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(global: &Global) -> anyhow::Result<ExitCode> {
    // Files that did not return are not evaluated again with every key that is typed.
    let abandoned: Arc<AbandonedThreads> = Arc::default();
    let settings = || match compose::settings(global) {
        Ok(settings) => Ok(Settings {
            folders: settings.folders.iter().map(|folder| absolute(folder)).collect(),
            abandoned: Arc::clone(&abandoned),
            ..settings
        }),
        Err(bad) => {
            let file = absolute(&compose::project_path(global));
            Err(ProjectFault { file, fault: bad.into() })
        }
    };
    // Folders are looked for where the editor is, not where it started this.
    let enter = |root: Option<PathBuf>| {
        let is_named = !global.modules.is_empty() || global.config.is_some();
        if let Some(root) = root.filter(|_| !is_named) {
            let _ = std::env::set_current_dir(root);
        }
    };
    let (input, output) = (BufReader::new(stdin()), stdout().lock());
    let version = env!("CARGO_PKG_VERSION");
    let is_polite = lsp::serve(input, output, version, enter, settings);
    let is_polite = is_polite.context("cannot talk to the editor")?;
    Ok(ExitCode::from(u8::from(!is_polite)))
}

/// As editors name files.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
