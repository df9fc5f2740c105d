//! Lists of tools, resources and prompts. The first page is serialized once per catalog.

use crate::context::RequestCx;
use crate::page::page;
use crate::recent::Recent;
use crate::reply::Reply;
use crate::rpc::Params;
use crate::wire::{self, Era};
use bytes::Bytes;
use model::Caller;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, ServerResult,
};
use runtime::Catalog;
use std::sync::Arc;

/// How long a client may keep a list: it is told of changes, so this only bounds a lost notification.
pub(crate) const LIST_TTL_MS: u64 = 60_000;

#[derive(Debug, Clone, Copy)]
pub(crate) enum List {
    Tools,
    Resources,
    Templates,
    Prompts,
}

impl List {
    fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
            Self::Prompts => "prompts/list",
        }
    }
}

/// Serialized first pages: of each list, for each era, for callers that are known by name and for the local
/// one, since these differ in who may cache them.
#[derive(Default)]
pub(crate) struct SerializedLists([[[Recent<Bytes>; 2]; 2]; 4]);

/// What depends on the caller is not for others who ask the same.
pub(crate) fn cache_scope(caller: &Caller) -> CacheScope {
    if caller.is_local() { CacheScope::Public } else { CacheScope::Private }
}

pub(crate) fn list(
    list: List,
    mut params: Box<Params>,
    cx: &RequestCx,
) -> Result<Reply, ErrorData> {
    let cursor = params.take_optional_string(list.method(), "cursor")?;
    let catalog = cx.shared.runtime.view(&cx.caller);
    if cursor.is_some() {
        let result = make(list, cursor, cx, &catalog)?;
        return Ok(Reply::new(&cx.id, cx.era(), result));
    }
    let known = &cx.shared.lists.0[list as usize][cx.era() as usize];
    let known = &known[usize::from(cx.caller.is_local())];
    let first = known.get(&catalog, || serialize(cx.era(), make(list, None, cx, &catalog)?))?;
    Ok(Reply::serialized(&cx.id, &first))
}

fn serialize(era: Era, mut result: ServerResult) -> Result<Bytes, ErrorData> {
    match era {
        Era::Modern => result.fill_missing_cache_hints(),
        Era::Legacy => result.strip_result_type_for_legacy_peer(),
    }
    let text = serde_json::to_vec(&result);
    let text = text.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(Bytes::from(text))
}

/// A page with what revisions of the modern era say about caching.
macro_rules! finished {
    ($cx:expr, $result:expr, $next:expr) => {{
        let mut result = $result;
        result.next_cursor = $next;
        if $cx.is_modern() {
            result.meta = Some($cx.shared.meta.clone());
            result.ttl_ms = Some(LIST_TTL_MS);
            result.cache_scope = Some(cache_scope(&$cx.caller));
        }
        Ok(result.into())
    }};
}

fn make(
    list: List,
    cursor: Option<String>,
    cx: &RequestCx,
    catalog: &Arc<Catalog>,
) -> Result<ServerResult, ErrorData> {
    let method = list.method();
    match list {
        List::Tools => {
            let tools = cx.shared.tools(cx.era(), &cx.caller);
            let page = page(method, cursor, tools.iter(), |tool| &tool.name)?;
            let tools = page.items.into_iter().cloned().collect();
            finished!(cx, ListToolsResult::with_all_items(tools), page.next)
        }
        List::Resources => {
            let all = catalog.resources.exact();
            let all = all.map(|handle| wire::resource(&handle.resource().resource));
            let page = page(method, cursor, all, |resource| &resource.uri)?;
            finished!(cx, ListResourcesResult::with_all_items(page.items), page.next)
        }
        List::Templates => {
            let all = catalog.resources.templates();
            let all = all.map(|handle| wire::template(&handle.resource().resource));
            let page = page(method, cursor, all, |template| &template.uri_template)?;
            finished!(cx, ListResourceTemplatesResult::with_all_items(page.items), page.next)
        }
        List::Prompts => {
            let all = catalog.prompts.listed();
            let all = all.map(|(listed, handle)| wire::prompt(listed, &handle.prompt().prompt));
            let page = page(method, cursor, all, |prompt| &prompt.name)?;
            finished!(cx, ListPromptsResult::with_all_items(page.items), page.next)
        }
    }
}
