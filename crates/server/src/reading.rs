//! Requests about resources, prompts and completions.

use crate::asking::{Desk, Matter};
use crate::caller::{caller, trail};
use crate::handler::{Handler, LIST_TTL_MS};
use crate::http::rate_charge;
use crate::notify;
use crate::page::page;
use crate::wire::{self, Era};
use crate::written::{List, Written};
use model::Caller;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResponse,
    InputRequiredResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerResult,
};
use rmcp::service::{RequestContext, RoleServer};
use runtime::{Asking, RequestError};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// URIs that one client may be subscribed to.
const MOST_SUBSCRIPTIONS: usize = 1024;

/// What a legacy client has subscribed to; a clone shares.
#[derive(Clone, Default)]
pub(crate) struct Subscribed(Arc<Mutex<BTreeSet<String>>>);

impl Subscribed {
    /// Answers whether there was room for it. A URI that nobody serves may be served later.
    fn add(&self, uri: String) -> bool {
        let mut uris = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if uris.len() >= MOST_SUBSCRIPTIONS && !uris.contains(&uri) {
            return false;
        }
        uris.insert(uri);
        true
    }

    fn remove(&self, uri: &str) {
        let mut uris = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uris.remove(uri);
    }

    pub(crate) fn uris(&self) -> Vec<String> {
        let uris = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uris.iter().cloned().collect()
    }

    pub(crate) fn contains(&self, uri: &str) -> bool {
        let uris = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uris.contains(uri)
    }
}

/// What a request led to.
enum Given<T> {
    Whole(T),
    /// It comes again with the answers to these questions.
    Asks(InputRequiredResult),
}

/// A page of a list; it says who gave it and how long it holds where the revision knows that.
macro_rules! dressed {
    ($handler:expr, $view:expr, $result:expr, $next:expr) => {{
        let mut result = $result;
        result.next_cursor = $next;
        if $view.era == Era::Modern {
            result.meta = Some($handler.shared.meta.clone());
            result.ttl_ms = Some(LIST_TTL_MS);
            result.cache_scope = Some(cache_scope(&$view.caller));
        }
        result
    }};
}

/// Who looks at a list, and how he is answered.
pub(crate) struct View {
    era: Era,
    caller: Caller,
}

/// What depends on who asks is not for others who ask the same.
pub(crate) fn cache_scope(caller: &Caller) -> CacheScope {
    if caller.is_local() {
        CacheScope::Public
    } else {
        CacheScope::Private
    }
}

impl Handler {
    /// A list; its first page is written once a catalog, where the door takes it written.
    pub(crate) fn listed<T: Default + Into<ServerResult>>(
        &self,
        list: List,
        request: Option<PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
        make: impl FnOnce(&Self, Option<PaginatedRequestParams>, &View) -> Result<T, ErrorData>,
    ) -> Result<T, ErrorData> {
        let era = Era::of(context.protocol_version().as_ref());
        let view = View {
            era,
            caller: caller(&context.extensions),
        };
        let is_first = request.as_ref().is_none_or(|page| page.cursor.is_none());
        let Some(written) = Written::of(context).filter(|_| is_first) else {
            return make(self, request, &view);
        };
        let (shared, catalog) = (&self.shared, self.shared.runtime.view(&view.caller));
        let make = || make(self, request, &view).map(Into::into);
        let is_local = view.caller.is_local();
        written.put(shared.lists.get(list, era, is_local, &catalog, make)?);
        Ok(T::default())
    }

    pub(crate) fn tool_list(
        &self,
        request: Option<PaginatedRequestParams>,
        view: &View,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.shared.tools(view.era, &view.caller);
        let page = page("tools/list", request, tools.iter(), |tool| &tool.name)?;
        let tools = page.items.into_iter().cloned().collect();
        let result = ListToolsResult::with_all_items(tools);
        Ok(dressed!(self, view, result, page.next))
    }

    pub(crate) fn resource_list(
        &self,
        request: Option<PaginatedRequestParams>,
        view: &View,
    ) -> Result<ListResourcesResult, ErrorData> {
        let catalog = self.shared.runtime.view(&view.caller);
        let all = catalog.resources.exact();
        let all = all.map(|handle| wire::resource(&handle.resource().resource));
        let page = page("resources/list", request, all, |resource| &resource.uri)?;
        let result = ListResourcesResult::with_all_items(page.items);
        Ok(dressed!(self, view, result, page.next))
    }

    pub(crate) fn template_list(
        &self,
        request: Option<PaginatedRequestParams>,
        view: &View,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let catalog = self.shared.runtime.view(&view.caller);
        let all = catalog.resources.templates();
        let all = all.map(|handle| wire::template(&handle.resource().resource));
        let list = "resources/templates/list";
        let page = page(list, request, all, |template| &template.uri_template)?;
        let result = ListResourceTemplatesResult::with_all_items(page.items);
        Ok(dressed!(self, view, result, page.next))
    }

    pub(crate) fn prompt_list(
        &self,
        request: Option<PaginatedRequestParams>,
        view: &View,
    ) -> Result<ListPromptsResult, ErrorData> {
        let catalog = self.shared.runtime.view(&view.caller);
        let all = catalog.prompts.listed();
        let all = all.map(|(listed, handle)| wire::prompt(listed, &handle.prompt().prompt));
        let page = page("prompts/list", request, all, |prompt| &prompt.name)?;
        let result = ListPromptsResult::with_all_items(page.items);
        Ok(dressed!(self, view, result, page.next))
    }

    pub(crate) async fn read(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let era = Era::of(context.protocol_version().as_ref());
        let matter = Matter {
            method: "resources/read",
            name: &request.uri,
            args: None,
            responses: request.input_responses,
            state: request.request_state,
        };
        let read = async |asking| self.shared.runtime.read(&request.uri, asking).await;
        let contents = match self.with_words(&context, matter, read).await? {
            Given::Whole(contents) => contents,
            Given::Asks(asks) => return Ok(asks.into()),
        };
        let contents = contents.into_iter().map(wire::contents).collect();
        let mut result = ReadResourceResult::new(contents);
        if era == Era::Modern {
            result.meta = Some(self.shared.meta.clone());
            // Only its module knows when a document changes, and it need not be for everyone.
            result.ttl_ms = Some(0);
            result.cache_scope = Some(CacheScope::Private);
        }
        Ok(result.into())
    }

    pub(crate) async fn prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let era = Era::of(context.protocol_version().as_ref());
        let args = request.arguments.unwrap_or_default();
        let given = args.clone();
        let matter = Matter {
            method: "prompts/get",
            name: &request.name,
            args: Some(&given),
            responses: request.input_responses,
            state: request.request_state,
        };
        let get = async |asking| {
            self.shared
                .runtime
                .prompt(&request.name, args, asking)
                .await
        };
        let mut result = match self.with_words(&context, matter, get).await? {
            Given::Whole(conversation) => wire::conversation(conversation),
            Given::Asks(asks) => return Ok(asks.into()),
        };
        if era == Era::Modern {
            result.meta = Some(self.shared.meta.clone());
        }
        Ok(result.into())
    }

    pub(crate) async fn completion(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let era = Era::of(context.protocol_version().as_ref());
        let of = wire::reference(request.r#ref)?;
        let given = request.context.and_then(|context| context.arguments);
        let given = given.into_iter().flatten();
        let given: BTreeMap<String, Value> =
            given.map(|(name, text)| (name, text.into())).collect();
        let given = given.into_iter().collect();
        let asking = Asking {
            cancel: context.ct.clone(),
            caller: caller(&context.extensions),
            trail: trail(&self.shared.runtime, &context),
            ..Asking::default()
        };
        let typed = request.argument;
        let found = self
            .shared
            .runtime
            .complete(&of, &typed.name, &typed.value, given, asking)
            .await
            .map_err(|error| wire::unread(&error))?;
        let mut result = CompleteResult::new(wire::completion(found));
        if era == Era::Modern {
            result.meta = Some(self.shared.meta.clone());
        }
        Ok(result)
    }

    /// Asks the runtime; words about it go out before the answer, and so do questions.
    async fn with_words<T>(
        &self,
        context: &RequestContext<RoleServer>,
        matter: Matter<'_>,
        ask: impl AsyncFnOnce(Asking) -> Result<T, RequestError>,
    ) -> Result<Given<T>, ErrorData> {
        let era = Era::of(context.protocol_version().as_ref());
        let mut desk = Desk::open(self, context, era, matter)?;
        let words = self.words(context, era);
        let asking = Asking {
            progress: words.as_ref().and_then(|words| words.progress.clone()),
            lines: words.as_ref().and_then(|words| words.lines.clone()),
            asker: Some(desk.asker()),
            cancel: context.ct.clone(),
            caller: caller(&context.extensions),
            trail: trail(&self.shared.runtime, context),
            charged: rate_charge(&context.extensions),
        };
        let answer = desk.attend(ask(asking)).await;
        if let Some(words) = words {
            words.finish().await;
        }
        match answer {
            Ok(whole) => Ok(Given::Whole(whole)),
            Err(error) if error.is_question() => desk.questions(self).map(Given::Asks),
            Err(error) => Err(wire::unread(&error)),
        }
    }

    pub(crate) fn subscribe_to(
        &self,
        uri: String,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.subscribed.add(uri) {
            let why = format!("a client may subscribe to {MOST_SUBSCRIPTIONS} resources");
            return Err(ErrorData::invalid_params(why, None));
        }
        self.telling.call_once(|| {
            let updates = self.shared.runtime.updates().listen();
            tokio::spawn(notify::updates(
                updates,
                self.subscribed.clone(),
                notify::Eyes::new(&self.shared.runtime, caller(&context.extensions)),
                context.peer.clone(),
                self.closing.clone(),
            ));
        });
        Ok(())
    }

    pub(crate) fn unsubscribe_from(&self, uri: &str) {
        self.subscribed.remove(uri);
    }
}
