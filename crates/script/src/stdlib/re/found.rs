//! A match as scripts see it.

use crate::stdlib::prelude::*;
use regex::{Captures, Regex};
use std::ops::Range;

pub(super) struct Found<'r, 's> {
    regex: &'r Regex,
    captures: Captures<'s>,
    pub(super) whole: Range<usize>,
}

impl<'r, 's> Found<'r, 's> {
    pub(super) fn new(regex: &'r Regex, captures: Captures<'s>) -> Option<Self> {
        let whole = captures.get(0)?.range();
        Some(Self { regex, captures, whole })
    }

    pub(super) fn dict<'v>(&self, places: &mut Places<'_>, heap: Heap<'v>) -> Value<'v> {
        let names = self.regex.capture_names().flatten();
        let named = names.map(|name| (name, taken(self.captures.name(name), heap)));
        let place = |place: usize| heap.alloc(i64::try_from(place).unwrap_or(i64::MAX));
        let start = places.characters(self.whole.start);
        let end = places.characters(self.whole.end);
        let text = self.captures.get(0).map_or("", |whole| whole.as_str());
        heap.alloc(AllocDict([
            ("text", heap.alloc(text)),
            ("groups", heap.alloc(AllocList(groups(&self.captures, heap)))),
            ("named", heap.alloc(AllocDict(named.collect::<Vec<_>>()))),
            ("start", place(start)),
            ("end", place(end)),
        ]))
    }
}

/// What each group took.
pub(super) fn groups<'v>(captures: &Captures<'_>, heap: Heap<'v>) -> Vec<Value<'v>> {
    captures.iter().skip(1).map(|group| taken(group, heap)).collect()
}

fn taken<'v>(group: Option<regex::Match<'_>>, heap: Heap<'v>) -> Value<'v> {
    group.map_or_else(Value::new_none, |group| heap.alloc(group.as_str()))
}

/// Counts bytes into characters, which is how Starlark counts places; only ever forwards.
pub(super) struct Places<'s> {
    text: &'s str,
    bytes: usize,
    characters: usize,
}

impl<'s> Places<'s> {
    pub(super) fn of(text: &'s str) -> Self {
        Self { text, bytes: 0, characters: 0 }
    }

    fn characters(&mut self, bytes: usize) -> usize {
        self.characters += self.text[self.bytes..bytes].chars().count();
        self.bytes = bytes;
        self.characters
    }
}
