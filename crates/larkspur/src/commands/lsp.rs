//! `larkspur lsp`: for editors, over standard input and output.

use crate::args::Global;
use crate::editor::Editor;
use anyhow::Context;
use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(global: &Global) -> anyhow::Result<ExitCode> {
    let version = env!("CARGO_PKG_VERSION");
    let is_polite = lsp::serve(BufReader::new(stdin()), stdout().lock(), version, |root| {
        // Folders are looked for where the editor is, not where it started this.
        let is_named = !global.modules.is_empty() || global.config.is_some();
        if let Some(root) = root.filter(|_| !is_named) {
            let _ = std::env::set_current_dir(root);
        }
        Editor { global, abandoned: Arc::default() }
    });
    let is_polite = is_polite.context("cannot talk to the editor")?;
    Ok(ExitCode::from(u8::from(!is_polite)))
}
