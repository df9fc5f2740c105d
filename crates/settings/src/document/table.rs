//! A table of a document: what is asked for is read, what nobody knows is refused.

use super::json::in_order;
use super::{Document, Item};
use crate::known::Section;
use model::{Fault, did_you_mean};
use std::ops::Range;
use toml::de::DeTable;

pub(crate) struct Table<'d> {
    document: &'d Document<'d>,
    entries: &'d DeTable<'d>,
    /// `permissions`; empty for the whole document.
    name: String,
    span: Range<usize>,
    /// What a reader has read, and has to be described.
    asked: Vec<&'static str>,
}

impl<'d> Table<'d> {
    pub(super) fn new(
        document: &'d Document<'d>,
        entries: &'d DeTable<'d>,
        name: String,
        span: Range<usize>,
    ) -> Self {
        Self { document, entries, name, span, asked: Vec::new() }
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

    /// Refuses every key that the section does not know.
    pub(crate) fn finish(self, section: &Section) {
        let known: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
        debug_assert!(
            same(&self.asked, &known),
            "`{}` is read for {:?}, and described with {known:?}",
            section.name,
            self.asked
        );
        for item in self.all() {
            if !known.contains(&item.key()) {
                let fault = Fault::new(format!("unknown key `{}`", item.name()));
                item.report_key(fault.help(way_out(item.key(), &known)));
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = Item<'d>> {
        in_order(self.entries).map(|(key, value)| Item::new(self.document, &self.name, key, value))
    }
}

fn way_out(given: &str, known: &[&str]) -> String {
    match (did_you_mean(given, known.iter().copied()), known) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, [only]) => format!("there is only `{only}`"),
        (None, known) => format!("there are `{}`", known.join("`, `")),
    }
}

/// Is every key that was asked for described, and the other way round?
fn same(asked: &[&str], known: &[&str]) -> bool {
    let lacks = |these: &[&str], those: &[&str]| these.iter().any(|key| !those.contains(key));
    !lacks(asked, known) && !lacks(known, asked)
}
