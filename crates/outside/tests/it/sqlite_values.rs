//! `SQLite`'s values, there and back.

use crate::sqlite::File;
use serde_json::{Value, json};

/// `value` goes in and comes back the same, and `SQLite` takes it for a `kind`.
#[track_caller]
fn check(file: &File, column: &str, value: &Value, kind: &str) {
    let row = json!([{"v": value, "k": kind}]);
    let create = format!("CREATE TABLE t (v {column})");
    let statements = [
        ("DROP TABLE IF EXISTS t", json!([])),
        (create.as_str(), json!([])),
        ("INSERT INTO t VALUES (?)", json!([value])),
    ];
    assert_eq!(file.all(&statements), Ok(vec![0, 0, 1]));
    let found = file.query("SELECT v, typeof(v) AS k FROM t", json!([]));
    assert_eq!(found, Ok(row), "{column}");
    // A parameter is compared as what it is, too.
    let same = file.query("SELECT count(*) AS n FROM t WHERE v IS ?", json!([value]));
    assert_eq!(same, Ok(json!([{"n": 1}])), "{column}");
}

#[test]
fn every_kind_of_value_comes_back_as_it_went() {
    let file = File::new();
    let max: Value = i64::MAX.into();
    let min: Value = i64::MIN.into();
    for (column, value, kind) in [
        ("INTEGER", json!(0), "integer"),
        ("INTEGER", json!(-1), "integer"),
        ("INTEGER", json!(9_007_199_254_740_993_i64), "integer"),
        ("INTEGER", max.clone(), "integer"),
        ("INTEGER", min.clone(), "integer"),
        ("", max, "integer"),
        ("", min, "integer"),
        ("REAL", json!(0.1), "real"),
        ("REAL", json!(1.797_693_134_862_315_7e308), "real"),
        ("REAL", json!(5e-324), "real"),
        ("REAL", json!(1.0), "real"),
        ("", json!(1.0), "real"),
        ("", json!(1e100), "real"),
        ("TEXT", json!(""), "text"),
        ("TEXT", json!("naïve \u{1f600} \u{0}end"), "text"),
        ("TEXT", json!("9223372036854775808"), "text"),
        ("", json!("123"), "text"),
        ("BLOB", json!({"base64": ""}), "blob"),
        ("BLOB", json!({"base64": "AP+A"}), "blob"),
        ("", json!({"base64": "MTIz"}), "blob"),
        ("BOOLEAN", json!(1), "integer"),
        ("DATETIME", json!("2024-02-29T23:59:59Z"), "text"),
        ("VARCHAR(3)", json!("longer"), "text"),
        ("DECIMAL(10, 2)", json!(1.25), "real"),
        ("NUMERIC", json!(9_007_199_254_740_993_i64), "integer"),
        ("JSON", json!("{\"a\": 1}"), "text"),
        ("INTEGER", json!(null), "null"),
        ("", json!(null), "null"),
        ("REAL", json!(null), "null"),
        ("TEXT", json!(null), "null"),
        ("BLOB", json!(null), "null"),
    ] {
        check(&file, column, &value, kind);
    }
}

#[test]
fn some_values_come_back_otherwise() {
    let file = File::new();
    for (sql, params, expected) in [
        ("SELECT ?", json!([true]), json!(1)),
        ("SELECT ?", json!([false]), json!(0)),
        // A column's type makes numbers of texts that look like some, and floats of integers.
        ("SELECT CAST(? AS NUMERIC)", json!(["1.50"]), json!(1.5)),
        ("SELECT CAST(? AS REAL)", json!([1]), json!(1.0)),
        ("SELECT 9e999 - 9e999", json!([]), json!(null)),
        ("SELECT 9e999", json!([]), json!("Infinity")),
        ("SELECT -9e999", json!([]), json!("-Infinity")),
        ("SELECT ?2", json!([1, 2]), json!(2)),
        ("SELECT :a", json!(["named"]), json!("named")),
    ] {
        assert_eq!(file.value(sql, params), expected, "{sql}");
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let file = File::new();
    let big: Value = serde_json::from_str("9223372036854775808").unwrap();
    let huge: Value = serde_json::from_str("1e999").unwrap();
    for (sql, params, expected) in [
        (
            "SELECT ?",
            json!([big]),
            "parameter 1: 9223372036854775808 does not fit into 64 bits: give it as a string",
        ),
        ("SELECT ?, ?", json!([1, huge]), "parameter 2: 1e+999 is too large for a float"),
        ("SELECT ?", json!([[1]]), "parameter 1: a list cannot be bound: give json.encode(x)"),
        (
            "SELECT ?",
            json!([{"a": 1}]),
            "parameter 1: a dict is taken for bytes only as {\"base64\": \"…\"}",
        ),
        (
            "SELECT ?",
            json!([{"base64": "-"}]),
            "parameter 1: what stands at \"base64\" is not base64",
        ),
        ("SELECT ?, ?", json!([1]), "the statement has 2 parameters, and 1 were given"),
        (
            "SELECT CAST(x'ff' AS TEXT) AS t",
            json!([]),
            "column `t` holds text that is not UTF-8: select CAST(t AS BLOB)",
        ),
    ] {
        assert_eq!(file.query(sql, params), Err(expected.into()), "{sql}");
    }
}
