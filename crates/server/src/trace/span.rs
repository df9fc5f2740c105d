//! One request: its span while it is answered, and one line at its end.

use super::names;
use super::parent::{self, Parent};
use rmcp::ErrorData;
use rmcp::service::{RequestContext, RoleServer};
use std::time::Instant;
use tracing::field::Empty;
use tracing::{Level, Span};

/// Names and URIs are the client's, and can be long.
const LONGEST_NAME: usize = 256;

/// What a request is about.
#[derive(Clone, Copy)]
pub(super) enum About<'a> {
    Nothing,
    Tool(&'a str),
    Prompt(&'a str),
    Resource(&'a str),
}

impl<'a> About<'a> {
    fn tool(self) -> Option<&'a str> {
        match self {
            Self::Tool(name) => Some(cut(name)),
            _ => None,
        }
    }

    fn prompt(self) -> Option<&'a str> {
        match self {
            Self::Prompt(name) => Some(cut(name)),
            _ => None,
        }
    }

    fn resource(self) -> Option<&'a str> {
        match self {
            Self::Resource(uri) => Some(cut(uri)),
            _ => None,
        }
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_NAME)]
}

/// How a request ended.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    Ok,
    /// The tool said error, and the client has got its result.
    ToolError,
    Error(i32),
    /// The client has questions to answer, and will ask again.
    Asks,
    Cancelled,
    /// Nobody waited for the end.
    Dropped,
}

impl Outcome {
    pub(super) fn of<T>(answer: &Result<T, ErrorData>) -> Self {
        match answer {
            Ok(_) => Self::Ok,
            Err(error) => Self::Error(error.code.0),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool_error",
            Self::Error(_) => "error",
            Self::Asks => "input_required",
            Self::Cancelled => "cancelled",
            Self::Dropped => "dropped",
        }
    }
}

/// A request that somebody follows; nothing is done for one that nobody does.
pub(super) struct Request(Option<Followed>);

struct Followed {
    span: Span,
    name: String,
    begin: Instant,
}

macro_rules! span {
    ($level:expr, $method:expr, $about:expr, $name:expr, $context:expr, $parent:expr) => {
        tracing::span!(
            target: "mcp",
            parent: None,
            $level,
            "request",
            { names::NAME } = $name,
            { names::KIND } = "server",
            { names::TRACE_ID } = match &$parent {
                Some(parent) => Some(parent.trace_id.to_owned()),
                None => parent::random_id::<16>(),
            },
            { names::SPAN_ID } = parent::random_id::<8>(),
            { names::PARENT_SPAN_ID } = $parent.as_ref().map(|parent| parent.span_id),
            { names::TRACE_STATE } = $parent
                .as_ref()
                .and_then(|_| $context.meta.get_tracestate())
                .and_then(parent::state),
            { names::METHOD } = $method,
            { names::PROTOCOL } = $context.protocol_version().as_ref().map(|version| cut(version.as_str())),
            { names::REQUEST_ID } = cut(&$context.id.to_string()),
            { names::TRANSPORT } = transport($context),
            { names::OPERATION } = $about.tool().map(|_| "execute_tool"),
            { names::TOOL } = $about.tool(),
            { names::PROMPT } = $about.prompt(),
            { names::RESOURCE } = $about.resource(),
            { names::STATUS } = Empty,
            { names::ERROR } = Empty,
        )
    };
}

impl Request {
    pub(super) fn begin(
        method: &str,
        about: About<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        let parent = context.meta.get_traceparent().and_then(Parent::read);
        // Who sends a trace wants to find it again, also where only warnings are shown.
        let is_wanted = match parent {
            Some(_) => tracing::span_enabled!(target: "mcp", Level::WARN),
            None => tracing::span_enabled!(target: "mcp", Level::INFO),
        };
        if !is_wanted {
            return Self(None);
        }
        let method = cut(method);
        let name = match about.tool().or(about.prompt()) {
            Some(of) => format!("{method} {of}"),
            None => method.to_owned(),
        };
        let text = name.as_str();
        let span = match parent {
            Some(_) => span!(Level::WARN, method, about, text, context, parent),
            None => span!(Level::INFO, method, about, text, context, parent),
        };
        Self(Some(Followed {
            span,
            name,
            begin: Instant::now(),
        }))
    }

    pub(super) fn span(&self) -> Span {
        let followed = self.0.as_ref();
        followed.map_or_else(Span::none, |followed| followed.span.clone())
    }

    pub(super) fn end(mut self, outcome: Outcome) {
        if let Some(followed) = self.0.take() {
            followed.end(outcome);
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if let Some(followed) = self.0.take() {
            followed.end(Outcome::Dropped);
        }
    }
}

impl Followed {
    fn end(self, outcome: Outcome) {
        let Self { span, name, begin } = self;
        match outcome {
            Outcome::Ok | Outcome::Asks => {}
            Outcome::Error(code) => {
                span.record(names::STATUS, code);
                span.record(names::ERROR, code.to_string().as_str());
            }
            Outcome::ToolError | Outcome::Cancelled | Outcome::Dropped => {
                span.record(names::ERROR, outcome.name());
            }
        }
        let duration_ms = begin.elapsed().as_secs_f64() * 1e3;
        span.in_scope(
            || tracing::info!(target: "mcp", outcome = outcome.name(), duration_ms, "{name}"),
        );
    }
}

fn transport(context: &RequestContext<RoleServer>) -> &'static str {
    match context.extensions.get::<http::request::Parts>() {
        Some(_) => "tcp",
        None => "pipe",
    }
}
