//! Findings of `check` as diagnostics, by file.

use crate::position::range;
use check::{Finding, Findings};
use lsp_types::{Diagnostic, DiagnosticSeverity, NumberOrString};
use runtime::{Runtime, Settings};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) type FileDiagnostics = BTreeMap<PathBuf, Vec<Diagnostic>>;

/// Checks the modules that these settings load, without starting any.
pub(crate) fn check_modules(settings: Settings) -> Findings {
    let runtime = Runtime::open(Settings { asleep: true, ..settings });
    let findings = check::find(&runtime);
    runtime.close();
    findings
}

pub(crate) fn add(finding: &Finding, all: &mut FileDiagnostics) {
    let fault = &finding.fault;
    // A module may fail in a file that it loads.
    let place = fault.place.as_ref().filter(|place| Path::new(&place.file).is_absolute());
    let file = place.map_or(&finding.file, |place| &place.file);
    let message = match &fault.help {
        Some(help) => format!("{}\n{help}", fault.message),
        None => fault.message.clone(),
    };
    all.entry(PathBuf::from(file)).or_default().push(Diagnostic {
        range: place.map(range).unwrap_or_default(),
        severity: Some(if finding.is_error() {
            DiagnosticSeverity::ERROR
        } else {
            DiagnosticSeverity::WARNING
        }),
        code: Some(NumberOrString::String(finding.code.to_owned())),
        source: Some("larkspur".to_owned()),
        message,
        ..Diagnostic::default()
    });
}
