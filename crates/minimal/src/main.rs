//! The least MCP server one would write with rmcp: the yardstick of `cargo xtask bench`.

use std::convert::Infallible;
use std::io::Write;
use std::sync::Arc;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio_pipes};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::net::TcpListener;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> anyhow::Result<()> {
    if std::env::args().any(|arg| arg == "--http") {
        return listen().await;
    }
    let service = Minimal.serve(stdio_pipes()).await?;
    service.waiting().await?;
    Ok(())
}

/// The same over HTTP: sessions for legacy clients, JSON for requests that stand alone.
async fn listen() -> anyhow::Result<()> {
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let sessions = Arc::<LocalSessionManager>::default();
    let service = StreamableHttpService::new(|| Ok(Minimal), sessions, config);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    writeln!(std::io::stderr(), "listening on http://{address}/mcp")?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = service.clone();
        let answer = service_fn(move |request| {
            let service = service.clone();
            async move { Ok::<_, Infallible>(service.handle(request).await) }
        });
        tokio::spawn(async move {
            let connection = Builder::new(TokioExecutor::new());
            let _ = connection.serve_connection(TokioIo::new(stream), answer).await;
        });
    }
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

/// The same rows as the `rows` tool in `crates/bench/src/modules.rs` returns.
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
