//! The least MCP server one would write with rmcp: the yardstick of `cargo xtask bench`.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, json};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> anyhow::Result<()> {
    let service = Minimal.serve(stdio_pipes()).await?;
    service.waiting().await?;
    Ok(())
}

struct Minimal;

impl ServerHandler for Minimal {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![
            Tool::new("hello", "Greet somebody by name.", schema("name", "string")),
            Tool::new("rows", "Give back some rows.", schema("n", "integer")),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = match &*request.name {
            "hello" => hello(&arguments)?,
            "rows" => rows(&arguments)?,
            _ => return Err(ErrorData::invalid_params("unknown tool", None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn hello(arguments: &JsonObject) -> Result<String, ErrorData> {
    let Some(name) = arguments.get("name").and_then(Value::as_str) else {
        return Err(ErrorData::invalid_params("`name` must be a string", None));
    };
    Ok(format!("hello {name}"))
}

/// The same rows as the `rows` tool in `bench/modules.rs` returns.
fn rows(arguments: &JsonObject) -> Result<String, ErrorData> {
    let Some(n) = arguments.get("n").and_then(Value::as_u64) else {
        return Err(ErrorData::invalid_params("`n` must be an integer", None));
    };
    let rows: Vec<Value> = (0..n)
        .map(|i| json!({"id": i, "name": format!("item {i}"), "open": true, "score": i * 2}))
        .collect();
    Ok(Value::from(rows).to_string())
}

fn schema(name: &str, kind: &str) -> Arc<JsonObject> {
    let mut schema = JsonObject::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), json!({ name: { "type": kind } }));
    schema.insert("required".into(), json!([name]));
    Arc::new(schema)
}
