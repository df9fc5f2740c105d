//! `PostgreSQL`'s types, there and back.

use crate::asking::Asked;
use crate::postgres::asked;
use cluster::Cluster;
use serde_json::{Value, json};

const DEFINITIONS: &[&str] = &[
    "CREATE TYPE mood AS ENUM ('sad', 'ok', 'very happy')",
    "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
    "CREATE DOMAIN label AS text",
];

/// Sent as a parameter, each comes back as it was.
const SAME: &[(&str, &[&str])] = &[
    ("int2", &["0", "-32768", "32767", "null"]),
    ("int4", &["-2147483648", "2147483647", "null"]),
    ("int8", &["9007199254740993", "-9223372036854775808", "9223372036854775807", "null"]),
    ("oid", &["4294967295", "null"]),
    (
        "float4",
        &[
            "0.1",
            "-1.5",
            "3.4028235e38",
            "1e-45",
            "\"NaN\"",
            "\"Infinity\"",
            "\"-Infinity\"",
            "null",
        ],
    ),
    (
        "float8",
        &[
            "0.1",
            "1.0",
            "1.7976931348623157e308",
            "5e-324",
            "\"NaN\"",
            "\"Infinity\"",
            "\"-Infinity\"",
            "null",
        ],
    ),
    (
        "numeric",
        &[
            "\"0\"",
            "\"0.00\"",
            "\"1\"",
            "\"-1\"",
            "\"10000\"",
            "\"0.0001\"",
            "\"-0.00000000000000000012345\"",
            "\"12345678901234567890123456789.000100\"",
            "\"100000000\"",
            "\"99999999.9999\"",
            "\"NaN\"",
            "\"Infinity\"",
            "\"-Infinity\"",
            "null",
        ],
    ),
    ("numeric(10,2)", &["\"12345678.90\"", "null"]),
    ("bool", &["true", "false", "null"]),
    ("text", &[r#""""#, r#""naïve 😀 \" \\ ' {}""#, "null"]),
    ("varchar(10)", &[r#""abc""#, "null"]),
    ("char(5)", &[r#""abc  ""#, "null"]),
    ("name", &[r#""pg_class""#, "null"]),
    ("\"char\"", &[r#""x""#, "null"]),
    ("bytea", &[r#"{"base64":""}"#, r#"{"base64":"AP+AXCc="}"#, "null"]),
    ("uuid", &[r#""00112233-4455-6677-8899-aabbccddeeff""#, "null"]),
    (
        "date",
        &[
            r#""2000-01-01""#,
            r#""2024-02-29""#,
            r#""1999-12-31""#,
            r#""1900-02-28""#,
            r#""0001-01-01""#,
            r#""0044-03-15 BC""#,
            r#""4713-01-01 BC""#,
            r#""5874897-12-31""#,
            r#""infinity""#,
            r#""-infinity""#,
            "null",
        ],
    ),
    (
        "time",
        &[r#""00:00:00""#, r#""23:59:59.999999""#, r#""24:00:00""#, r#""12:30:00.5""#, "null"],
    ),
    ("timetz", &[r#""12:30:00+00:00""#, r#""12:30:00.25-08:30""#, r#""00:00:00+05:45""#, "null"]),
    (
        "timestamp",
        &[
            r#""2024-02-29T23:59:59.000001""#,
            r#""1969-12-31T23:59:59""#,
            r#""0044-03-15T12:00:00 BC""#,
            r#""294276-12-31T23:59:59.999999""#,
            r#""infinity""#,
            r#""-infinity""#,
            "null",
        ],
    ),
    (
        "timestamptz",
        &[
            r#""2024-02-29T23:59:59.1Z""#,
            r#""1969-12-31T23:59:59Z""#,
            r#""0044-03-15T12:00:00Z BC""#,
            r#""infinity""#,
            r#""-infinity""#,
            "null",
        ],
    ),
    (
        "interval",
        &[
            r#""PT0S""#,
            r#""P1Y2M3DT4H5M6.789S""#,
            r#""P-1Y-2M3DT-4H-5M-6S""#,
            r#""P40D""#,
            r#""PT100H""#,
            r#""PT-0.000001S""#,
            "null",
        ],
    ),
    (
        "jsonb",
        &[
            r#"{"a":[1,2.5,null,true,"x"],"n":12345678901234567890123}"#,
            "[]",
            "1.10",
            "true",
            "null",
        ],
    ),
    ("json", &[r#"{"b":1,"a":[{}]}"#, "[[1],[2,3]]", "null"]),
    ("xml", &[r#""<a>b</a>""#, "null"]),
    ("mood", &[r#""very happy""#, "null"]),
    ("positive", &["1", "null"]),
    ("label", &[r#""x""#, "null"]),
    ("int4[]", &["[]", "[1,null,3]", "[[1,2],[3,4]]", "[[[1]],[[2]]]", "null"]),
    ("int8[]", &["[9007199254740993]"]),
    ("text[]", &[r#"["a","","b, c","d\"e\\f","NULL",null,"{}"," "]"#]),
    ("bool[]", &["[true,false,null]"]),
    ("float8[]", &["[1.0,0.1]"]),
    ("numeric[]", &[r#"["1.50",null]"#]),
    ("bytea[]", &[r#"[{"base64":"AP8="},null]"#]),
    ("uuid[]", &[r#"["00112233-4455-6677-8899-aabbccddeeff"]"#]),
    ("timestamptz[]", &[r#"["2024-02-29T23:59:59Z"]"#]),
    ("jsonb[]", &[r#"[{"a":"x\"y"},[1,2],null,3]"#]),
    ("mood[]", &[r#"["ok","very happy"]"#]),
    ("positive[]", &["[1,2]"]),
];

/// What a SELECT answers, where a parameter is written otherwise or not at all.
const ANSWERS: &[(&str, &str, &str)] = &[
    ("SELECT $1::numeric", "[1.50]", r#""1.50""#),
    ("SELECT $1::numeric", "[12345678901234567890123]", r#""12345678901234567890123""#),
    ("SELECT $1::int4", r#"["42"]"#, "42"),
    ("SELECT $1::bool", r#"["yes"]"#, "true"),
    ("SELECT $1::jsonb", r#"["{\"a\": 1}"]"#, r#"{"a":1}"#),
    ("SELECT $1::int4[]", r#"["{1,2}"]"#, "[1,2]"),
    ("SELECT $1::float8", "[3]", "3.0"),
    ("SELECT $1", r#"["text"]"#, r#""text""#),
    ("SELECT $1 || $1", r#"["ab"]"#, r#""abab""#),
    ("SELECT $2::int4 - $1::int4", "[1, 3]", "2"),
    ("SELECT timestamptz '2024-06-01 09:00:00+09'", "[]", r#""2024-06-01T00:00:00Z""#),
    ("SELECT timestamp '2024-06-01 09:00'", "[]", r#""2024-06-01T09:00:00""#),
    ("SELECT '[2:3]={7,8}'::int4[]", "[]", "[7,8]"),
    ("SELECT '1 2'::int2vector", "[]", "[1,2]"),
    ("SELECT sum(x) FROM generate_series(1, 3) x", "[]", "6"),
    ("SELECT avg(x) FROM generate_series(1, 2) x", "[]", r#""1.5000000000000000""#),
    ("SELECT pg_catalog.set_config('a.b', 'c', true)", "[]", r#""c""#),
    ("SELECT 'x'", "[]", r#""x""#),
    ("SELECT NULL", "[]", "null"),
    // Types that have no form in JSON come as the server writes them.
    ("SELECT point(1, 2)", "[]", r#""(1,2)""#),
    ("SELECT ROW(1, 'a b')", "[]", r#""(1,\"a b\")""#),
    ("SELECT inet '10.0.0.1/8' AS a;", "[]", r#""10.0.0.1/8""#),
    ("SELECT money '1.50' -- one;", "[]", r#""$1.50""#),
    ("SELECT int4range(1, $1)", "[5]", r#""[1,5)""#),
    ("SELECT ARRAY[point(1, 2), NULL]", "[]", r#""{\"(1,2)\",NULL}""#),
    ("SELECT 'pg_class'::regclass", "[]", r#""pg_class""#),
    ("SELECT b'101'", "[]", r#""101""#),
    ("SELECT NULL::tsvector", "[]", "null"),
    (
        "WITH p AS (VALUES (point(2, 1)), (point(1, 1))) SELECT column1 FROM p ORDER BY column1 <-> point(9, 9)",
        "[]",
        r#""(2,1)""#,
    ),
    ("SELECT pg_sleep(0)", "[]", "null"),
    ("SELECT 1 AS a, 2 AS a", "[]", "1"),
];

/// What is said instead of an answer.
const REFUSED: &[(&str, &str, &str)] = &[
    ("SELECT $1::int4", "[2147483648]", "parameter 1: 2147483648 does not fit into int4"),
    ("SELECT $1::int2", "[-32769]", "parameter 1: -32769 does not fit into int2"),
    (
        "SELECT $1::int8",
        "[9223372036854775808]",
        "parameter 1: 9223372036854775808 does not fit into int8",
    ),
    ("SELECT $1::int8", "[1.0]", "parameter 1: 1.0 is not an integer: give int(x)"),
    (
        "SELECT $1::int4, $2::int4",
        r#"[1, "two"]"#,
        "parameter 2: invalid input syntax for type integer: \"two\"",
    ),
    ("SELECT $1::bool", "[1]", "parameter 1: a number cannot be sent as bool: give True or False"),
    (
        "SELECT $1::text",
        "[5]",
        "parameter 1: a number cannot be sent as text: give a string, or cast the parameter, as in $1::int",
    ),
    (
        "SELECT $1::bytea",
        r#"["x"]"#,
        "parameter 1: a string cannot be sent as bytea: give {\"base64\": \"…\"}",
    ),
    (
        "SELECT $1::date",
        "[2024]",
        "parameter 1: a number cannot be sent as date: give what date looks like, as a string",
    ),
    (
        "SELECT $1::int4",
        "[[1]]",
        "parameter 1: a list cannot be sent as int4: give what int4 looks like, as a string",
    ),
    (
        "SELECT $1::int4[]",
        "[[1, true]]",
        "parameter 1: a bool cannot be sent as int4: give what int4 looks like, as a string",
    ),
    (
        "SELECT $1::positive",
        "[0]",
        "parameter 1: value for domain positive violates check constraint \"positive_check\"",
    ),
    (
        "SELECT $1::mood",
        r#"["angry"]"#,
        "parameter 1: invalid input value for enum mood: \"angry\"",
    ),
    ("SELECT $1::int4", "[]", "the statement has 1 parameters, and 0 were given"),
];

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// All at once in a table with a column of each type, row by row; at the end each is NULL.
fn in_columns(server: &Asked) {
    let column = |(index, (kind, _)): (usize, &(&str, &[&str]))| format!("c{index} {kind}");
    let columns: Vec<String> = SAME.iter().enumerate().map(column).collect();
    let create = format!("CREATE TABLE every (row_number int, {})", columns.join(", "));
    assert_eq!(server.execute(&create, json!([])), Ok(0));
    let places: Vec<String> = (1..=SAME.len() + 1).map(|i| format!("${i}")).collect();
    let insert = format!("INSERT INTO every VALUES ({})", places.join(", "));
    let longest = SAME.iter().map(|(_, values)| values.len()).max().unwrap();
    for row in 0..=longest {
        let value = |values: &[&str]| values.get(row).map_or(Value::Null, |text| parse(text));
        let values: Vec<Value> = SAME.iter().map(|(_, values)| value(values)).collect();
        let params: Vec<Value> = [json!(row)].into_iter().chain(values.clone()).collect();
        assert_eq!(server.execute(&insert, json!(params)), Ok(1), "row {row}");
        let found = server.query("SELECT * FROM every WHERE row_number = $1", json!([row]));
        let found = found.unwrap();
        for (index, (kind, _)) in SAME.iter().enumerate() {
            assert_eq!(found[0][format!("c{index}")], values[index], "{kind}");
        }
    }
}

/// A list of all values that a type has here; nulls are among them.
fn in_arrays(server: &Asked) {
    for (kind, values) in SAME.iter().filter(|(kind, _)| !kind.ends_with("[]")) {
        let all: Value = values.iter().map(|text| parse(text)).collect();
        for list in [all, json!([null]), json!([])] {
            let found = server.query(&format!("SELECT $1::{kind}[] AS v"), json!([list]));
            assert_eq!(found, Ok(json!([{"v": list}])), "{kind}[]");
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn every_type_comes_back_as_it_went() {
    let cluster = Cluster::start();
    let server = asked(&cluster.url("sslmode=disable"));
    for definition in DEFINITIONS {
        assert_eq!(server.execute(definition, json!([])), Ok(0), "{definition}");
    }
    for (kind, values) in SAME {
        for value in values.iter().map(|text| parse(text)) {
            let found = server.query(&format!("SELECT $1::{kind} AS v"), json!([value]));
            assert_eq!(found, Ok(json!([{"v": value}])), "{kind}");
        }
    }
    in_columns(&server);
    in_arrays(&server);
    for (sql, params, expected) in ANSWERS {
        assert_eq!(server.value(sql, parse(params)), parse(expected), "{sql}");
    }
    for (sql, params, expected) in REFUSED {
        let refused = server.query(sql, parse(params));
        assert_eq!(refused, Err((*expected).to_owned()), "{sql}");
    }
}
