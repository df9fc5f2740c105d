//! Events become lines; what a request's span says stands beside each of its events.

use super::fields::Fields;
use crate::args::Format;
use crate::terminal::{BAD, DIM, GOOD, styled};
use anstyle::{AnsiColor, Style};
use model::{escape_json, escape_line};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// Those who speak for us, crates and targets.
const OURS: [&str; 13] = [
    "auth", "clients", "larkspur", "lsp", "mcp", "model", "outside", "runtime", "script", "server",
    "store", "testing", "vault",
];

const WARNING: Style = AnsiColor::Yellow.on_default();

pub(super) struct Lines {
    pub(super) format: Format,
}

/// Below errors, other crates show what they carry: arguments, results, headers with tokens.
fn is_ours(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    let owner = target.split("::").next().unwrap_or(target);
    OURS.contains(&owner) || *metadata.level() == Level::ERROR
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if is_ours(metadata) { Interest::always() } else { Interest::never() }
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(fields) = span.extensions_mut().get_mut::<Fields>() {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let span = context.event_span(event);
        let extensions = span.as_ref().map(tracing_subscriber::registry::SpanRef::extensions);
        let about = extensions.as_ref().and_then(|all| all.get::<Fields>());
        let about = about.map(|fields| &fields.named);
        let metadata = event.metadata();
        write(&match self.format {
            Format::Text => text(*metadata.level(), fields, about),
            Format::Json => json(
                *metadata.level(),
                metadata.target(),
                &fields.message,
                Some(&fields.named),
                about,
            ),
        });
    }
}

fn text(level: Level, mut fields: Fields, about: Option<&Map<String, Value>>) -> String {
    let style = match level {
        Level::ERROR => BAD,
        Level::WARN => WARNING,
        Level::INFO => GOOD,
        _ => DIM,
    };
    let level = styled(style, format!("{level:>5}"));
    let report = fields.take_report();
    let said = fields.text();
    let mut text = format!("{level} {}", escape_line(&said));
    if let Some(trace) = about.and_then(|about| about.get("trace_id")?.as_str()) {
        let trace = styled(DIM, format!("trace_id={trace}"));
        let _ = write!(text, " {trace}");
    }
    for line in report {
        // Indented, so that none of them looks like a line of the log.
        let _ = write!(text, "\n  {}", escape_line(&line));
    }
    text
}

pub(super) fn json(
    level: Level,
    target: &str,
    message: &str,
    fields: Option<&Map<String, Value>>,
    about: Option<&Map<String, Value>>,
) -> String {
    let mut line = json!({
        "timestamp": now(),
        "level": level.as_str(),
        "target": target,
        "message": message,
    });
    if let Some(fields) = fields.filter(|fields| !fields.is_empty()) {
        line["fields"] = fields.clone().into();
    }
    if let Some(about) = about {
        line["span"] = about.clone().into();
    }
    escape_json(&line.to_string()).into_owned()
}

fn now() -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = SystemTime.format_time(&mut Writer::new(&mut text));
    text
}

/// In one piece, so that lines of several threads do not mix.
pub(super) fn write(line: &str) {
    let mut stderr = anstream::stderr().lock();
    let _ = stderr.write_all(format!("{line}\n").as_bytes());
}
