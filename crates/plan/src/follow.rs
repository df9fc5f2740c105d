//! Follows a path into a value, and says how far it got.

use super::budget::{CopyBudget, TooLarge};
use super::reference::{show_name, show_step};
use model::select::Step;
use model::{did_you_mean, kind_of, shorten};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// So many names are shown of an object that has more.
const SHOWN: usize = 20;

/// A path that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    /// The steps that could be taken.
    path: String,
    /// What is wrong with the next.
    why: String,
}

impl From<TooLarge> for Missing {
    fn from(TooLarge { why }: TooLarge) -> Self {
        let path = String::new();
        Self { path, why }
    }
}

impl Missing {
    pub(super) fn sentence(&self, root: &str) -> String {
        format!("`{root}{}` {}", self.path, self.why)
    }

    fn within(self, step: &str) -> Self {
        Self { path: format!("{step}{}", self.path), ..self }
    }
}

/// The value at the end of the steps; where it is missing or null, the default. Below `[*]`, each
/// item has its own, and is copied.
pub(super) fn follow<'v>(
    value: &'v Value,
    steps: &[Step],
    default: Option<&'v Value>,
    budget: &mut CopyBudget<'_>,
) -> Result<Cow<'v, Value>, Missing> {
    let Some((step, rest)) = steps.split_first() else {
        let value = default.filter(|_| value.is_null()).unwrap_or(value);
        return Ok(Cow::Borrowed(value));
    };
    if let (Step::Each, Value::Array(items)) = (step, value) {
        return each(items, rest, default, budget);
    }
    match (step.child(value), default) {
        (Some(inner), _) => {
            let found = follow(inner, rest, default, budget);
            found.map_err(|missing| missing.within(&show_step(step)))
        }
        (None, Some(default)) => Ok(Cow::Borrowed(default)),
        (None, None) => Err(Missing { path: String::new(), why: why(value, step) }),
    }
}

fn each<'v>(
    items: &'v [Value],
    rest: &[Step],
    default: Option<&'v Value>,
    budget: &mut CopyBudget<'_>,
) -> Result<Cow<'v, Value>, Missing> {
    budget.add_list(items.len())?;
    let mut values = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let value = follow(item, rest, default, budget).and_then(|found| {
            if let Cow::Borrowed(value) = found {
                budget.add_contents(value)?;
            }
            Ok(found.into_owned())
        });
        values.push(value.map_err(|missing| missing.within(&format!("[{i}]")))?);
    }
    Ok(Cow::Owned(Value::Array(values)))
}

/// Do the steps lead somewhere, below `[*]` in every item?
pub(super) fn holds(value: &Value, steps: &[Step]) -> bool {
    match steps {
        [] => true,
        [Step::Each, rest @ ..] => {
            let items = value.as_array();
            items.is_some_and(|items| items.iter().all(|item| holds(item, rest)))
        }
        [step, rest @ ..] => step.child(value).is_some_and(|inner| holds(inner, rest)),
    }
}

/// The value at the end of steps that lead to one.
pub(super) fn reach<'v>(value: &'v Value, steps: &[Step]) -> Option<&'v Value> {
    steps.iter().try_fold(value, |value, step| step.child(value))
}

fn why(value: &Value, step: &Step) -> String {
    let wanted = match step {
        Step::Key(name) => shorten(show_name(name).trim_start_matches('.')),
        step => show_step(step),
    };
    match (value, step) {
        (Value::Object(map), Step::Key(name)) => {
            format!("has no `{wanted}`; {}", names(map, Some(name)))
        }
        (Value::Object(map), Step::Each) => format!("is an object, no list; {}", names(map, None)),
        (Value::Object(map), Step::At(_)) => {
            format!("is an object and has no {wanted}; {}", names(map, None))
        }
        (Value::Array(items), Step::Key(_)) => format!(
            "is a list ({}) and has no `{wanted}`; [0] is its first item, [*] each of them",
            count(items.len())
        ),
        (Value::Array(items), _) => format!("has {}, and no {wanted}", count(items.len())),
        (value, _) => format!("is {} and has no `{wanted}`", kind_of(value)),
    }
}

fn count(items: usize) -> String {
    match items {
        1 => "1 item".to_owned(),
        many => format!("{many} items"),
    }
}

/// `it has id, title`, after the nearest of them.
fn names(map: &Map<String, Value>, given: Option<&str>) -> String {
    if map.is_empty() {
        return "it is empty".to_owned();
    }
    let near = given.and_then(|given| did_you_mean(given, map.keys().map(String::as_str)));
    let near = near.map(|near| format!("did you mean `{}`? ", shorten(near)));
    let shown: Vec<String> = map.keys().take(SHOWN).map(|key| shorten(key)).collect();
    let more = match map.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}it has {}{more}", near.unwrap_or_default(), shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::cursor::Cursor;
    use super::super::reference::Reference;
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(value: &Value, path: &str, expected: Result<Value, &str>) {
        let reference = Reference::read(&mut Cursor::new(&format!("{path}}}"))).unwrap();
        let budget = &mut CopyBudget::new("b", usize::MAX);
        let got = follow(value, &reference.steps, reference.default.as_deref(), budget);
        let got = got.map(Cow::into_owned);
        let got = got.map_err(|missing| missing.sentence(&reference.root));
        assert_eq!(got, expected.map_err(str::to_owned), "{path}");
    }

    fn search() -> Value {
        json!({"results": [{"id": "p1", "n": 1, "by": null}, {"id": "p2", "tags": ["x", "y"]}], "total": 2})
    }

    #[test]
    fn steps_are_taken() {
        let check = |path: &str, expected: Value| check(&search(), path, Ok(expected));
        check("a", search());
        check("a.results[0].id", json!("p1"));
        check("a[\"results\"][1].tags[1]", json!("y"));
        check("a.results[-1].id", json!("p2"));
        check("a.results[-2].id", json!("p1"));
        check("a.results[*].id", json!(["p1", "p2"]));
        check("a.results[0].by", json!(null));
        check("a.results[1].tags[*]", json!(["x", "y"]));
    }

    #[test]
    fn each_maps_and_does_not_flatten() {
        let value = json!([{"b": [{"c": 1}, {"c": 2}]}, {"b": []}]);
        check(&value, "a[*].b[*].c", Ok(json!([[1, 2], []])));
        check(&json!([]), "a[*].x", Ok(json!([])));
    }

    #[test]
    fn defaults_stand_for_what_is_missing_or_null() {
        let check = |path: &str, expected: Value| check(&search(), path, Ok(expected));
        check("a.results[0].id ?? 7", json!("p1"));
        check("a.results[9].id ?? 7", json!(7));
        check("a.results[0].by ?? \"nobody\"", json!("nobody"));
        check("a.results[0].by.name ?? \"nobody\"", json!("nobody"));
        check("a.nothing ?? null", json!(null));
        check("a.results[*].n ?? 0", json!([1, 0]));
        check("a.nothing[*].n ?? []", json!([]));
        check("a.total[*] ?? {\"x\": []}", json!({"x": []}));
    }

    #[test]
    fn what_is_missing_is_named_by_its_deepest_part() {
        let check = |path: &str, expected: &str| check(&search(), path, Err(expected));
        check(
            "a.results[0].idd",
            "`a.results[0]` has no `idd`; did you mean `id`? it has id, n, by",
        );
        check("a.zebra.x", "`a` has no `zebra`; it has results, total");
        check("a[\"na me\"]", "`a` has no `[\"na me\"]`; it has results, total");
        check("a[0]", "`a` is an object and has no [0]; it has results, total");
        check("a[*].id", "`a` is an object, no list; it has results, total");
        check("a.results[2].id", "`a.results` has 2 items, and no [2]");
        check("a.results[-3]", "`a.results` has 2 items, and no [-3]");
        check(
            "a.results.id",
            "`a.results` is a list (2 items) and has no `id`; [0] is its first item, [*] each of them",
        );
        check("a.total.x", "`a.total` is a number and has no `x`");
        check("a.total[*]", "`a.total` is a number and has no `[*]`");
        check("a.results[0].by.x", "`a.results[0].by` is null and has no `x`");
        check("a.results[*].n", "`a.results[1]` has no `n`; it has id, tags");
    }

    #[test]
    fn long_objects_are_named_in_part() {
        check(&json!({}), "a.b", Err("`a` has no `b`; it is empty"));
        check(&json!([1]), "a[7]", Err("`a` has 1 item, and no [7]"));
        let many: Map<String, Value> = (10..50).map(|i| (format!("key{i}"), json!(i))).collect();
        let first: Vec<String> = (10..30).map(|i| format!("key{i}")).collect();
        let expected = format!("`a` has no `zebras`; it has {} and 20 more", first.join(", "));
        check(&Value::Object(many), "a.zebras", Err(&expected));
    }

    #[test]
    fn extreme_indexes_are_missing() {
        let value = json!([1]);
        for index in [i64::MIN, i64::MAX] {
            let expected = format!("`a` has 1 item, and no [{index}]");
            check(&value, &format!("a[{index}]"), Err(&expected));
        }
    }
}
