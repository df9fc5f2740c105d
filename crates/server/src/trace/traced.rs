//! The handler, with every request followed. What rmcp can ask of it is all here, so that nothing new in
//! the handler is answered by rmcp's own defaults instead.

#![expect(
    deprecated,
    reason = "what the protocol will give up is followed until it does"
)]

use super::span::{About, Outcome, Request};
use crate::handler::Handler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, CustomNotification, CustomRequest, CustomResult,
    DiscoverResult, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use std::borrow::Cow;
use tracing::Instrument;

pub(crate) struct Traced(pub(crate) Handler);

/// Requests that are answered by the method of the same name. All of them together are one future of
/// rmcp's, as large as the largest and moved from hand to hand: what they hold is better boxed.
macro_rules! followed {
    ($($method:literal $name:ident($request:ident: $params:ty) -> $answer:ty, $about:expr;)*) => {$(
        async fn $name(
            &self,
            $request: $params,
            context: RequestContext<RoleServer>,
        ) -> Result<$answer, ErrorData> {
            let one = Request::begin($method, $about, &context);
            let answer = Box::pin(self.0.$name($request, context));
            let answer = answer.instrument(one.span()).await;
            one.end(Outcome::of(&answer));
            answer
        }
    )*};
}

impl ServerHandler for Traced {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let one = Request::begin("tools/call", About::Tool(&request.name), &context);
        let cancel = context.ct.clone();
        let answer = Box::pin(self.0.call_tool(request, context));
        let answer = answer.instrument(one.span()).await;
        one.end(match &answer {
            _ if cancel.is_cancelled() => Outcome::Cancelled,
            Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => {
                Outcome::ToolError
            }
            Ok(CallToolResponse::InputRequired(_)) => Outcome::Asks,
            answer => Outcome::of(answer),
        });
        answer
    }

    followed! {
        "initialize" initialize(request: InitializeRequestParams) -> InitializeResult,
            About::Nothing;
        "tools/list" list_tools(request: Option<PaginatedRequestParams>) -> ListToolsResult,
            About::Nothing;
        "resources/list" list_resources(request: Option<PaginatedRequestParams>)
            -> ListResourcesResult, About::Nothing;
        "resources/templates/list" list_resource_templates(request: Option<PaginatedRequestParams>)
            -> ListResourceTemplatesResult, About::Nothing;
        "prompts/list" list_prompts(request: Option<PaginatedRequestParams>) -> ListPromptsResult,
            About::Nothing;
        "resources/read" read_resource(request: ReadResourceRequestParams) -> ReadResourceResponse,
            About::Resource(&request.uri);
        "prompts/get" get_prompt(request: GetPromptRequestParams) -> GetPromptResponse,
            About::Prompt(&request.name);
        "completion/complete" complete(request: CompleteRequestParams) -> CompleteResult,
            About::Nothing;
        "resources/subscribe" subscribe(request: SubscribeRequestParams) -> (),
            About::Resource(&request.uri);
        "resources/unsubscribe" unsubscribe(request: UnsubscribeRequestParams) -> (),
            About::Resource(&request.uri);
        "logging/setLevel" set_level(request: SetLevelRequestParams) -> (), About::Nothing;
        "tasks/get" get_task(request: GetTaskParams) -> GetTaskResult, About::Nothing;
        "tasks/update" update_task(request: UpdateTaskParams) -> (), About::Nothing;
        "tasks/cancel" cancel_task(request: CancelTaskParams) -> (), About::Nothing;
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let one = Request::begin("ping", About::Nothing, &context);
        let answer = self.0.ping(context).instrument(one.span()).await;
        one.end(Outcome::of(&answer));
        answer
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let one = Request::begin("server/discover", About::Nothing, &context);
        let answer = self.0.discover(context).instrument(one.span()).await;
        one.end(Outcome::of(&answer));
        answer
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let one = Request::begin(&request.method, About::Nothing, &context);
        let answer = self.0.on_custom_request(request, context);
        let answer = answer.instrument(one.span()).await;
        one.end(Outcome::of(&answer));
        answer
    }

    /// rmcp keeps to itself what such a request said of itself, and no script runs for it.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        Box::pin(self.0.listen(context)).await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.0.accepted_subscription_filter(requested)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.get_tool(name)
    }

    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        self.0.negotiate_initialize(request)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.0.on_cancelled(notification, context).await;
    }

    async fn on_progress(
        &self,
        notification: ProgressNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.0.on_progress(notification, context).await;
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.0.on_initialized(context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.0.on_roots_list_changed(context).await;
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        context: NotificationContext<RoleServer>,
    ) {
        self.0.on_custom_notification(notification, context).await;
    }
}
