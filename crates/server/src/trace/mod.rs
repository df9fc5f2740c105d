//! A span for every request: whose trace it belongs to, what was asked and how it ended. Arguments and
//! results are in none of them.

mod names;
mod parent;
mod span;

pub(crate) use span::RequestSpan;

/// The trace that a client says its request belongs to.
pub(crate) fn trace_id(traceparent: &str) -> Option<&str> {
    parent::Parent::read(traceparent).map(|parent| parent.trace_id)
}
