//! Where an answer has its items: it is a list, or an envelope with one list of objects in it.

use serde_json::{Map, Value};

/// The place of the items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rows {
    Root,
    /// The field of an envelope, such as `results`.
    Field(String),
    None,
}

impl Rows {
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Array(_) => Self::Root,
            Value::Object(map) => envelope(map).map_or(Self::None, |key| Self::Field(key.into())),
            _ => Self::None,
        }
    }

    pub(super) fn get<'v>(&self, value: &'v Value) -> Option<&'v Vec<Value>> {
        match self {
            Self::Root => value.as_array(),
            Self::Field(key) => value.get(key)?.as_array(),
            Self::None => None,
        }
    }

    pub(super) fn get_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Vec<Value>> {
        match self {
            Self::Root => value.as_array_mut(),
            Self::Field(key) => value.get_mut(key)?.as_array_mut(),
            Self::None => None,
        }
    }
}

/// The one field that is a list of objects. If none is, one empty list can be nothing else.
fn envelope(map: &Map<String, Value>) -> Option<&str> {
    only(map, |items| !items.is_empty() && items.iter().all(Value::is_object)).or_else(|| {
        let objects = |items: &[Value]| items.iter().any(Value::is_object);
        let rows = map.values().filter_map(Value::as_array);
        rows.into_iter().all(|items| !objects(items)).then(|| only(map, <[Value]>::is_empty))?
    })
}

fn only(map: &Map<String, Value>, is_it: impl Fn(&[Value]) -> bool) -> Option<&str> {
    let mut found =
        map.iter().filter(|(_, value)| value.as_array().is_some_and(|items| is_it(items)));
    let (key, _) = found.next()?;
    found.next().is_none().then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn items_are_found() {
        let field = |key: &str| Rows::Field(key.into());
        for (value, rows) in [
            (json!([1]), Rows::Root),
            (json!([]), Rows::Root),
            (json!({"results": [{"id": 1}], "has_more": false}), field("results")),
            (json!({"total": 1, "tags": ["x"], "issues": [{}, {}]}), field("issues")),
            (json!({"issues": [], "total": 0}), field("issues")),
            (json!({"issues": [], "rows": [{}]}), field("rows")),
            (json!({"a": [], "b": []}), Rows::None),
            (json!({"a": [{}], "b": [{}]}), Rows::None),
            (json!({"a": [{}, 1], "b": []}), Rows::None),
            (json!({"a": [1, 2]}), Rows::None),
            (json!({"a": {"b": [{}]}}), Rows::None),
            (json!("text"), Rows::None),
        ] {
            assert_eq!(Rows::of(&value), rows, "{value}");
        }
    }
}
