//! Who makes a request, as the door it came by has found out, and by which way.

use crate::trace::trace_id;
use http::request::Parts;
use model::{Caller, Door};
use rmcp::model::Extensions;
use rmcp::service::{RequestContext, RoleServer};
use runtime::{Runtime, Trail};

/// A request that came by network carries its caller; one that does not is nobody's. On stdio only
/// whoever started the server can ask.
pub(crate) fn caller(extensions: &Extensions) -> Caller {
    match extensions.get::<Parts>() {
        None => Caller::default(),
        Some(parts) => {
            let known = parts.extensions.get::<Caller>().cloned();
            known.unwrap_or_else(|| Caller::named(""))
        }
    }
}

/// For those who read of it later; where nobody does, the rest of it is nothing to anybody.
pub(crate) fn trail(runtime: &Runtime, context: &RequestContext<RoleServer>) -> Trail {
    let door = match context.extensions.get::<Parts>() {
        Some(_) => Door::Http,
        None => Door::Stdio,
    };
    if !runtime.audit().is_on() {
        return Trail::by(door);
    }
    Trail {
        request: Some(context.id.to_string().into()),
        trace: context
            .meta
            .get_traceparent()
            .and_then(trace_id)
            .map(Into::into),
        ..Trail::by(door)
    }
}
