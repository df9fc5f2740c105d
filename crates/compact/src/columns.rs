//! Fields that are null: columns of a table inside a value, and fields of single objects.

use model::select::{Path, Step};
use serde_json::{Map, Value};

/// The columns that were dropped from one table, or from a single object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NullColumns {
    /// Path from the whole value to each row: `issues[*]`. Empty if the whole value is the object.
    pub(super) rows: Path,
    /// Paths from a row: `closed_at`, `user.name`.
    pub(super) columns: Vec<Path>,
}

/// Where nulls are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    OfTables,
    /// Also of objects in no list.
    OfAll,
}

/// Drops every column that is null in all rows of its table, and returns their names. Only a column that
/// each row has is dropped, so that the names are enough to put it back. A null in some rows stays: without
/// it the rows would differ in their fields, and TOON could not write them as a table.
pub(super) fn drop_nulls(value: &mut Value, nulls: Nulls) -> Vec<NullColumns> {
    let mut found = Vec::new();
    search(vec![value], Path(Vec::new()), nulls, &mut found);
    found
}

/// Looks for tables below values that one path leads to.
fn search(values: Vec<&mut Value>, path: Path, nulls: Nulls, found: &mut Vec<NullColumns>) {
    if values.iter().all(|value| value.is_array()) {
        let lists = values.into_iter().filter_map(Value::as_array_mut);
        let items: Vec<&mut Value> = lists.flatten().collect();
        if !items.is_empty() {
            search(items, path.then(Step::Each), nulls, found);
        }
        return;
    }
    let objects: Option<Vec<_>> = values.into_iter().map(Value::as_object_mut).collect();
    let Some(objects) = objects else { return };
    if nulls == Nulls::OfAll || path.0.contains(&Step::Each) {
        return prune_table(objects, path, found);
    }
    for (key, value) in objects.into_iter().flatten() {
        search(vec![value], path.then(Step::Key(key.clone())), nulls, found);
    }
}

fn prune_table(rows: Vec<&mut Map<String, Value>>, path: Path, found: &mut Vec<NullColumns>) {
    let place = found.len();
    let mut columns = Vec::new();
    prune(rows, &path, &Path(Vec::new()), &mut columns, found);
    if !columns.is_empty() {
        let rows = path;
        found.insert(place, NullColumns { rows, columns });
    }
}

/// Drops the null columns of objects that stand at `inside` of each row of the table at `table`.
fn prune(
    mut objects: Vec<&mut Map<String, Value>>,
    table: &Path,
    inside: &Path,
    columns: &mut Vec<Path>,
    found: &mut Vec<NullColumns>,
) {
    for key in null_keys(&objects) {
        for object in &mut objects {
            object.shift_remove(&key);
        }
        columns.push(inside.then(Step::Key(key)));
    }
    let keys = objects.first().map(|first| first.keys().cloned().collect());
    let keys: Vec<String> = keys.unwrap_or_default();
    for key in keys {
        let cells: Option<Vec<_>> = objects.iter_mut().map(|o| o.get_mut(&key)).collect();
        let Some(cells) = cells else { continue };
        let inside = inside.then(Step::Key(key));
        if cells.iter().all(|cell| cell.is_object()) {
            let inner = cells.into_iter().filter_map(Value::as_object_mut);
            prune(inner.collect(), table, &inside, columns, found);
        } else if cells.iter().all(|cell| cell.is_array()) {
            search(cells, table.join(&inside), Nulls::OfAll, found);
        }
    }
}

/// The keys that are null in all of the objects; none if an object has no others, since it would be left
/// empty.
fn null_keys(objects: &[&mut Map<String, Value>]) -> Vec<String> {
    let Some(first) = objects.first() else {
        return Vec::new();
    };
    let is_null = |key: &&String| {
        let mut cells = objects.iter().map(|object| object.get(*key));
        cells.all(|cell| cell.is_some_and(Value::is_null))
    };
    let keys: Vec<String> = first.keys().filter(is_null).cloned().collect();
    if objects.iter().any(|object| object.len() == keys.len()) {
        return Vec::new();
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `dropped` has a line for each table.
    #[track_caller]
    fn check(value: Value, dropped: &[&str], expected: &Value) {
        check_nulls(Nulls::OfTables, value, dropped, expected);
    }

    #[track_caller]
    fn check_nulls(nulls: Nulls, mut value: Value, dropped: &[&str], expected: &Value) {
        let found = drop_nulls(&mut value, nulls);
        let found = found.iter().map(|table| {
            let columns: Vec<String> = table.columns.iter().map(Path::to_string).collect();
            format!("{}: {}", table.rows, columns.join(", "))
        });
        assert_eq!(found.collect::<Vec<_>>(), dropped);
        assert_eq!(value, *expected);
    }

    #[test]
    fn column_of_nulls_is_dropped_and_single_nulls_stay() {
        check(
            json!([{"a": 1, "b": null, "c": null}, {"a": 2, "b": null, "c": 3}]),
            &["[*]: b"],
            &json!([{"a": 1, "c": null}, {"a": 2, "c": 3}]),
        );
        check(
            json!({"next": null, "rows": [{"a": 1, "b": null, "x.y": null}]}),
            &["rows[*]: b, [\"x.y\"]"],
            &json!({"next": null, "rows": [{"a": 1}]}),
        );
    }

    #[test]
    fn nulls_of_single_objects_are_dropped() {
        check_nulls(
            Nulls::OfAll,
            json!({
                "a": null, "b": {"c": null, "d": 1, "e": {"f": null}}, "g": [null, {"h": null}],
                "rows": [{"i": null, "j": 1}],
            }),
            &[": a, b.c", "rows[*]: i"],
            &json!({"b": {"d": 1, "e": {"f": null}}, "g": [null, {"h": null}], "rows": [{"j": 1}]}),
        );
        let null = json!({"a": null});
        check_nulls(Nulls::OfAll, null.clone(), &[], &null);
    }

    #[test]
    fn column_that_some_rows_lack_stays() {
        let rows = json!([{"a": 1, "b": null}, {"a": 2}]);
        check(rows.clone(), &[], &rows);
        let nested = json!([{"u": {"x": null, "y": 1}}, {"u": null}]);
        check(nested.clone(), &[], &nested);
    }

    #[test]
    fn columns_of_objects_in_rows_are_dropped() {
        check(
            json!([{"u": {"x": null, "y": 1}}, {"u": {"x": null, "y": null, "z": 1}}]),
            &["[*]: u.x"],
            &json!([{"u": {"y": 1}}, {"u": {"y": null, "z": 1}}]),
        );
    }

    #[test]
    fn tables_are_found_at_any_depth() {
        check(
            json!({"data": {"rows": [[{"a": 1, "b": null}], [], [{"a": 2, "b": null}]]}}),
            &["data.rows[*][*]: b"],
            &json!({"data": {"rows": [[{"a": 1}], [], [{"a": 2}]]}}),
        );
        check(
            json!({
                "x": [{"a": 1, "b": null, "tags": [{"t": 1, "c": null}]}, {"a": 1, "b": null, "tags": []}],
                "y": [{"d": null, "e": 1}],
            }),
            &["x[*]: b", "x[*].tags[*]: c", "y[*]: d"],
            &json!({
                "x": [{"a": 1, "tags": [{"t": 1}]}, {"a": 1, "tags": []}],
                "y": [{"e": 1}],
            }),
        );
    }

    #[test]
    fn no_row_is_left_empty() {
        for value in [
            json!([{"a": null}, {"a": null}]),
            json!([{"a": null, "b": 1}, {"a": null}]),
            json!([{"u": {"x": null}}, {"u": {"x": null}}]),
        ] {
            check(value.clone(), &[], &value);
        }
    }

    #[test]
    fn values_without_tables_stay() {
        for value in [
            json!({"a": null}),
            json!([1, null]),
            json!([{"a": null, "b": 1}, 1]),
            json!(null),
            json!([]),
            json!([[], {}]),
        ] {
            check(value.clone(), &[], &value);
        }
    }
}
