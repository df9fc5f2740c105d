//! What each module's tools cost a model.

use super::detail::Detail;
use super::listed::{tokens, written};
use super::offer_text::{Target, show_modules};
use crate::catalog::{Catalog, Module};
use compact::count_tokens;
use std::sync::Arc;

/// One module's tools, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost<'c> {
    pub module: &'c str,
    pub tools: usize,
    /// In a list that shows every tool.
    pub flat: usize,
    /// As `get_module_schema` says them.
    pub signatures: usize,
}

impl Catalog {
    pub fn costs(&self) -> Vec<Cost<'_>> {
        self.modules().map(|module| self.cost(module)).collect()
    }

    fn cost<'c>(&'c self, module: &'c Arc<Module>) -> Cost<'c> {
        let tools = self.tools();
        let own = tools.filter(|(_, handle)| handle.module.name == module.name);
        let own = own.map(|(name, handle)| (name, &handle.tool().tool));
        let flat = written(own, self.rules.server.structured);
        let target = Target { module: Arc::clone(module), tools: None };
        let signatures = show_modules(&[target], Detail::Signatures, usize::MAX);
        Cost {
            module: module.name.as_str(),
            tools: module.tools.len(),
            flat: tokens(&flat),
            signatures: count_tokens(&signatures),
        }
    }
}
