//! What clients see of the tools: all of them, or the meta tools, and why.

use super::listed::{tokens, written};
use super::listing::Listing;
use super::meta::Meta;
use crate::catalog::{Handle, Module, Rules};
use model::{Grouped, Tool};
use settings::Surface;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Chosen once a catalog, from nothing but the catalog and what was asked for.
#[derive(Default)]
pub struct Front {
    pub choice: Choice,
    /// The meta tools; their descriptions say which modules there are.
    meta: Vec<Tool>,
    /// What each tool costs in a flat list, in its order.
    costs: Vec<usize>,
    /// Changes when what is shown does.
    pub(crate) fingerprint: u64,
}

/// Which surface is shown, and what each costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Choice {
    pub asked: Surface,
    pub shows_modules: bool,
    /// What `auto` would choose if the server started now.
    pub would_show_modules: bool,
    pub tools: usize,
    pub flat_tokens: usize,
    pub modules_tokens: usize,
    /// A list that costs less is shown flat.
    pub below: usize,
}

impl Front {
    pub(crate) fn new<'m>(
        modules: impl Iterator<Item = &'m Arc<Module>>,
        flat: &BTreeMap<String, Handle>,
        rules: &Rules,
    ) -> Self {
        let server = &rules.server;
        let meta = super::catalogue::meta_tools(modules);
        let all = flat.iter().map(|(name, handle)| (name.as_str(), &handle.tool().tool));
        let all = written(all, server.structured);
        let few = meta.iter().map(|tool| (tool.name.as_str(), tool));
        let few = written(few, server.structured);
        let costs: Vec<usize> = all.iter().map(|one| tokens([one])).collect();
        let flat_tokens = costs.iter().sum();
        let would_show_modules = match server.surface {
            Surface::Flat => false,
            Surface::Modules => true,
            Surface::Auto => flat_tokens >= server.surface_tokens,
        };
        let at_start = rules.shows_modules.filter(|_| server.surface == Surface::Auto);
        let choice = Choice {
            asked: server.surface,
            shows_modules: at_start.unwrap_or(would_show_modules),
            would_show_modules,
            tools: flat.len(),
            flat_tokens,
            modules_tokens: tokens(&few),
            below: server.surface_tokens,
        };
        let mut hasher = DefaultHasher::new();
        let shown = if choice.shows_modules { few } else { all };
        shown.hash(&mut hasher);
        server.result_tokens.hash(&mut hasher);
        if !choice.shows_modules {
            for (name, handle) in flat {
                Listing::of_tool(name, handle, server).hash_additions(&mut hasher);
            }
        }
        Self { choice, meta, costs, fingerprint: hasher.finish() }
    }

    pub(crate) fn costs(&self) -> &[usize] {
        &self.costs
    }

    pub fn meta_tools(&self) -> &[Tool] {
        &self.meta
    }

    pub fn meta_tool(&self, meta: Meta) -> Option<&Tool> {
        self.meta.iter().find(|tool| tool.name.as_str() == meta.name())
    }
}

impl Display for Choice {
    /// `modules (31 tools, 2,310 tokens > 2,000); surface = "flat" lists them all`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let tools = match self.tools {
            1 => "1 tool".to_owned(),
            many => format!("{} tools", Grouped(many)),
        };
        let (flat, below) = (Grouped(self.flat_tokens), Grouped(self.below));
        let sign = match self.flat_tokens.cmp(&self.below) {
            Ordering::Less => "<",
            Ordering::Equal => "=",
            Ordering::Greater => ">",
        };
        match (self.asked, self.shows_modules) {
            (Surface::Auto, shows_modules) => {
                let surface = if shows_modules { "modules" } else { "flat" };
                write!(f, "{surface} ({tools}, {flat} tokens {sign} {below})")?;
                f.write_str(match (shows_modules, self.would_show_modules) {
                    (false, false) => "",
                    (true, true) => "; surface = \"flat\" lists them all",
                    (false, true) => "; a restart would show the meta tools",
                    (true, false) => "; a restart would list every tool",
                })
            }
            (_, false) => write!(f, "flat ({tools}, {flat} tokens)"),
            (_, true) => {
                let modules = Grouped(self.modules_tokens);
                write!(f, "modules ({tools}, {modules} tokens instead of {flat})")
            }
        }
    }
}
