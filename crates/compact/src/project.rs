//! Takes the selected fields out of an answer.

use super::fields::Fields;
use super::rows::Rows;
use model::did_you_mean;
use model::select::Path;
use model::select::{Pick, Selection};
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

/// Takes the fields from an object or from each item. What an item does not have is null in it;
/// what no item has is left away and named.
fn project(selection: &Selection, value: &Value) -> Projected {
    project_beside(selection, value, &Paths::new())
}

/// The selected fields of a result.
pub fn apply_selection(selection: &Selection, result: &Value) -> Value {
    project(selection, result).value
}

/// Projects several results of one tool, each by itself. A field that only some of them have is null in
/// the others, so that they have the same fields.
pub(super) fn project_each(selection: &Selection, results: &[&Value]) -> Vec<Projected> {
    let projected: Vec<Projected> =
        results.iter().map(|result| project(selection, result)).collect();
    let found: Paths = projected.iter().flat_map(|p| p.found.clone()).collect();
    let nowhere = projected.iter().flat_map(|p| &p.nowhere);
    if nowhere.into_iter().all(|(path, _)| !found.contains(path)) {
        return projected;
    }
    let results = results.iter();
    results.map(|result| project_beside(selection, result, &found)).collect()
}

/// Projects a value beside others, in which some of the paths lead somewhere.
fn project_beside(selection: &Selection, value: &Value, others: &Paths) -> Projected {
    if selection.picks.is_empty() || selection.all {
        return Projected { value: value.clone(), ..Projected::default() };
    }
    match (Rows::of(value), value) {
        (Rows::Root, Value::Array(items)) => project_items(selection, items, others),
        (Rows::Field(key), Value::Object(map)) => {
            project_envelope(selection, value, map, &key, others)
        }
        (_, Value::Object(_)) => project_object(selection, value, others),
        _ => Projected { value: value.clone(), ..Projected::default() },
    }
}

fn project_object(selection: &Selection, whole: &Value, others: &Paths) -> Projected {
    let whole = std::slice::from_ref(whole);
    let mut projected = project_items(selection, whole, others);
    projected.value = projected.value[0].take();
    projected
}

fn project_items(selection: &Selection, items: &[Value], others: &Paths) -> Projected {
    let (found, nowhere) = partition(selection.picks.iter().collect(), |pick| {
        leads(pick, items) || is_in(pick, others)
    });
    let fields = Fields::of(items, selection.picks.iter().map(|pick| &pick.path));
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
    selection: &Selection,
    whole: &Value,
    map: &Map<String, Value>,
    key: &str,
    others: &Paths,
) -> Projected {
    let items = map.get(key).and_then(Value::as_array);
    let items: &[Value] = items.map_or(&[], Vec::as_slice);
    let whole = std::slice::from_ref(whole);
    let inner: Vec<Pick> = selection.picks.iter().map(|pick| below(pick, key)).collect();
    let count_leading = |picks: &[Pick], value: &[Value]| {
        let leading = picks.iter().filter(|pick| leads(pick, value));
        leading.count()
    };
    let at_root = count_leading(&selection.picks, whole);
    if at_root > count_leading(&inner, items) && !(items.is_empty() && at_root < inner.len()) {
        return project_object(selection, &whole[0], others);
    }
    let (of_items, rest) = partition(inner.iter().collect(), |pick| {
        leads(pick, items) || is_in(pick, others) && !leads(pick, whole)
    });
    let (of_envelope, nowhere) = partition(rest, |pick| leads(pick, whole));
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

/// Whether the path leads somewhere in one of these.
fn leads(pick: &Pick, values: &[Value]) -> bool {
    values.iter().any(|value| pick.path.leads(value))
}

fn is_in(pick: &Pick, paths: &Paths) -> bool {
    paths.contains(&pick.path.to_string())
}

/// `results[*].id` is, of each item of `results`, `id`.
fn below(pick: &Pick, key: &str) -> Pick {
    let Some(path) = pick.path.below(key) else {
        return pick.clone();
    };
    let unnamed = pick.name == pick.path.name();
    let name = if unnamed { path.name() } else { pick.name.clone() };
    Pick { name, path }
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
