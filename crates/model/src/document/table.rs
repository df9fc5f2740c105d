//! A table of a document: what is asked for is read, what nobody asked for is refused.

use super::json::in_order;
use super::{Document, Item};
use crate::{Fault, did_you_mean};
use std::ops::Range;
use toml::de::DeTable;

pub(crate) struct Table<'d> {
    document: &'d Document<'d>,
    entries: &'d DeTable<'d>,
    /// `permissions`; empty for the whole document.
    name: String,
    span: Range<usize>,
    asked: Vec<&'static str>,
}

impl<'d> Table<'d> {
    pub(super) fn new(
        document: &'d Document<'d>,
        entries: &'d DeTable<'d>,
        name: String,
        span: Range<usize>,
    ) -> Self {
        Self {
            document,
            entries,
            name,
            span,
            asked: Vec::new(),
        }
    }

    pub(crate) fn get(&mut self, key: &'static str) -> Option<Item<'d>> {
        self.asked.push(key);
        let (key, value) = self.entries.get_key_value(key)?;
        Some(Item::new(self.document, &self.name, key, value))
    }

    /// As `get`, but its absence is a fault.
    pub(crate) fn required(&mut self, key: &'static str) -> Option<Item<'d>> {
        let item = self.get(key);
        if item.is_none() {
            let fault = match self.name.as_str() {
                "" => Fault::new(format!("`{key}` is missing")),
                name => Fault::new(format!("`{key}` is missing in `{name}`")),
            };
            // What is there and wrong comes first: it may be the missing key, misspelt.
            self.document.complain_at(usize::MAX, &self.span, fault);
        }
        item
    }

    pub(crate) fn string(&mut self, key: &'static str) -> Option<String> {
        Some(self.get(key)?.text()?.to_owned())
    }

    /// The items of a list; none if there is no such list.
    pub(crate) fn list(&mut self, key: &'static str) -> Vec<Item<'d>> {
        let list = self.get(key).and_then(|item| item.list());
        list.unwrap_or_default()
    }

    pub(crate) fn strings(&mut self, key: &'static str) -> Vec<String> {
        let items = self.list(key);
        let texts = items.iter().filter_map(Item::text);
        texts.map(str::to_owned).collect()
    }

    pub(crate) fn table(&mut self, key: &'static str) -> Option<Table<'d>> {
        self.get(key)?.table()
    }

    /// Everything, top-down: for tables whose keys the author chooses.
    pub(crate) fn into_entries(self) -> Vec<Item<'d>> {
        self.all().collect()
    }

    /// Refuses every key that was not asked for.
    pub(crate) fn finish(self) {
        for item in self.all() {
            if !self.asked.contains(&item.key()) {
                let fault = Fault::new(format!("unknown key `{}`", item.name()));
                item.report_key(fault.help(self.way_out(item.key())));
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = Item<'d>> {
        in_order(self.entries).map(|(key, value)| Item::new(self.document, &self.name, key, value))
    }

    fn way_out(&self, given: &str) -> String {
        let near = did_you_mean(given, self.asked.iter().copied());
        match (near, self.asked.as_slice()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, [only]) => format!("there is only `{only}`"),
            (None, asked) => format!("there are `{}`", asked.join("`, `")),
        }
    }
}
