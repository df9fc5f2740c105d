//! Who makes a request, as the door it came by has found out.

use http::request::Parts;
use model::Caller;
use rmcp::model::Extensions;

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
