//! Cuts an answer that is over its budget, at whole items.

use super::note::{Cut, Unit};
use super::rows::Rows;
use serde_json::Value;
use std::ops::Range;

/// Percent of the budget that a cut aims at: it is made by weight, and weight is not tokens.
const SLACK: u128 = 97;

/// A last line of more bytes is no word about the others.
const LONGEST_LAST: usize = 300;

/// Takes the items or lines of a range alone, and says so.
pub(super) fn slice(value: &mut Value, range: &Range<usize>) -> Option<Cut> {
    let cut = |unit, of: usize| {
        let end = range.end.min(of);
        let kept = end.saturating_sub(range.start);
        Cut { unit, from: range.start, kept, of }
    };
    if let Value::String(text) = value {
        let cut = cut(Unit::Lines, text.lines().count());
        let lines: Vec<&str> = text.lines().skip(cut.from).take(cut.kept).collect();
        *text = lines.join("\n");
        return Some(cut);
    }
    let items = Rows::of(value).get_mut(value)?;
    let cut = cut(Unit::Items, items.len());
    items.truncate(cut.from + cut.kept);
    items.drain(..cut.from.min(items.len()));
    Some(cut)
}

/// Takes the items or lines of a range from each result. The longest results stand for all in the cuts.
pub(super) fn slice_each(results: &mut [Value], range: &Range<usize>) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    for cut in results.iter_mut().filter_map(|result| slice(result, range)) {
        let unit = Unit::InEach(if cut.unit == Unit::Lines { "lines" } else { "items" });
        match cuts.iter_mut().find(|known| known.unit == unit) {
            Some(known) => {
                known.kept = known.kept.max(cut.kept);
                known.of = known.of.max(cut.of);
            }
            None => cuts.push(Cut { unit, ..cut }),
        }
    }
    cuts
}

/// No notation says so much of JSON in one token: what is beyond is not even tried.
const BYTES_PER_TOKEN: usize = 16;

pub(super) fn shorten_to_bytes(
    value: &mut Value,
    budget: usize,
    items_unit: &Unit,
    cuts: &mut Vec<Cut>,
) {
    let room = budget.saturating_mul(BYTES_PER_TOKEN);
    while weight(value) > room && shorten(value, weight(value), room, items_unit, cuts) {}
}

/// Makes a value that costs `tokens` fit a budget, by whole items or lines where it has any; else the
/// heaviest part inside is cut. `items_unit` is what its items are called. False when there is nothing to
/// cut.
pub(super) fn shorten(
    value: &mut Value,
    tokens: usize,
    budget: usize,
    items_unit: &Unit,
    cuts: &mut Vec<Cut>,
) -> bool {
    let total = weight(value);
    let target = total as u128 * budget as u128 * SLACK / (100 * tokens.max(1) as u128);
    let target = usize::try_from(target).unwrap_or(total);
    let over = total.saturating_sub(target).max(1);
    let rows = Rows::of(value);
    if let Some(items) = rows.get_mut(value).filter(|items| items.len() > 1) {
        let of = items.len();
        let room = items.iter().map(weight).sum::<usize>().saturating_sub(over);
        let kept = prefix(items.iter().map(weight), room).max(1);
        items.truncate(kept);
        record(cuts, items_unit.clone(), kept, of);
        return true;
    }
    if let Value::String(text) = value {
        let last = last_line(text).to_owned();
        let room = text.len().saturating_sub(over + last.len());
        if let Some(kept) = whole_lines(text, room) {
            let of = text.lines().count();
            text.truncate(kept);
            record(cuts, Unit::Lines, text.lines().count(), of);
            text.push_str(&last);
            return true;
        }
        if !last.is_empty() && room > 0 {
            let of = text.chars().count();
            text.truncate(text.floor_char_boundary(room));
            let kept = text.chars().count();
            record(cuts, Unit::Within(String::new(), "characters"), kept, of);
            text.push_str(&last);
            return true;
        }
    }
    shorten_heaviest(value, over, cuts)
}

/// Goes down to the part that weighs most, and takes `over` away from it.
fn shorten_heaviest(value: &mut Value, over: usize, cuts: &mut Vec<Cut>) -> bool {
    let (path, value) = heaviest(value);
    let room = |all: usize| all.saturating_sub(over);
    let (unit, kept, of) = match value {
        Value::String(text) => {
            let of = text.chars().count();
            text.truncate(text.floor_char_boundary(room(text.len())));
            ("characters", text.chars().count(), of)
        }
        Value::Array(items) => {
            let of = items.len();
            let all = items.iter().map(weight).sum();
            items.truncate(prefix(items.iter().map(weight), room(all)));
            ("items", items.len(), of)
        }
        Value::Object(map) => {
            let (of, all) = (map.len(), map.iter().map(entry_weight).sum());
            let kept = prefix(map.iter().map(entry_weight), room(all));
            *map = std::mem::take(map).into_iter().take(kept).collect();
            ("fields", kept, of)
        }
        _ => return false,
    };
    record(cuts, Unit::Within(path, unit), kept, of);
    kept < of
}

/// The part that outweighs everything around it, and the way to it.
fn heaviest(value: &mut Value) -> (String, &mut Value) {
    let (mut path, mut here) = (String::new(), value);
    loop {
        let half = weight(here) / 2;
        let next = match here {
            Value::Object(map) => map
                .iter()
                .find(|(_, value)| weight(value) > half)
                .map(|(key, _)| (key.clone(), format!(".{key}"))),
            Value::Array(items) => items
                .iter()
                .position(|value| weight(value) > half)
                .map(|at| (at.to_string(), format!("[{at}]"))),
            _ => None,
        };
        let Some((key, step)) = next else { break };
        path += &step;
        here = match here {
            Value::Object(map) => &mut map[&key],
            other => &mut other[key.parse::<usize>().unwrap_or_default()],
        };
    }
    (path.trim_start_matches('.').to_owned(), here)
}

/// A cut of what was cut before is the same cut, with less left.
fn record(cuts: &mut Vec<Cut>, unit: Unit, kept: usize, of: usize) {
    match cuts.iter_mut().find(|cut| cut.unit == unit) {
        Some(cut) => cut.kept = kept,
        None => cuts.push(Cut { unit, from: 0, kept, of }),
    }
}

/// How many from the front fit into the room.
fn prefix(weights: impl Iterator<Item = usize>, room: usize) -> usize {
    let mut sum = 0_usize;
    weights
        .take_while(|weight| {
            sum += weight;
            sum <= room
        })
        .count()
}

/// The last line with the end of the one before it, if it is short: there an author says how to go
/// on, which is worth more than one more line.
fn last_line(text: &str) -> &str {
    let text = text.trim_end();
    let begin = text.rfind('\n').unwrap_or(text.len());
    let last = &text[begin..];
    if last.len() > LONGEST_LAST { "" } else { last }
}

/// Where the last line ends that fits, if one does.
fn whole_lines(text: &str, room: usize) -> Option<usize> {
    text.as_bytes()[..text.floor_char_boundary(room)]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .filter(|end| *end > 0)
}

/// About the bytes of its JSON.
fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(number) => number.as_str().len() + 1,
        Value::String(text) => text.len() + 3,
        Value::Array(items) => 2 + items.iter().map(weight).sum::<usize>(),
        Value::Object(map) => 2 + map.iter().map(entry_weight).sum::<usize>(),
    }
}

fn entry_weight((key, value): (&String, &Value)) -> usize {
    key.len() + 4 + weight(value)
}
