//! What RFC 9728 calls protected resource metadata: whose tokens this server takes.

use super::{Jwt, Login};
use crate::http::{ServerResponse, json};
use http::StatusCode;
use serde_json::json;
use settings::Policy;
use std::sync::Arc;

pub(crate) const PLACE: &str = "/.well-known/oauth-protected-resource";

/// The document, where there is one.
pub(crate) struct Metadata(Option<Arc<Jwt>>);

impl Metadata {
    pub(crate) fn new(login: &Login) -> Self {
        Self(match login {
            Login::Jwt(jwt) => Some(Arc::clone(jwt)),
            Login::Open | Login::Token(_) => None,
        })
    }

    /// Below its own name it is about one address: ours, as it is called here or by clients.
    pub(crate) fn is_at(&self, path: &str) -> bool {
        let Some(jwt) = &self.0 else {
            return false;
        };
        let Some(of) = path.strip_prefix(PLACE) else {
            return false;
        };
        let url = jwt.public_url();
        let own = url.split_once("://").map_or("", |(_, rest)| rest);
        let own = own.find('/').map_or("", |at| &own[at..]);
        of.is_empty() || of == "/mcp" || of == own
    }

    /// Never made from what a request says of the host.
    pub(crate) fn page(&self, policy: &Policy) -> ServerResponse {
        let Some(jwt) = &self.0 else {
            return json(StatusCode::NOT_FOUND, &json!({"error": "there is nothing here"}));
        };
        let issuers: Vec<&str> = jwt.issuers().collect();
        let scopes: Vec<&str> = policy.lowest_scopes().collect();
        let mut page = json!({
            "resource": jwt.public_url(),
            "authorization_servers": issuers,
            "bearer_methods_supported": ["header"],
            "resource_name": "Larkspur",
        });
        if !scopes.is_empty() {
            page["scopes_supported"] = json!(scopes);
        }
        json(StatusCode::OK, &page)
    }
}
