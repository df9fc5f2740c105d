//! Takes the selected fields out of an answer.

use super::fields::Fields;
use super::path::Path;
use super::rows::Rows;
use super::selection::{Pick, Selection};
use crate::did_you_mean;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What a selection leaves of an answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Projected {
    pub(super) value: Value,
    /// How many of how many fields are not there any more.
    pub(super) left_out: (usize, usize),
    /// Paths that lead nowhere, each with a field that was perhaps meant.
    pub(super) nowhere: Vec<(String, Option<String>)>,
    /// Paths that lead somewhere.
    found: Paths,
}

/// Paths as they are written.
type Paths = BTreeSet<String>;

impl Selection {
    /// Takes the fields from an object or from each item. What an item does not have is null in it;
    /// what no item has is left away and named.
    pub(super) fn project(&self, value: &Value) -> Projected {
        self.project_beside(value, &Paths::new())
    }

    /// The selected fields of a result.
    pub(crate) fn apply(&self, result: &Value) -> Value {
        self.project(result).value
    }

    /// Projects several results of one tool, each by itself. A field that only some of them have is null in
    /// the others, so that they have the same fields.
    pub(super) fn project_each(&self, results: &[&Value]) -> Vec<Projected> {
        let projected: Vec<Projected> = results.iter().map(|result| self.project(result)).collect();
        let found: Paths = projected.iter().flat_map(|p| p.found.clone()).collect();
        let nowhere = projected.iter().flat_map(|p| &p.nowhere);
        if nowhere.into_iter().all(|(path, _)| !found.contains(path)) {
            return projected;
        }
        let results = results.iter();
        results.map(|result| self.project_beside(result, &found)).collect()
    }

    /// Projects a value beside others, in which some of the paths lead somewhere.
    fn project_beside(&self, value: &Value, others: &Paths) -> Projected {
        if self.picks.is_empty() || self.all {
            return Projected { value: value.clone(), ..Projected::default() };
        }
        match (Rows::of(value), value) {
            (Rows::Root, Value::Array(items)) => self.project_items(items, others),
            (Rows::Field(key), Value::Object(map)) => {
                self.project_envelope(value, map, &key, others)
            }
            (_, Value::Object(_)) => self.project_object(value, others),
            _ => Projected { value: value.clone(), ..Projected::default() },
        }
    }

    fn project_object(&self, whole: &Value, others: &Paths) -> Projected {
        let whole = std::slice::from_ref(whole);
        let mut projected = self.project_items(whole, others);
        projected.value = projected.value[0].take();
        projected
    }

    fn project_items(&self, items: &[Value], others: &Paths) -> Projected {
        let (found, nowhere) =
            partition(self.picks.iter().collect(), |pick| pick.leads(items) || pick.is_in(others));
        let fields = Fields::of(items, self.picks.iter().map(|pick| &pick.path));
        Projected {
            value: items.iter().map(|item| take(&found, item)).collect(),
            left_out: (fields.left_out(), fields.all.len()),
            nowhere: missed(&nowhere, items, &fields),
            found: found.iter().map(|pick| pick.path.to_string()).collect(),
        }
    }

    /// Whether an object is an envelope or just has a list among its fields shows by where more of
    /// the paths lead.
    fn project_envelope(
        &self,
        whole: &Value,
        map: &Map<String, Value>,
        key: &str,
        others: &Paths,
    ) -> Projected {
        let items = map.get(key).and_then(Value::as_array);
        let items: &[Value] = items.map_or(&[], Vec::as_slice);
        let whole = std::slice::from_ref(whole);
        let inner: Vec<Pick> = self.picks.iter().map(|pick| pick.below(key)).collect();
        let leads = |picks: &[Pick], value: &[Value]| {
            let leads = picks.iter().filter(|pick| pick.leads(value));
            leads.count()
        };
        let at_root = leads(&self.picks, whole);
        if at_root > leads(&inner, items) && !(items.is_empty() && at_root < inner.len()) {
            return self.project_object(&whole[0], others);
        }
        let (of_items, rest) = partition(inner.iter().collect(), |pick| {
            pick.leads(items) || pick.is_in(others) && !pick.leads(whole)
        });
        let (of_envelope, nowhere) = partition(rest, |pick| pick.leads(whole));
        let plain = map.iter().filter(|(_, value)| is_plain(value));
        let mut next: Map<String, Value> = plain.map(|(k, v)| (k.clone(), v.clone())).collect();
        if let Value::Object(more) = take(&of_envelope, &whole[0]) {
            next.extend(more);
        }
        let rows = items.iter().map(|item| take(&of_items, item)).collect();
        next.insert(key.to_owned(), rows);
        let fields = Fields::of(items, inner.iter().map(|pick| &pick.path));
        let outer = map.iter().filter(|(name, _)| *name != key);
        let taken = |name: &str| of_envelope.iter().any(|p| p.path.first_key() == Some(name));
        let dropped = outer.filter(|(name, value)| !is_plain(value) && !taken(name));
        Projected {
            left_out: (fields.left_out() + dropped.count(), fields.all.len() + map.len() - 1),
            nowhere: missed(&nowhere, items, &fields),
            found: of_items.iter().chain(&of_envelope).map(|pick| pick.path.to_string()).collect(),
            value: in_order_of(map, next),
        }
    }
}

impl Pick {
    /// Whether the path leads somewhere in one of these.
    fn leads(&self, values: &[Value]) -> bool {
        values.iter().any(|value| self.path.leads(value))
    }

    fn is_in(&self, paths: &Paths) -> bool {
        paths.contains(&self.path.to_string())
    }

    /// `results[*].id` is, of each item of `results`, `id`.
    fn below(&self, key: &str) -> Self {
        let Some(path) = self.path.below(key) else {
            return self.clone();
        };
        let unnamed = self.name == self.path.name();
        let name = if unnamed { path.name() } else { self.name.clone() };
        Self { name, path }
    }
}

/// Those that lead somewhere, and those that do not.
fn partition(picks: Vec<&Pick>, leads: impl Fn(&Pick) -> bool) -> (Vec<&Pick>, Vec<&Pick>) {
    picks.into_iter().partition(|pick| leads(pick))
}

/// The fields of one item; what is no object stays as it is.
fn take(picks: &[&Pick], item: &Value) -> Value {
    if !item.is_object() {
        return item.clone();
    }
    let found = |pick: &&Pick| {
        let value = pick.path.find(item).unwrap_or_default();
        (pick.name.clone(), value)
    };
    picks.iter().map(found).collect()
}

/// Where there are no fields at all, nothing can be missed.
fn missed(picks: &[&Pick], items: &[Value], fields: &Fields) -> Vec<(String, Option<String>)> {
    if fields.all.is_empty() {
        return Vec::new();
    }
    let near = |path: &Path| {
        let all = fields.all.iter().map(String::as_str);
        items
            .iter()
            .find_map(|item| path.through_lists(item))
            .map(|path| path.to_string())
            .or_else(|| did_you_mean(&path.name(), all).map(str::to_owned))
    };
    picks.iter().map(|pick| (pick.path.to_string(), near(&pick.path))).collect()
}

fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// The fields that both have in the order of the first, then the others.
fn in_order_of(map: &Map<String, Value>, mut next: Map<String, Value>) -> Value {
    let mut ordered = Map::new();
    for key in map.keys() {
        if let Some(value) = next.shift_remove(key) {
            ordered.insert(key.clone(), value);
        }
    }
    ordered.extend(next);
    Value::Object(ordered)
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
