//! `fuzzy`: what was meant, when what was typed is only near it. Scored as starlark-mcp does.

use super::checked::size::{gauge, items};
use crate::stdlib::prelude::*;
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// A match takes as many steps as query and text multiplied.
const LONGEST_QUERY: usize = 256;
/// Of a longer text the beginning is looked at.
const LONGEST_TEXT: usize = 1 << 16;

/// Where to look in a dict.
enum Keys<'a> {
    All,
    These(Vec<&'a str>),
}

impl<'a> Keys<'a> {
    fn of(key: NoneOr<&'a str>, keys: NoneOr<UnpackList<&'a str>>) -> anyhow::Result<Self> {
        match (key.into_option(), keys.into_option()) {
            (Some(_), Some(_)) => bail!("fuzzy: give either key or keys, not both"),
            (Some(key), None) => Ok(Self::These(vec![key])),
            (None, Some(keys)) if !keys.items.is_empty() => Ok(Self::These(keys.items)),
            (None, _) => Ok(Self::All),
        }
    }

    /// The text that an item is found by; None if it has none.
    fn text(&self, item: Value<'_>) -> Option<String> {
        if let Some(text) = item.unpack_str() {
            return Some(beginning(text).to_owned());
        }
        let dict = DictRef::from_value(item)?;
        let parts: Vec<&str> = match self {
            Self::All => dict.iter().filter_map(|(_, v)| v.unpack_str()).collect(),
            Self::These(keys) => {
                let found = keys.iter().filter_map(|key| dict.get_str(key));
                found.filter_map(Value::unpack_str).collect()
            }
        };
        let mut text = String::new();
        for part in &parts {
            if text.len() >= LONGEST_TEXT {
                break;
            }
            let space = if text.is_empty() { "" } else { " " };
            text = text + space + beginning(part);
        }
        (!parts.is_empty()).then(|| beginning(&text).to_owned())
    }
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TEXT)]
}

/// The items that match, best first; equally good ones in the order they came.
fn matches<'v>(
    query: &str,
    candidates: Value<'v>,
    keys: &Keys<'_>,
    limit: NoneOr<i32>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<Vec<(i64, Value<'v>)>> {
    if query.len() > LONGEST_QUERY {
        let length = query.len();
        return Err(anyhow::anyhow!(
            "fuzzy: a query of {length} bytes; it may have {LONGEST_QUERY}"
        )
        .into());
    }
    let matcher = SkimMatcherV2::default();
    let mut found = Vec::new();
    for item in items(candidates, "fuzzy", eval)? {
        gauge(eval)?.in_time()?;
        let text = keys.text(item);
        let score = text.and_then(|text| matcher.fuzzy_match(&text, query));
        found.extend(score.map(|score| (score, item)));
    }
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    match limit.into_option().map(usize::try_from) {
        Some(Ok(limit)) if limit > 0 => found.truncate(limit),
        _ => {}
    }
    Ok(found)
}

/// What was meant, when what was typed is only near it.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// The items in which the letters of the query come one after the other, best first.
    ///
    /// Items are strings or dicts. Of a dict `key` or `keys` name the values to look at, joined;
    /// without them all that are strings. `limit` bounds how many come back.
    ///
    /// Examples:
    /// ```python
    /// >>> fuzzy.search("hlo", ["hello", "world", "halo"])
    /// ["halo", "hello"]
    /// >>> fuzzy.search("potn", [{"name": "Antidote"}, {"name": "Potion"}], key = "name")
    /// [{"name": "Potion"}]
    /// ```
    fn search<'v>(
        query: &str,
        items: Value<'v>,
        #[starlark(default = NoneOr::None)] key: NoneOr<&str>,
        #[starlark(default = NoneOr::None)] keys: NoneOr<UnpackList<&str>>,
        #[starlark(default = NoneOr::None)] limit: NoneOr<i32>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let found = matches(query, items, &Keys::of(key, keys)?, limit, eval)?;
        let items: Vec<Value> = found.into_iter().map(|(_, item)| item).collect();
        Ok(eval.heap().alloc(AllocList(items)))
    }

    /// As `fuzzy.search`, with scores: a list of dicts with `item` and `score`.
    ///
    /// Examples:
    /// ```python
    /// >>> [hit["item"] for hit in fuzzy.search_with_scores("b", ["ab", "b"])]
    /// ["b", "ab"]
    /// >>> fuzzy.search_with_scores("hel", ["hello"], limit = 1)
    /// [{"item": "hello", "score": 71}]
    /// ```
    fn search_with_scores<'v>(
        query: &str,
        items: Value<'v>,
        #[starlark(default = NoneOr::None)] key: NoneOr<&str>,
        #[starlark(default = NoneOr::None)] keys: NoneOr<UnpackList<&str>>,
        #[starlark(default = NoneOr::None)] limit: NoneOr<i32>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let found = matches(query, items, &Keys::of(key, keys)?, limit, eval)?;
        let heap = eval.heap();
        let scored = found.into_iter().map(|(score, item)| {
            heap.alloc(AllocDict([("item", item), ("score", heap.alloc(score))]))
        });
        Ok(heap.alloc(AllocList(scored.collect::<Vec<_>>())))
    }
}
