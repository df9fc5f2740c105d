//! The log on stderr: a line an event, for people or for programs.

mod fields;
mod lines;

use crate::args::Format;
use crate::variables;
use lines::Lines;
use std::sync::OnceLock;
use tracing::Level;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Where somebody says what is shown; the first that is set wins.
const VARIABLES: [&str; 2] = [variables::LOG, variables::RUST_LOG];

/// At a terminal: what is wrong, and what modules say. rmcp's service calls it an error when a client
/// leaves before its answer.
const FOR_PEOPLE: &str = "warn,script=info,rmcp::service=off";
/// For those who collect: also a line for every request.
const FOR_PROGRAMS: &str = "info,rmcp::service=off";

static FORMAT: OnceLock<Format> = OnceLock::new();

pub(crate) fn start(format: Format) {
    let _ = FORMAT.set(format);
    let usual = match format {
        Format::Text => FOR_PEOPLE,
        Format::Json => FOR_PROGRAMS,
    };
    let mut bad = None;
    let filter = wanted().and_then(|(name, text)| match EnvFilter::try_new(&text) {
        Ok(filter) => Some(filter),
        Err(error) => {
            bad =
                Some(format!("{name} cannot be used: {error}; write it as in `info,script=debug`"));
            None
        }
    });
    let filter = filter.unwrap_or_else(|| EnvFilter::new(usual));
    let _ = tracing_subscriber::registry().with(filter).with(Lines { format }).try_init();
    if let Some(bad) = bad {
        tracing::warn!("{bad}");
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "what is logged is wanted before anything else is read"
)]
fn wanted() -> Option<(&'static str, String)> {
    let mut said = VARIABLES.iter().filter_map(|name| Some((*name, std::env::var(name).ok()?)));
    said.find(|(_, text)| !text.trim().is_empty())
}

/// A word beside the result, where stderr is for programs; answers whether it is.
pub(crate) fn note_for_programs(level: Level, text: &str) -> bool {
    if FORMAT.get() != Some(&Format::Json) {
        return false;
    }
    let text = anstream::adapter::strip_str(text).to_string();
    // Whatever is filtered out: it was asked for, or somebody waits for it.
    lines::write(&lines::json(level, "larkspur", &text, None, None));
    true
}
