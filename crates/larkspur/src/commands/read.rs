//! `larkspur read`: one resource, as a client would get it.

use crate::args::{Global, Read};
use crate::commands::missing::{missing, shown};
use crate::compose;
use crate::exit::{SAID_ERROR, USAGE};
use crate::terminal::{error, note, print, say};
use model::{Body, Contents};
use runtime::{Asking, Catalog, RequestError, RequestErrorKind, Runtime};
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, args: &Read) -> anyhow::Result<ExitCode> {
    compose::with_runtime(global, |runtime| {
        let catalog = runtime.catalog();
        let reading = runtime.read(&args.uri, Asking::default());
        match compose::executor()?.block_on(reading) {
            Ok(contents) => {
                print(args.format, || json!({"contents": contents}), || show(&contents))?;
                Ok(ExitCode::SUCCESS)
            }
            Err(failure) => Ok(failed(runtime, &catalog, &failure)),
        }
    })
}

fn show(contents: &[Contents]) {
    for one in contents {
        match &one.body {
            Body::Text(text) => say(text.strip_suffix('\n').unwrap_or(text)),
            Body::Blob(blob) => note(&format!(
                "{} is {}, {} characters of base64; --format json shows them",
                one.uri,
                one.mime_type,
                blob.len()
            )),
        }
    }
}

fn failed(runtime: &Runtime, catalog: &Catalog, failure: &RequestError) -> ExitCode {
    match &failure.kind {
        RequestErrorKind::Unknown(_, available) => {
            return missing(runtime, "resource", &failure.target, available);
        }
        RequestErrorKind::Rejected { .. } => {
            let found = catalog.resources.find(&failure.target);
            let help = found.map_or_else(String::new, |(handle, _)| {
                let resource = &handle.resource().resource;
                let takes = resource.input.signature();
                format!("\n  = help: {} with {takes}", resource.uri)
            });
            error(&format!("{failure}{help}"));
            return ExitCode::from(USAGE);
        }
        _ => error(&shown(failure)),
    }
    ExitCode::from(SAID_ERROR)
}
