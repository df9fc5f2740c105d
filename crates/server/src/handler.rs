//! MCP's requests, answered by the runtime. Both eras, whichever door they came by.

#![expect(
    deprecated,
    reason = "the protocol keeps logging until 2027 at least, and clients use it"
)]

use crate::asking::{Desk, Matter};
use crate::caller::{caller, trail};
use crate::http::{LateAnswer, rate_charge};
use crate::notify::{self, Eyes, Watcher};
use crate::reading::{Subscribed, cache_scope};
use crate::shared::Shared;
use crate::wire::{self, Era};
use crate::words::Words;
use crate::written::List;
use model::{Caller, Input, Level};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
    CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, RequestId, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use runtime::{Call, GivenUp, Lookup, Meta, Shape};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Methods that rmcp hands over as unknown when their params cannot be read.
const KNOWN: [&str; 18] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
    "subscriptions/listen",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

/// Those of them that the modern era has left behind.
const OVER: [&str; 5] = [
    "initialize",
    "ping",
    "resources/subscribe",
    "resources/unsubscribe",
    "logging/setLevel",
];

fn no_method(method: &str) -> ErrorData {
    let why = format!("there is no method {method}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None)
}

/// How long a client may trust a list: it is told of changes, so this only bounds a lost word.
pub(crate) const LIST_TTL_MS: u64 = 60_000;

/// An answer that its request's own task cannot give any more.
pub(crate) type Late = Arc<dyn Fn(RequestId, CallToolResult) + Send + Sync>;

pub(crate) struct Handler {
    pub(crate) shared: Arc<Shared>,
    /// Whose session or request it is.
    caller: Caller,
    /// Sends an answer past the request's own task, should that be stuck; a request that came by
    /// network carries its own.
    late: Option<Late>,
    /// Set when the client has gone: what waits for changes ends.
    pub(crate) closing: CancellationToken,
    /// Sets it when a session is over, though the server goes on.
    _closes: Option<DropGuard>,
    notifying: AtomicBool,
    /// From where on a legacy client wants to hear what scripts log.
    level: Mutex<Option<Level>>,
    /// What a legacy client has subscribed to, and whether somebody tells it.
    pub(crate) subscribed: Subscribed,
    pub(crate) telling: Once,
    /// Watchers for listeners that are being acknowledged: what changes meanwhile is not missed.
    watchers: Mutex<VecDeque<Watcher>>,
}

impl Handler {
    pub(crate) fn new(shared: Arc<Shared>, late: Option<Late>, closing: CancellationToken) -> Self {
        Self {
            shared,
            caller: Caller::default(),
            late,
            closing,
            _closes: None,
            notifying: AtomicBool::new(false),
            level: Mutex::default(),
            subscribed: Subscribed::default(),
            telling: Once::new(),
            watchers: Mutex::default(),
        }
    }

    /// For one session or one request that came by network; it ends with the server at the latest.
    pub(crate) fn of_network(shared: Arc<Shared>, caller: Caller) -> Self {
        let closing = shared.ending.child_token();
        Self {
            caller,
            _closes: Some(closing.clone().drop_guard()),
            ..Self::new(shared, None, closing)
        }
    }

    fn given_up(&self, context: &RequestContext<RoleServer>, era: Era) -> GivenUp {
        let parts = context.extensions.get::<http::request::Parts>();
        let own = parts.and_then(|parts| parts.extensions.get::<LateAnswer>());
        let (own, late, id) = (own.cloned(), self.late.clone(), context.id.clone());
        let errors = self.shared.errors;
        Arc::new(move |error| {
            let Ok(result) = wire::failure(&error, era, errors) else {
                return;
            };
            let result = wire::for_era(result, era);
            match (&own, &late) {
                (Some(own), _) => own.give(&result),
                (None, Some(late)) => late(id.clone(), result),
                (None, None) => {}
            }
        })
    }

    /// Adds what this caller is told of the server before it sees a tool.
    fn introduce(&self, info: &mut ServerConfig, caller: &Caller) {
        let catalog = self.shared.runtime.view(caller);
        let project = catalog.rules.introduction.name.as_deref();
        info.server_info = wire::titled_implementation(project);
        info.instructions = Some(catalog.instructions());
    }

    /// Words that this request has asked for.
    pub(crate) fn words(&self, context: &RequestContext<RoleServer>, era: Era) -> Option<Words> {
        let level = match era {
            Era::Modern => context.meta.log_level().and_then(wire::from_level),
            Era::Legacy => *self.level.lock().unwrap_or_else(PoisonError::into_inner),
        };
        Words::new(context, level, &self.closing)
    }

    fn watcher(&self) -> Watcher {
        Watcher::new(Eyes::new(&self.shared.runtime, self.caller.clone()))
    }

    fn watchers(&self) -> MutexGuard<'_, VecDeque<Watcher>> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .enable_logging()
            .enable_tasks()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = wire::implementation();
        info.protocol_version = ProtocolVersion::V_2025_11_25;
        info
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if Era::of(context.meta.protocol_version().as_ref()) == Era::Modern {
            return Err(no_method("initialize"));
        }
        let mut agreed = self.negotiate_initialize(&request)?;
        // Tasks as we know them are for modern clients.
        agreed.capabilities.extensions = None;
        self.introduce(&mut agreed, &caller(&context.extensions));
        // What was agreed on counts from here on, not what was asked for.
        request.protocol_version = agreed.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(agreed)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let caller = caller(&context.extensions);
        let mut info = self.get_info();
        self.introduce(&mut info, &caller);
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, info);
        result.ttl_ms = LIST_TTL_MS;
        result.cache_scope = cache_scope(&caller);
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.listed(List::Tools, request, &context, Self::tool_list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let era = Era::of(context.protocol_version().as_ref());
        if self.becomes_task(&request, &context, era)? {
            return Box::pin(self.call_as_task(request, context)).await;
        }
        let matter = Matter {
            method: "tools/call",
            name: &request.name,
            args: request.arguments.as_ref(),
            responses: request.input_responses,
            state: request.request_state,
        };
        let mut desk = Desk::open(self, &context, era, matter)?;
        let words = self.words(&context, era);
        let call = Call {
            name: request.name.into_owned(),
            args: request.arguments.unwrap_or_default(),
            shape: Shape::Declared,
            progress: words.as_ref().and_then(|words| words.progress.clone()),
            lines: words.as_ref().and_then(|words| words.lines.clone()),
            given_up: Some(self.given_up(&context, era)),
            asker: Some(desk.asker()),
            caller: caller(&context.extensions),
            cancel: context.ct.clone(),
            long: false,
            trail: trail(&self.shared.runtime, &context),
            charged: rate_charge(&context.extensions),
            timeout: None,
        };
        // Whoever holds a call holds little: what is large is moved once, not from hand to hand.
        let answer = Box::pin(self.shared.runtime.call(call));
        let answer = desk.attend(answer).await;
        if let Some(words) = words {
            words.finish().await;
        }
        let is_cached = answer.as_ref().is_ok_and(|output| output.cached);
        let mut result = match answer {
            Ok(output) => wire::result(output, era),
            Err(error) if error.is_question() => return desk.questions(self).map(Into::into),
            Err(error) => wire::failure(&error, era, self.shared.errors)?,
        };
        if era == Era::Modern {
            wire::add_meta(&mut result, wire::meta(&self.shared.meta, is_cached));
        }
        Ok(CallToolResponse::Complete(result))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.task(&request.task_id, &caller(&context.extensions))
            .await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let caller = caller(&context.extensions);
        self.answer_task(&request.task_id, request.input_responses, caller)
            .await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.cancel_task_of(&request.task_id, &caller(&context.extensions))
            .await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        // rmcp asks for the schema with every call that comes by network.
        let tools = self.shared.tools(Era::Modern, &self.caller);
        if let Ok(index) = tools.binary_search_by(|tool| tool.name.as_ref().cmp(name)) {
            let schema = Arc::clone(&tools.get(index)?.input_schema);
            return Some(Tool::new_with_raw(name.to_owned(), None, schema));
        }
        let catalog = self.shared.runtime.view(&self.caller);
        let schema = |input: &Input| wire::object(input.listed());
        let schema = match Meta::named(name) {
            Some(meta) => schema(&catalog.front.meta_tool(meta)?.input),
            None => match catalog.lookup(name) {
                Lookup::Found(handle) => schema(&handle.tool().tool.input),
                _ => return None,
            },
        };
        Some(Tool::new_with_raw(name.to_owned(), None, schema))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.listed(List::Resources, request, &context, Self::resource_list)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.listed(List::Templates, request, &context, Self::template_list)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.listed(List::Prompts, request, &context, Self::prompt_list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.read(request, context).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.prompt(request, context).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if Era::of(context.protocol_version().as_ref()) == Era::Modern {
            return Err(no_method("logging/setLevel"));
        }
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        *level = wire::from_level(request.level);
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.completion(request, context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribe_to(request.uri, &context)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.unsubscribe_from(&request.uri);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let era = Era::of(context.protocol_version().as_ref());
        let is_known = KNOWN.contains(&method.as_str());
        let is_over = era == Era::Modern && OVER.contains(&method.as_str());
        if is_known && !is_over {
            return Err(ErrorData::invalid_params(
                format!("the params of {method} cannot be read"),
                None,
            ));
        }
        Err(no_method(&method))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if !self.notifying.swap(true, Ordering::Relaxed) {
            tokio::spawn(notify::legacy(
                self.watcher(),
                context.peer,
                self.closing.clone(),
            ));
        }
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.watchers().push_back(self.watcher());
        // All that can be asked for is told of; a URI that nobody serves may be served later.
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let watcher = self.watchers().pop_front();
        let watcher = watcher.unwrap_or_else(|| self.watcher());
        notify::modern(watcher, context, self.closing.clone()).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Errors;
    use runtime::{Runtime, Settings};

    /// Whoever opens sessions and leaves them must not leave anything behind.
    #[test]
    fn what_waits_for_a_session_ends_with_it() {
        let runtime = Runtime::open(Settings::default());
        let shared = Shared::new(runtime, Errors::Mcp, CancellationToken::new());
        let session = Handler::of_network(Arc::clone(&shared), Caller::default());
        let other = Handler::of_network(Arc::clone(&shared), Caller::default());
        let closing = session.closing.clone();
        drop(session);
        let set = [&closing, &other.closing, &shared.ending].map(CancellationToken::is_cancelled);
        assert_eq!(set, [true, false, false]);
        shared.ending.cancel();
        assert!(other.closing.is_cancelled());
    }
}
