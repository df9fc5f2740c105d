//! One request: its span while it is answered, and one line at its end.

use super::names;
use super::parent::{self, Parent};
use crate::context::RequestCx;
use crate::reply::{Reply, ReplyEnd};
use crate::rpc::Params;
use model::Door;
use std::time::Instant;
use tracing::field::Empty;
use tracing::{Level, Span};

/// Names and URIs are the client's, and can be long.
const LONGEST_NAME: usize = 256;

/// What a request is about.
#[derive(Clone, Copy)]
enum About<'a> {
    Nothing,
    Tool(&'a str),
    Prompt(&'a str),
    Resource(&'a str),
}

impl<'a> About<'a> {
    fn of(method: &str, params: &'a Params) -> Self {
        let name = |member: &str| params.name(member).map(truncate);
        let about = match method {
            "tools/call" => name("name").map(Self::Tool),
            "prompts/get" => name("name").map(Self::Prompt),
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                name("uri").map(Self::Resource)
            }
            _ => None,
        };
        about.unwrap_or(Self::Nothing)
    }

    fn tool(self) -> Option<&'a str> {
        match self {
            Self::Tool(name) => Some(name),
            _ => None,
        }
    }

    fn prompt(self) -> Option<&'a str> {
        match self {
            Self::Prompt(name) => Some(name),
            _ => None,
        }
    }

    fn resource(self) -> Option<&'a str> {
        match self {
            Self::Resource(uri) => Some(uri),
            _ => None,
        }
    }
}

fn truncate(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_NAME)]
}

/// How a request ended.
#[derive(Clone, Copy)]
enum SpanEnd {
    Replied(ReplyEnd),
    Cancelled,
    /// Its task was dropped.
    Dropped,
}

impl SpanEnd {
    fn name(self) -> &'static str {
        match self {
            Self::Replied(ReplyEnd::Ok) => "ok",
            Self::Replied(ReplyEnd::ToolError) => "tool_error",
            Self::Replied(ReplyEnd::Error(_)) => "error",
            Self::Replied(ReplyEnd::Asks) => "input_required",
            Self::Cancelled => "cancelled",
            Self::Dropped => "dropped",
        }
    }
}

/// The span of a request, if its level is enabled.
pub(crate) struct RequestSpan(Option<EnabledSpan>);

struct EnabledSpan {
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
                .and_then(|_| $context.meta.tracestate.as_deref())
                .and_then(parent::state),
            { names::METHOD } = $method,
            { names::PROTOCOL } = $context.revision.map(|revision| revision.as_str()),
            { names::REQUEST_ID } = truncate(&$context.id.to_string()),
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

impl RequestSpan {
    pub(crate) fn begin(method: &str, params: &Params, context: &RequestCx) -> Self {
        let parent = context.meta.traceparent.as_deref().and_then(Parent::read);
        // Who sends a trace wants to find it again, also where only warnings are shown.
        let is_wanted = match parent {
            Some(_) => tracing::span_enabled!(target: "mcp", Level::WARN),
            None => tracing::span_enabled!(target: "mcp", Level::INFO),
        };
        if !is_wanted {
            return Self(None);
        }
        let about = About::of(method, params);
        let method = truncate(method);
        let name = match about.tool().or(about.prompt()) {
            Some(of) => format!("{method} {of}"),
            None => method.to_owned(),
        };
        let text = name.as_str();
        let span = match parent {
            Some(_) => span!(Level::WARN, method, about, text, context, parent),
            None => span!(Level::INFO, method, about, text, context, parent),
        };
        Self(Some(EnabledSpan { span, name, begin: Instant::now() }))
    }

    pub(crate) fn span(&self) -> Span {
        let enabled = self.0.as_ref();
        enabled.map_or_else(Span::none, |enabled| enabled.span.clone())
    }

    pub(crate) fn end(mut self, reply: &Reply, is_cancelled: bool) {
        if let Some(enabled) = self.0.take() {
            enabled.end(if is_cancelled {
                SpanEnd::Cancelled
            } else {
                SpanEnd::Replied(reply.end)
            });
        }
    }
}

impl Drop for RequestSpan {
    fn drop(&mut self) {
        if let Some(enabled) = self.0.take() {
            enabled.end(SpanEnd::Dropped);
        }
    }
}

impl EnabledSpan {
    fn end(self, end: SpanEnd) {
        let Self { span, name, begin } = self;
        match end {
            SpanEnd::Replied(ReplyEnd::Ok | ReplyEnd::Asks) => {}
            SpanEnd::Replied(ReplyEnd::Error(code)) => {
                span.record(names::STATUS, code);
                span.record(names::ERROR, code.to_string().as_str());
            }
            SpanEnd::Replied(ReplyEnd::ToolError) | SpanEnd::Cancelled | SpanEnd::Dropped => {
                span.record(names::ERROR, end.name());
            }
        }
        let duration_ms = begin.elapsed().as_secs_f64() * 1e3;
        span.in_scope(
            || tracing::info!(target: "mcp", outcome = end.name(), duration_ms, "{name}"),
        );
    }
}

fn transport(context: &RequestCx) -> &'static str {
    match context.transport {
        Door::Http => "tcp",
        Door::Stdio | Door::Cli => "pipe",
    }
}
