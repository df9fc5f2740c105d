//! What the attributes of a request's span are called, as OpenTelemetry's conventions for MCP have it
//! (`semantic-conventions-genai`, in development): a name that changes there changes here alone.

pub(super) const NAME: &str = "otel.name";
pub(super) const KIND: &str = "otel.kind";
pub(super) const TRACE_ID: &str = "trace_id";
pub(super) const SPAN_ID: &str = "span_id";
pub(super) const PARENT_SPAN_ID: &str = "parent_span_id";
pub(super) const TRACE_STATE: &str = "tracestate";
pub(super) const METHOD: &str = "mcp.method.name";
pub(super) const PROTOCOL: &str = "mcp.protocol.version";
pub(super) const RESOURCE: &str = "mcp.resource.uri";
pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const TOOL: &str = "gen_ai.tool.name";
pub(super) const PROMPT: &str = "gen_ai.prompt.name";
pub(super) const REQUEST_ID: &str = "jsonrpc.request.id";
pub(super) const TRANSPORT: &str = "network.transport";
pub(super) const STATUS: &str = "rpc.response.status_code";
pub(super) const ERROR: &str = "error.type";
