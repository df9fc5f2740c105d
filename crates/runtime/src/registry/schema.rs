//! `get_module_schema`: what modules offer, in as many words as are wanted.

use super::detail::{Detail, offered};
use super::meta::Meta;
use super::quoted;
use crate::call::CallError;
use crate::catalog::{Catalog, Module};
use model::{Args, Content, Output, count_tokens, did_you_mean};
use serde_json::{Value, json};
use std::sync::Arc;

/// So many tools are found.
const FOUND: usize = 10;

/// What a caller of `get_module_schema` wants.
pub(crate) struct Asked {
    /// None means all.
    modules: Option<Vec<String>>,
    query: Option<String>,
    detail: Option<Detail>,
}

impl Asked {
    pub(crate) fn read(args: Args) -> Result<Self, CallError> {
        let args = Meta::Schema.accept(args);
        let args = args.map_err(|rejected| CallError::Rejected {
            tool: Meta::Schema.name().to_owned(),
            rejected,
            schema: None,
        })?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let modules = match args.get("modules") {
            Some(Value::Array(names)) => names.iter().filter_map(text).collect(),
            Some(name) => text(name).into_iter().collect(),
            None => Vec::new(),
        };
        let query = args.get("query").and_then(text);
        let detail = args.get("detail").and_then(Value::as_str);
        Ok(Self {
            modules: Some(modules).filter(|names| !names.is_empty()),
            query: query.filter(|query| !query.trim().is_empty()),
            detail: detail.and_then(Detail::named),
        })
    }

    pub(crate) fn answer(&self, catalog: &Catalog) -> Output {
        let mut named: Vec<Result<&Arc<Module>, &str>> = match &self.modules {
            None => catalog.modules().map(Ok).collect(),
            Some(names) => names.iter().map(|name| module(catalog, name)).collect(),
        };
        // Named twice is named once.
        let mut seen = Vec::new();
        named.retain(|one| {
            let name = one
                .as_ref()
                .map_or_else(|name| *name, |module| module.name.as_str());
            let is_new = !seen.contains(&name.to_owned());
            seen.push(name.to_owned());
            is_new
        });
        let there: Vec<&Arc<Module>> = named.iter().filter_map(|one| one.ok()).collect();
        let nothing_there = there.is_empty() && !named.is_empty();
        let mut elements = match &self.query {
            Some(query) => self.found(catalog, query, &there),
            None => self.all(&there, catalog),
        };
        for (at, name) in named
            .iter()
            .enumerate()
            .filter_map(|(at, one)| Some((at, one.err()?)))
        {
            let at = at.min(elements.len());
            elements.insert(at, unknown(catalog, name));
        }
        let mut output = Output::text(Value::Array(elements).to_string());
        if nothing_there {
            output.is_error = true;
            output.content.push(Content::text(all_there_are(catalog)));
        }
        output
    }

    fn all(&self, modules: &[&Arc<Module>], catalog: &Catalog) -> Vec<Value> {
        let say = |detail: Detail| -> Vec<Value> {
            let said = modules.iter();
            said.map(|module| offered(module, detail, None)).collect()
        };
        if let Some(detail) = self.detail {
            return say(detail);
        }
        let said = say(Detail::Signatures);
        // Who names no module wants to see which there are.
        let most = catalog.rules.showing.surface_tokens;
        let is_long = || count_tokens(&Value::Array(said.clone()).to_string()) > most;
        if self.modules.is_none() && is_long() {
            return say(Detail::Names);
        }
        said
    }

    /// The tools that fit, the best first, each below its module.
    fn found(&self, catalog: &Catalog, query: &str, among: &[&Arc<Module>]) -> Vec<Value> {
        let places: Vec<(&Arc<Module>, usize)> = catalog
            .modules()
            .flat_map(|module| (0..module.tools.len()).map(move |tool| (module, tool)))
            .collect();
        let found = catalog.front.index(catalog.modules());
        let found = found.search(query, places.len());
        let found = found.into_iter().filter_map(|place| places.get(place));
        let wanted = |module: &Arc<Module>| among.iter().any(|one| one.name == module.name);
        let mut by_module: Vec<(&Arc<Module>, Vec<usize>)> = Vec::new();
        for (module, tool) in found.filter(|(module, _)| wanted(module)).take(FOUND) {
            match by_module
                .iter_mut()
                .find(|(one, _)| one.name == module.name)
            {
                Some((_, tools)) => tools.push(*tool),
                None => by_module.push((module, vec![*tool])),
            }
        }
        let detail = self.detail.unwrap_or(Detail::Signatures);
        let by_module = by_module.iter();
        by_module
            .map(|(module, tools)| offered(module, detail, Some(tools)))
            .collect()
    }
}

fn module<'c, 'n>(catalog: &'c Catalog, name: &'n str) -> Result<&'c Arc<Module>, &'n str> {
    catalog.module(name).ok_or(name)
}

fn unknown(catalog: &Catalog, name: &str) -> Value {
    let names = catalog.modules().map(|module| module.name.as_str());
    let near = did_you_mean(name, names);
    let error = format!("there is no module `{name}`");
    json!({"module": name, "error": error, "did_you_mean": near})
}

fn all_there_are(catalog: &Catalog) -> String {
    let names: Vec<String> = catalog
        .modules()
        .map(|module| module.name.to_string())
        .collect();
    if names.is_empty() {
        return "there are no modules".to_owned();
    }
    format!("there are {}", quoted(&names))
}
