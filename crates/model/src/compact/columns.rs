//! Columns that say nothing: null in every row.

use super::rows::Rows;
use serde_json::{Map, Value};

/// Drops the columns of an answer's items that are null in each of them, and names them. A null in
/// some rows stays: without it the rows would not be alike, and notations for tables could not be used.
pub(super) fn drop_null_columns(value: &mut Value) -> Vec<String> {
    let mut dropped = Vec::new();
    if let Some(items) = Rows::of(value).get_mut(value) {
        let rows: Option<Vec<_>> = items.iter_mut().map(Value::as_object_mut).collect();
        prune(rows.unwrap_or_default(), "", &mut dropped);
    }
    dropped
}

fn prune(mut rows: Vec<&mut Map<String, Value>>, prefix: &str, dropped: &mut Vec<String>) {
    let Some(first) = rows.first() else { return };
    // A column that is not in the first row can be null in the others only; it is rare, and kept.
    let keys: Vec<String> = first.keys().cloned().collect();
    for key in keys {
        let name = format!("{prefix}{key}");
        let says_nothing = |value: Option<&Value>| value.is_none_or(Value::is_null);
        if rows.iter().all(|row| says_nothing(row.get(&key))) {
            for row in &mut rows {
                row.shift_remove(&key);
            }
            dropped.push(name);
            continue;
        }
        let inner: Option<Vec<_>> = rows
            .iter_mut()
            .map(|row| row.get_mut(&key)?.as_object_mut())
            .collect();
        // An object that has nothing else would be left empty.
        if let Some(inner) = inner.filter(|rows| rows.iter().all(|row| has_more_than_null(row))) {
            prune(inner, &format!("{name}."), dropped);
        }
    }
}

fn has_more_than_null(row: &Map<String, Value>) -> bool {
    row.values().any(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(mut value: Value, dropped: &[&str], expected: &Value) {
        assert_eq!(drop_null_columns(&mut value), dropped);
        assert_eq!(value, *expected);
    }

    #[test]
    fn null_throughout_goes_and_null_here_and_there_stays() {
        check(
            json!([{"a": 1, "b": null, "c": null}, {"a": 2, "b": null, "c": 3}]),
            &["b"],
            &json!([{"a": 1, "c": null}, {"a": 2, "c": 3}]),
        );
        check(
            json!({"next": null, "rows": [{"a": 1, "b": null}, {"a": 2}]}),
            &["b"],
            &json!({"next": null, "rows": [{"a": 1}, {"a": 2}]}),
        );
    }

    #[test]
    fn columns_within_columns() {
        check(
            json!([{"u": {"x": null, "y": 1}}, {"u": {"x": null, "y": null, "z": 1}}]),
            &["u.x"],
            &json!([{"u": {"y": 1}}, {"u": {"y": null, "z": 1}}]),
        );
        check(
            json!([{"u": {"x": null}}, {"u": {"x": null}}]),
            &[],
            &json!([{"u": {"x": null}}, {"u": {"x": null}}]),
        );
        check(
            json!([{"u": {"x": null, "y": 1}}, {"u": null}]),
            &[],
            &json!([{"u": {"x": null, "y": 1}}, {"u": null}]),
        );
    }

    #[test]
    fn what_has_no_rows_stays() {
        for value in [
            json!({"a": null}),
            json!([1, null]),
            json!([{"a": null}, 1]),
            json!(null),
            json!([]),
        ] {
            check(value.clone(), &[], &value);
        }
    }
}
