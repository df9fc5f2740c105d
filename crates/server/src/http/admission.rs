//! Checks of a request before it is answered: its headers, session and scopes.

use super::denials::{self, Turned};
use super::headers::{self, EVENTS};
use super::mcp::McpEndpoint;
use super::response::{ServerResponse, refused, rpc_error};
use super::sessions::{NoSession, Session};
use super::status;
use crate::auth;
use crate::revision::Revision;
use crate::rpc::Request;
use crate::wire::Era;
use http::StatusCode;
use http::header::HeaderMap;
use model::{Args, Caller, Door};
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, JsonObject, RequestId};
use runtime::{Denial, Lacking, Limited, Trail, Wish};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The error code for a scope that is missing; the HTTP status says the same.
const MISSING_SCOPE: i32 = 1003;

/// A request with what was found out about it before it is answered.
pub(super) struct AdmittedRequest {
    pub(super) request: Request,
    pub(super) caller: Caller,
    pub(super) revision: Option<Revision>,
    pub(super) session: Option<Arc<Session>>,
    pub(super) takes_events: bool,
}

impl McpEndpoint {
    /// Checks a request against its headers, session and scopes.
    pub(super) fn admit(
        &self,
        headers: &HeaderMap,
        request: Request,
        caller: Caller,
    ) -> Result<AdmittedRequest, Box<ServerResponse>> {
        headers::check_single(headers, Some(&request.id))?;
        let takes_events = headers::accepts(headers, EVENTS);
        if request.method == "subscriptions/listen" && !takes_events {
            let why = format!("{} is answered by events: accept {EVENTS}", request.method);
            let error = ErrorData::invalid_request(why, None);
            let id = Some(&request.id);
            return Err(rpc_error(StatusCode::NOT_ACCEPTABLE, id, &error).into());
        }
        let is_initialize = request.method == "initialize";
        let mut session = None;
        if !is_initialize && !headers::is_modern(headers) {
            session = self.session(headers, &caller, &request.method, Some(&request.id))?;
        }
        headers::check_request(headers, &request, |tool| self.schema(tool, &caller))?;
        self.judge(&request, &caller)?;
        let revision = match &session {
            Some(session) => session.peer.revision(),
            None if is_initialize => None,
            None => Some(headers::revision(headers)),
        };
        Ok(AdmittedRequest { request, caller, revision, session, takes_events })
    }

    /// The input schema of a tool as its caller has seen it.
    fn schema(&self, name: &str, caller: &Caller) -> Option<JsonObject> {
        let tools = self.shared.tools(Era::Modern, caller);
        let found = tools.binary_search_by(|tool| tool.name.as_ref().cmp(name));
        if let Ok(index) = found {
            let tool = tools.get(index)?;
            return has_annotations(&tool.input_schema).then(|| (*tool.input_schema).clone());
        }
        let catalog = self.shared.runtime.view(caller);
        let schema = catalog.input_schema(name)?;
        schema.as_object().filter(|schema| has_annotations(schema)).cloned()
    }

    /// Rejects a request whose caller lacks a scope, and an `initialize` of one who comes too often.
    fn judge(&self, request: &Request, caller: &Caller) -> Result<(), Box<ServerResponse>> {
        let runtime = &self.shared.runtime;
        if request.method == "initialize" {
            let charged = runtime.charge_caller(caller);
            return charged.map_err(|limited| Box::new(self.limit(request, caller, &limited)));
        }
        if !runtime.has_scopes(caller) {
            return Ok(());
        }
        let none = Args::new();
        let wish = wish(request, &none);
        let lacking = wish.map(|wish| runtime.lacking(caller, &wish)).unwrap_or_default();
        if lacking.is_empty() {
            return Ok(());
        }
        Err(Box::new(self.step_up(request, caller, &lacking)))
    }

    fn limit(&self, request: &Request, caller: &Caller, limited: &Limited) -> ServerResponse {
        self.shared.runtime.audit().limited(&Denial {
            caller: Some(caller),
            trail: &Trail { request: Some(request.id.to_string().into()), ..Trail::by(Door::Http) },
            method: &request.method,
            wanted: "",
            of: None,
            kind: limited.limit,
            rule: None,
        });
        status::too_many(&request.id, limited)
    }

    /// The token can be had for more: what is missing is named all at once.
    fn step_up(&self, request: &Request, caller: &Caller, lacking: &[Lacking]) -> ServerResponse {
        for one in lacking {
            let rule = format!("the token lacks the scope {}", one.scope);
            let turned = Turned {
                id: Some(&request.id),
                rule: Some(&rule),
                of: Some(one),
                ..Turned::from(&request.method, "scope")
            };
            denials::note(&self.shared.runtime, Some(caller), &turned);
        }
        let missing: BTreeSet<String> = lacking.iter().map(|one| one.scope.clone()).collect();
        let names: Vec<&str> = missing.iter().map(String::as_str).collect();
        let why = format!("the token lacks the scope {}", names.join(" and "));
        tracing::info!(target: "auth", caller = &*caller.name, missing = names.join(" "), "more is asked for");
        let error = ErrorData::new(ErrorCode(MISSING_SCOPE), why, None);
        let response = rpc_error(StatusCode::FORBIDDEN, Some(&request.id), &error);
        auth::insufficient(&self.login, &missing, response)
    }

    /// The session that the headers name, if they name one.
    pub(super) fn session(
        &self,
        headers: &HeaderMap,
        caller: &Caller,
        method: &str,
        id: Option<&RequestId>,
    ) -> Result<Option<Arc<Session>>, ServerResponse> {
        let Some(value) = headers.get(headers::SESSION) else {
            return Ok(None);
        };
        let found = match value.to_str() {
            Ok(name) => self.sessions.find(name, caller),
            Err(_) => Err(NoSession::Unknown),
        };
        found.map(Some).map_err(|why| {
            if why == NoSession::OfAnotherCaller {
                tracing::warn!(caller = &*caller.name, "a caller used another one's session");
                let turned = Turned { id, ..Turned::from(method, "session") };
                denials::note(&self.shared.runtime, Some(caller), &turned);
            }
            refused(StatusCode::NOT_FOUND, "there is no such session")
        })
    }
}

/// What a request wants of tools, resources or prompts, if it is about any.
fn wish<'r>(request: &'r Request, none: &'r Args) -> Option<Wish<'r>> {
    let params = &request.params;
    Some(match request.method.as_str() {
        "tools/call" => Wish::Tool {
            name: params.name("name")?,
            args: params.member("arguments").and_then(Value::as_object).unwrap_or(none),
        },
        "resources/read" => Wish::Resource(params.name("uri")?),
        "prompts/get" => Wish::Prompt(params.name("name")?),
        "completion/complete" => {
            let reference = params.member("ref")?;
            match reference["type"].as_str()? {
                "ref/prompt" => Wish::Prompt(reference["name"].as_str()?),
                "ref/resource" => Wish::Declared(reference["uri"].as_str()?),
                _ => return None,
            }
        }
        _ => return None,
    })
}

fn has_annotations(schema: &JsonObject) -> bool {
    fn is_in(value: &Value) -> bool {
        match value {
            Value::Object(map) => has_annotations(map),
            Value::Array(items) => items.iter().any(is_in),
            _ => false,
        }
    }
    schema.contains_key(headers::ANNOTATION) || schema.values().any(is_in)
}
