//! What clients are told beyond a tool's declaration: titles, annotations, `_meta` keys, instructions.

use super::instructions::{ModuleLine, instructions};
use super::meta::Meta;
use crate::catalog::{Catalog, Handle, Module};
use model::{Hints, Tool, summarize};
use serde_json::{Map, Value, json};
use settings::Server;
use std::hash::{Hash, Hasher};
use std::iter;

/// Claude Code loads the tool at once instead of hiding it behind its search.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";
/// Words by which Claude Code's search finds the tool.
const SEARCH_HINT: &str = "anthropic/searchHint";
/// How long a result Claude Code passes on whole.
const MAX_RESULT_CHARACTERS: &str = "anthropic/maxResultSizeChars";

/// More characters than a token has in any usual text.
const CHARACTERS_PER_TOKEN: usize = 6;
/// Claude Code accepts no more.
const MOST_RESULT_CHARACTERS: usize = 500_000;
/// The longest description of a module in the instructions, and in a search hint.
const LONGEST_ABOUT: usize = 80;
/// The longest search hint.
const LONGEST_HINT: usize = 300;

/// A tool as `tools/list` shows it.
#[derive(Debug, Clone)]
pub struct Listing<'c> {
    pub name: &'c str,
    pub tool: &'c Tool,
    pub title: String,
    /// All that clients decide by are said.
    pub hints: Hints,
    pub meta: Map<String, Value>,
}

impl<'c> Listing<'c> {
    /// A module's tool under its listed name.
    pub(crate) fn of_tool(name: &'c str, handle: &'c Handle, server: &Server) -> Self {
        let (module, tool) = (&handle.module, &handle.tool().tool);
        let mut meta = result_size(server);
        meta.insert(SEARCH_HINT.to_owned(), json!(search_hint(module, tool)));
        if tool.always {
            meta.insert(ALWAYS_LOAD.to_owned(), json!(true));
        }
        Self {
            name,
            tool,
            title: tool.title_in(module.name.as_str()),
            hints: tool.hints.completed(module.can_reach_out()),
            meta,
        }
    }

    /// What the list says of it beyond its declaration.
    pub(crate) fn hash_additions(&self, hasher: &mut impl Hasher) {
        (&self.title, self.hints).hash(hasher);
        for (key, value) in &self.meta {
            (key, value.to_string()).hash(hasher);
        }
    }

    pub(crate) fn of_meta_tool(meta: Meta, tool: &'c Tool, server: &Server) -> Self {
        let mut keys = result_size(server);
        keys.insert(ALWAYS_LOAD.to_owned(), json!(true));
        Self {
            name: meta.name(),
            tool,
            title: meta.title().to_owned(),
            hints: meta.hints(),
            meta: keys,
        }
    }
}

impl Catalog {
    /// What `tools/list` says, in the order of the alphabet.
    pub fn shown(&self) -> Vec<Listing<'_>> {
        let server = &self.rules.server;
        if self.front.choice.shows_modules {
            let listed = |meta| {
                let tool = self.front.meta_tool(meta)?;
                Some(Listing::of_meta_tool(meta, tool, server))
            };
            return Meta::ALL.into_iter().filter_map(listed).collect();
        }
        let tools = self.tools();
        tools.map(|(name, handle)| Listing::of_tool(name, handle, server)).collect()
    }

    /// What a model is told of this server before it sees a tool.
    pub fn instructions(&self) -> String {
        let about =
            |module: &Module| summarize(module.description().unwrap_or_default(), LONGEST_ABOUT);
        let modules = self.modules().map(|module| (module.name.as_str(), about(module)));
        let modules: Vec<(&str, String)> = modules.collect();
        let lines = modules.iter().map(|(name, about)| ModuleLine { name, about });
        let lines: Vec<ModuleLine<'_>> = lines.collect();
        let shows_meta_tools = self.front.choice.shows_modules;
        instructions(self.rules.server.instructions.as_deref(), &lines, shows_meta_tools)
    }
}

/// Results may be longer than Claude Code expects where the operator has raised their limit.
fn result_size(server: &Server) -> Map<String, Value> {
    let mut meta = Map::new();
    if server.result_tokens > Server::default().result_tokens {
        let characters = server.result_tokens.saturating_mul(CHARACTERS_PER_TOKEN);
        let characters = characters.min(MOST_RESULT_CHARACTERS);
        meta.insert(MAX_RESULT_CHARACTERS.to_owned(), json!(characters));
    }
    meta
}

/// The module's name, its keywords and what it is for, and the tool's example questions.
fn search_hint(module: &Module, tool: &Tool) -> String {
    let about = summarize(module.description().unwrap_or_default(), LONGEST_ABOUT);
    let keywords = module.manifest.iter().flat_map(|manifest| &manifest.keywords);
    let words = iter::once(module.name.as_str())
        .chain(keywords.map(String::as_str))
        .chain((!about.is_empty()).then_some(about.as_str()))
        .chain(tool.questions.iter().map(String::as_str));
    let hint = words.collect::<Vec<_>>().join(" ");
    hint.chars().take(LONGEST_HINT).collect()
}
