//! Our words ↔ MCP's: the only room that speaks both.

mod failure;
mod line;
mod prompt;
mod question;
mod resource;
mod task;

pub(crate) use failure::{failure, limited, unread};
pub(crate) use line::{from_level, line};
pub(crate) use prompt::{completion, conversation, prompt, reference};
pub(crate) use question::{can, capability, question};
pub(crate) use resource::{contents, resource, template};
pub(crate) use task::{created, task};

use crate::revision::Revision;
use model::{Content, Output, list_output};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorCode, Icon, Implementation, JsonObject, MetaObject,
    ResultType, Tool as WireTool, ToolAnnotations,
};
use runtime::Listing;
use serde_json::{Value, json};
use settings::StructuredResults;
use std::sync::Arc;

/// The request names a revision that this server does not speak.
pub(crate) fn unsupported_revision(asked: &str) -> ErrorData {
    ErrorData::new(
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        format!("unsupported protocol version {asked}"),
        Some(json!({"requested": asked, "supported": Revision::ALL.map(Revision::as_str)})),
    )
}

/// The request lacks what revision 2026-07-28 asks for.
pub(crate) fn missing_meta(keys: &[&str]) -> ErrorData {
    let keys = keys.join(", ");
    let why = format!("`_meta` of the request lacks, or has in a wrong form: {keys}");
    ErrorData::invalid_params(why, None)
}

/// What a client's revision lets us say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Era {
    fn takes(self, structured: &Value) -> bool {
        self == Self::Modern || structured.is_object()
    }

    fn takes_schema(self, schema: &Value) -> bool {
        self == Self::Modern || schema.get("type").and_then(Value::as_str) == Some("object")
    }
}

pub(crate) fn implementation() -> Implementation {
    Implementation::new("larkspur", env!("CARGO_PKG_VERSION"))
}

/// The same with a title for people, in which the project is named.
pub(crate) fn titled_implementation(project: Option<&str>) -> Implementation {
    implementation().with_title(match project {
        Some(project) => format!("{project} (Larkspur)"),
        None => "Larkspur".to_owned(),
    })
}

/// A unique name that cannot be guessed.
pub(crate) fn random_name() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("there are no random bytes: {error}"))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// Every answer says who gave it.
pub(crate) fn server_meta() -> MetaObject {
    let mut meta = MetaObject::new();
    let info = serde_json::to_value(implementation()).unwrap_or_default();
    meta.0.insert("io.modelcontextprotocol/serverInfo".into(), info);
    meta
}

/// The same for an answer, which may have been given before.
pub(crate) fn meta(ours: &MetaObject, is_cached: bool) -> MetaObject {
    let mut meta = ours.clone();
    if is_cached {
        meta.0.insert("larkspur/cached".into(), true.into());
    }
    meta
}

pub(crate) fn tool(listing: &Listing<'_>, era: Era, results: StructuredResults) -> WireTool {
    let Listing { name, tool, .. } = *listing;
    let description = (!tool.description.is_empty()).then(|| tool.description.clone().into());
    let input = object(&tool.listed_input());
    let mut wire = WireTool::new_with_raw(name.to_owned(), description, input);
    wire.title = Some(listing.title.clone());
    wire.output_schema = results
        .listed_schema(tool)
        .filter(|schema| era.takes_schema(schema))
        .map(|schema| object(&list_output(schema)));
    wire.icons = icons(tool.icons.as_ref());
    wire.annotations = Some(ToolAnnotations::from_raw(
        None,
        listing.hints.read_only,
        listing.hints.destructive,
        listing.hints.idempotent,
        listing.hints.open_world,
    ));
    if !listing.meta.is_empty() {
        wire.meta = Some(MetaObject(listing.meta.clone()));
    }
    wire
}

fn icons(icons: Option<&Value>) -> Option<Vec<Icon>> {
    icons.and_then(|icons| serde_json::from_value(icons.clone()).ok())
}

pub(crate) fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

pub(crate) fn result(output: Output, era: Era) -> CallToolResult {
    let content = output.content.into_iter().map(block).collect();
    let mut result = if output.is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = output.structured.filter(|structured| era.takes(structured));
    result.result_type = (era == Era::Modern).then_some(ResultType::COMPLETE);
    result
}

/// Adds the server's `_meta` to that of the result.
pub(crate) fn add_meta(result: &mut CallToolResult, mut meta: MetaObject) {
    if let Some(own) = result.meta.take() {
        meta.0.extend(own.0);
    }
    result.meta = Some(meta);
}

fn block(content: Content) -> ContentBlock {
    match content {
        Content::Text { text, rest } if rest.is_empty() => ContentBlock::text(text),
        other => {
            let json = serde_json::to_value(&other).unwrap_or(Value::Null);
            serde_json::from_value(json.clone())
                .unwrap_or_else(|_| ContentBlock::text(json.to_string()))
        }
    }
}
