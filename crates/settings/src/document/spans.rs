//! Where each value of a document stands, for faults that are found later.

use super::Source;
use model::{Fault, Place};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Tells by its path whether a value may be a list, or else an empty text or 0. serde reads a list as the keys of a
/// table, one after the other.
pub(crate) type IsAllowed = fn(path: &[&str], is_list: bool) -> bool;

const LIST: &str = "must be a table";

/// A clone shares. Places by path: keys of tables, and numbers or texts of list items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spans {
    source: Source,
    spans: Arc<BTreeMap<Vec<String>, Pair>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pair {
    key: Range<usize>,
    /// A list or a table is shown by its key, since it may span many lines.
    value: Range<usize>,
    /// The whole of a list or a table.
    whole: Range<usize>,
    /// What is wrong with an empty text, with 0 and with a list, except where they are allowed.
    doubt: Option<&'static str>,
}

impl Spans {
    pub(super) fn of(source: Source, root: &DeTable<'_>) -> Self {
        let mut spans = BTreeMap::new();
        for (key, value) in root {
            note(&mut spans, vec![key.get_ref().to_string()], key.span(), value);
        }
        Self { source, spans: Arc::new(spans) }
    }

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

    /// The path of a value, by where it stands.
    pub(super) fn name(&self, value: &Range<usize>) -> Option<String> {
        let (path, _) = self.spans.iter().find(|(_, pair)| pair.whole == *value)?;
        Some(format!("`{}`", path.join(".")))
    }

    /// The fault, with the place of the value at the path, or of what is left of the path.
    pub(crate) fn fault(&self, path: &[&str], fault: Fault) -> Fault {
        let places = (1..=path.len()).rev().find_map(|n| self.value(&path[..n]));
        Fault { place: places, ..fault }
    }

    pub(crate) fn key_fault(&self, path: &[&str], fault: Fault) -> Fault {
        Fault { place: self.key(path), ..fault }
    }

    /// The first empty text, 0 or list on the page that is not allowed to be there.
    pub(super) fn misplaced(&self, is_allowed: IsAllowed) -> Option<Fault> {
        let wrong = self.spans.iter().filter_map(|(path, pair)| {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let why = pair.doubt.filter(|why| !is_allowed(&path, *why == LIST))?;
            Some((pair, Fault::new(format!("`{}` {why}", path.join(".")))))
        });
        let (pair, fault) = wrong.min_by_key(|(pair, _)| pair.value.start)?;
        Some(fault.at(self.source.place(&pair.value)))
    }

    fn find(&self, path: &[&str]) -> Option<&Pair> {
        let path: Vec<String> = path.iter().copied().map(str::to_owned).collect();
        self.spans.get(&path)
    }
}

fn note(
    spans: &mut BTreeMap<Vec<String>, Pair>,
    path: Vec<String>,
    key: Range<usize>,
    held: &Spanned<DeValue<'_>>,
) {
    let below = |step: &str| path.iter().cloned().chain([step.to_owned()]).collect();
    let mut value = key.clone();
    match held.get_ref() {
        DeValue::Table(table) => {
            for (key, held) in table {
                note(spans, below(key.get_ref()), key.span(), held);
            }
        }
        DeValue::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                note(spans, below(&i.to_string()), item.span(), item);
                if let Some(text) = item.get_ref().as_str() {
                    let [key, value, whole] = [(); 3].map(|()| item.span());
                    let pair = Pair { key, value, whole, doubt: None };
                    spans.entry(below(text)).or_insert(pair);
                }
            }
        }
        _ => value = held.span(),
    }
    let whole = held.span();
    spans.insert(path, Pair { key, value, whole, doubt: doubt(held.get_ref()) });
}

fn doubt(value: &DeValue<'_>) -> Option<&'static str> {
    match value {
        DeValue::String(text) if text.trim().is_empty() => Some("is empty"),
        DeValue::Integer(number)
            if i64::from_str_radix(number.as_str(), number.radix()) == Ok(0) =>
        {
            Some("must be above 0")
        }
        DeValue::Array(_) => Some(LIST),
        _ => None,
    }
}
