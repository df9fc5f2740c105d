//! Where each value of a document stands, kept for faults that are found later.

use super::Source;
use model::Place;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// A clone shares. Places by path: keys of tables, and numbers or texts of list items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spans {
    source: Source,
    spans: Arc<BTreeMap<Vec<String>, Pair>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pair {
    key: Range<usize>,
    value: Range<usize>,
}

impl Spans {
    pub(super) fn of(source: Source, root: &DeTable<'_>) -> Self {
        let mut spans = BTreeMap::new();
        note_table(&mut spans, &[], root);
        let spans = Arc::new(spans);
        Self { source, spans }
    }

    /// The value; a list or a table is shown by its key, since it may span many lines.
    pub(crate) fn value(&self, path: &[&str]) -> Option<Place> {
        self.find(path).map(|pair| self.source.place(&pair.value))
    }

    pub(crate) fn key(&self, path: &[&str]) -> Option<Place> {
        self.find(path).map(|pair| self.source.place(&pair.key))
    }

    /// `limits.timeout`.
    pub(crate) fn field(&self, dotted: &str) -> Option<Place> {
        self.value(&dotted.split('.').collect::<Vec<_>>())
    }

    /// An item of a list by its text, or an entry of a table by its key.
    pub(crate) fn item(&self, dotted: &str, item: &str) -> Option<Place> {
        let path: Vec<&str> = dotted.split('.').chain([item]).collect();
        self.value(&path)
    }

    fn find(&self, path: &[&str]) -> Option<&Pair> {
        let path: Vec<String> = path.iter().copied().map(str::to_owned).collect();
        self.spans.get(&path)
    }
}

fn note_table(spans: &mut BTreeMap<Vec<String>, Pair>, path: &[String], table: &DeTable<'_>) {
    for (key, value) in table {
        let span = match value.get_ref() {
            DeValue::Table(_) | DeValue::Array(_) => key.span(),
            _ => value.span(),
        };
        let pair = Pair { key: key.span(), value: span };
        let path = join(path, key.get_ref());
        note_inner(spans, &path, value.get_ref());
        spans.insert(path, pair);
    }
}

fn note_inner(spans: &mut BTreeMap<Vec<String>, Pair>, path: &[String], value: &DeValue<'_>) {
    match value {
        DeValue::Table(table) => note_table(spans, path, table),
        DeValue::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let pair = Pair { key: item.span(), value: item.span() };
                note_inner(spans, &join(path, &i.to_string()), item.get_ref());
                if let Some(text) = item.get_ref().as_str() {
                    spans.entry(join(path, text)).or_insert_with(|| pair.clone());
                }
                spans.insert(join(path, &i.to_string()), pair);
            }
        }
        _ => {}
    }
}

fn join(path: &[String], last: &str) -> Vec<String> {
    path.iter().cloned().chain([last.to_owned()]).collect()
}
