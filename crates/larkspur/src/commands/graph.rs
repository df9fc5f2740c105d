//! `larkspur graph`: which modules depend on which, as a list or for a program that draws.

use crate::args::{Drawing, Global, Graph};
use crate::compose;
use crate::exit::wrong_usage;
use crate::picture::{Picture, mermaid, text};
use crate::terminal::{error, no_modules, note, say, unserved};
use std::process::ExitCode;

pub(crate) fn run(global: &Global, graph: &Graph) -> anyhow::Result<ExitCode> {
    if graph.format == Drawing::Dot {
        let why = "--format dot is no longer there: --format mermaid is for programs that draw";
        return Err(wrong_usage(why));
    }
    let runtime = compose::look(global)?;
    let survey = runtime.survey();
    let picture = Picture::of(&survey);
    let drawn = match graph.format {
        Drawing::Text => text(&picture),
        Drawing::Mermaid | Drawing::Dot => mermaid(&picture),
    };
    if !drawn.is_empty() {
        say(&drawn);
    }
    if survey.modules.is_empty() {
        note(&no_modules(&runtime));
    }
    let catalog = runtime.catalog();
    for (file, broken) in &catalog.broken {
        error(&unserved(file, broken));
    }
    Ok(ExitCode::from(u8::from(!catalog.broken.is_empty())))
}
