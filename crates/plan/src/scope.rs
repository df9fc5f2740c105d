//! What a reference can reach when it is resolved: the results there are, and a list's item.

use super::budget::CopyBudget;
use super::follow::{follow, holds};
use super::reference::Reference;
use model::kind_of;
use model::select::Step;
use serde_json::Value;
use std::borrow::Cow;

/// One item of a `foreach`, and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item<'a> {
    pub(super) index: usize,
    pub(super) value: Cow<'a, Value>,
    /// The same item in the compact form of the result it stands in.
    pub(super) compact: Option<&'a Value>,
}

pub(super) struct Scope<'a> {
    /// A task's result, by the task's id.
    pub(super) results: &'a dyn Fn(&str) -> Option<&'a Value>,
    /// Its compact form, whose names callers have seen, where some reference needs it.
    pub(super) compacts: &'a dyn Fn(&str) -> Option<&'a Value>,
    pub(super) item: Option<&'a Item<'a>>,
}

/// The words that a `foreach` gives a meaning of its own.
pub(super) fn is_of_item(root: &str) -> bool {
    root == "item" || root == "index"
}

impl Scope<'_> {
    /// The value with its type, borrowed where it is there as a whole; as JSON text where that is asked for.
    pub(super) fn value<'s>(
        &'s self,
        reference: &'s Reference,
        budget: &mut CopyBudget<'_>,
    ) -> Result<Cow<'s, Value>, String> {
        let value = self.find(reference, budget)?;
        if !reference.json {
            return Ok(value);
        }
        let text = budget.encode(&value);
        let text = text.map_err(|error| format!("`{reference}` {}", error.why))?;
        Ok(Cow::Owned(Value::String(text)))
    }

    /// Appends the value to a longer text.
    pub(super) fn write(
        &self,
        reference: &Reference,
        text: &mut String,
        budget: &mut CopyBudget<'_>,
    ) -> Result<(), String> {
        let value = self.value(reference, budget)?;
        let written = match &*value {
            Value::String(part) => budget.push(text, part),
            plain @ (Value::Number(_) | Value::Bool(_)) => budget.push(text, &plain.to_string()),
            other => {
                return Err(format!(
                    "`{reference}` is {}, which text cannot hold; write ${{json({reference})}} for its JSON",
                    kind_of(other)
                ));
            }
        };
        written.map_err(|error| format!("`{reference}` {}", error.why))
    }

    fn find<'s>(
        &'s self,
        reference: &'s Reference,
        budget: &mut CopyBudget<'_>,
    ) -> Result<Cow<'s, Value>, String> {
        let (root, default) = (reference.root.as_str(), reference.default.as_deref());
        if let Some(item) = self.item.filter(|_| is_of_item(root)) {
            if root == "item" {
                let (value, steps) = choose(&item.value, item.compact, &reference.steps);
                return follow(value, steps, default, budget)
                    .map_err(|missing| missing.sentence(root));
            }
            let index = Value::from(item.index);
            let found = follow(&index, &reference.steps, default, budget);
            let found = found.map_err(|missing| missing.sentence(root))?;
            return Ok(Cow::Owned(found.into_owned()));
        }
        match ((self.results)(root), default) {
            (Some(value), _) => {
                let compact = (self.compacts)(root);
                let (value, steps) = choose_result(value, compact, &reference.steps);
                follow(value, steps, default, budget).map_err(|missing| missing.sentence(root))
            }
            (None, Some(default)) => Ok(Cow::Borrowed(default)),
            (None, None) => Err(format!("`{root}` has no result")),
        }
    }
}

/// The whole value, or its compact form where only that has what the steps lead to.
fn choose<'v, 's>(
    whole: &'v Value,
    compact: Option<&'v Value>,
    steps: &'s [Step],
) -> (&'v Value, &'s [Step]) {
    let compact = compact.filter(|compact| holds(compact, steps) && !holds(whole, steps));
    (compact.unwrap_or(whole), steps)
}

/// The same for a task's result.
fn choose_result<'v, 's>(
    whole: &'v Value,
    compact: Option<&'v Value>,
    steps: &'s [Step],
) -> (&'v Value, &'s [Step]) {
    let compact = compact.map(|compact| (compact, steps_into(compact, steps)));
    let compact = compact.filter(|(compact, steps)| holds(compact, steps));
    let of_whole = (whole, steps_into(whole, steps));
    let is_missing = !holds(of_whole.0, of_whole.1);
    compact.filter(|_| is_missing).unwrap_or(of_whole)
}

/// A tool that answers with a bare list is read as one that calls its list `results`.
pub(super) fn steps_into<'s>(result: &Value, steps: &'s [Step]) -> &'s [Step] {
    match (result, steps) {
        (Value::Array(_), [Step::Key(name), rest @ ..]) if name == "results" => rest,
        _ => steps,
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::Cursor;
    use super::*;
    use serde_json::json;

    fn check(reference: &str, value: Result<Value, &str>, text: Result<&str, &str>) {
        let results = json!({
            "a": {"s": "x", "n": 12_345_678_901_234_567_890_u64, "t": true, "none": null, "list": [1, "é"], "o": {"k": 1.50}},
            "bare": [{"id": 7}],
            "deep": {"results": {"results": [1]}},
        });
        let results = |id: &str| results.get(id);
        let compact = json!({"s": "short", "by": "ada", "rows": [{"by": null}]});
        let item = Item {
            index: 3,
            value: Cow::Owned(json!({"id": "i", "results": [9]})),
            compact: Some(&json!({"id": "short", "by": "ada"})),
        };
        let compacts = |id: &str| (id == "a").then_some(&compact);
        let scope = Scope { results: &results, compacts: &compacts, item: Some(&item) };
        let read = Reference::read(&mut Cursor::new(&format!("{reference}}}"))).unwrap();
        let budget = &mut CopyBudget::new("b", usize::MAX);
        let got = scope.value(&read, budget).map(Cow::into_owned);
        assert_eq!(got, value.map_err(str::to_owned), "{reference}");
        let mut written = String::new();
        let got = scope.write(&read, &mut written, budget).map(|()| written);
        let expected = text.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(got, expected, "{reference}");
    }

    #[test]
    fn values_keep_their_type_and_text_takes_plain_ones() {
        check("a.s", Ok(json!("x")), Ok("x"));
        let large = "12345678901234567890";
        check("a.n", Ok(serde_json::from_str(large).unwrap()), Ok(large));
        check("a.t", Ok(json!(true)), Ok("true"));
        let cannot = |path: &str, kind: &str| {
            format!(
                "`{path}` is {kind}, which text cannot hold; write ${{json({path})}} for its JSON"
            )
        };
        check("a.none", Ok(json!(null)), Err(&cannot("a.none", "null")));
        check("a.list", Ok(json!([1, "é"])), Err(&cannot("a.list", "a list")));
        check("a.o", Ok(json!({"k": 1.50})), Err(&cannot("a.o", "an object")));
        check("json(a.list)", Ok(json!("[1,\"é\"]")), Ok("[1,\"é\"]"));
        check("json(a.none)", Ok(json!("null")), Ok("null"));
        check("json(a.s)", Ok(json!("\"x\"")), Ok("\"x\""));
        check("json(a.x ?? {})", Ok(json!("{}")), Ok("{}"));
    }

    #[test]
    fn results_of_a_bare_list_are_the_list() {
        check("bare.results[0].id", Ok(json!(7)), Ok("7"));
        check("bare[0].id", Ok(json!(7)), Ok("7"));
        check("json(bare.results)", Ok(json!("[{\"id\":7}]")), Ok("[{\"id\":7}]"));
        check("deep.results.results[0]", Ok(json!(1)), Ok("1"));
        let missing = "`bare` has 1 item, and no [4]";
        check("bare.results[4]", Err(missing), Err(missing));
        let once = "`bare` is a list (1 item) and has no `results`; [0] is its first item, [*] each of them";
        check("bare.results.results", Err(once), Err(once));
    }

    #[test]
    fn items_are_reached() {
        check("item.id", Ok(json!("i")), Ok("i"));
        check("index", Ok(json!(3)), Ok("3"));
        check("item.x ?? 0", Ok(json!(0)), Ok("0"));
        let missing = "`index` is a number and has no `x`";
        check("index.x", Err(missing), Err(missing));
        let missing = "`item` has no `zebra`; it has id, results";
        check("item.zebra", Err(missing), Err(missing));
    }

    #[test]
    fn names_of_the_compact_form_are_followed_where_the_whole_has_none() {
        check("a.s", Ok(json!("x")), Ok("x"));
        check("a.by", Ok(json!("ada")), Ok("ada"));
        check("a.by ?? 1", Ok(json!("ada")), Ok("ada"));
        check("a.rows[0].by ?? 1", Ok(json!(1)), Ok("1"));
        check("a.rows[1].by ?? 2", Ok(json!(2)), Ok("2"));
        check("item.id", Ok(json!("i")), Ok("i"));
        check("item.by", Ok(json!("ada")), Ok("ada"));
    }

    #[test]
    fn what_has_no_result_has_its_default() {
        check("gone.x ?? 1", Ok(json!(1)), Ok("1"));
        let missing = "`gone` has no result";
        check("gone.x", Err(missing), Err(missing));
    }
}
