//! `PostgreSQL`'s types, there and back.

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
    (
        "int8",
        &[
            "9007199254740993",
            "-9223372036854775808",
            "9223372036854775807",
            "null",
        ],
    ),
    ("oid", &["4294967295", "null"]),
    (
        "float4",
        &["0.1", "-1.5", "3.4028235e38", "\"NaN\"", "null"],
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
    (
        "bytea",
        &[r#"{"base64":""}"#, r#"{"base64":"AP+AXCc="}"#, "null"],
    ),
    (
        "uuid",
        &[r#""00112233-4455-6677-8899-aabbccddeeff""#, "null"],
    ),
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
        &[
            r#""00:00:00""#,
            r#""23:59:59.999999""#,
            r#""24:00:00""#,
            r#""12:30:00.5""#,
            "null",
        ],
    ),
    (
        "timetz",
        &[
            r#""12:30:00+00:00""#,
            r#""12:30:00.25-08:30""#,
            r#""00:00:00+05:45""#,
            "null",
        ],
    ),
    (
        "timestamp",
        &[
            r#""2024-02-29T23:59:59.000001""#,
            r#""1969-12-31T23:59:59""#,
            r#""0044-03-15T12:00:00 BC""#,
            r#""294276-12-31T23:59:59.999999""#,
            r#""infinity""#,
            "null",
        ],
    ),
    (
        "timestamptz",
        &[
            r#""2024-02-29T23:59:59.1Z""#,
            r#""1969-12-31T23:59:59Z""#,
            r#""0044-03-15T12:00:00Z BC""#,
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
    (
        "int4[]",
        &["[]", "[1,null,3]", "[[1,2],[3,4]]", "[[[1]],[[2]]]", "null"],
    ),
    ("int8[]", &["[9007199254740993]"]),
    (
        "text[]",
        &[r#"["a","","b, c","d\"e\\f","NULL",null,"{}"," "]"#],
    ),
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
    (
        "SELECT $1::numeric",
        "[12345678901234567890123]",
        r#""12345678901234567890123""#,
    ),
    ("SELECT $1::int4", r#"["42"]"#, "42"),
    ("SELECT $1::bool", r#"["yes"]"#, "true"),
    ("SELECT $1::jsonb", r#"["{\"a\": 1}"]"#, r#"{"a":1}"#),
    ("SELECT $1::int4[]", r#"["{1,2}"]"#, "[1,2]"),
    ("SELECT $1::float8", "[3]", "3.0"),
    ("SELECT $1", r#"["text"]"#, r#""text""#),
    ("SELECT $1 || $1", r#"["ab"]"#, r#""abab""#),
    ("SELECT $2::int4 - $1::int4", "[1, 3]", "2"),
    (
        "SELECT timestamptz '2024-06-01 09:00:00+09'",
        "[]",
        r#""2024-06-01T00:00:00Z""#,
    ),
    (
        "SELECT timestamp '2024-06-01 09:00'",
        "[]",
        r#""2024-06-01T09:00:00""#,
    ),
    ("SELECT '[2:3]={7,8}'::int4[]", "[]", "[7,8]"),
    ("SELECT '1 2'::int2vector", "[]", "[1,2]"),
    ("SELECT sum(x) FROM generate_series(1, 3) x", "[]", "6"),
    (
        "SELECT avg(x) FROM generate_series(1, 2) x",
        "[]",
        r#""1.5000000000000000""#,
    ),
    (
        "SELECT pg_catalog.set_config('a.b', 'c', true)",
        "[]",
        r#""c""#,
    ),
    ("SELECT 'x'", "[]", r#""x""#),
    ("SELECT NULL", "[]", "null"),
    // Types that have no form in JSON come as the server writes them.
    ("SELECT point(1, 2)", "[]", r#""(1,2)""#),
    ("SELECT ROW(1, 'a b')", "[]", r#""(1,\"a b\")""#),
    ("SELECT inet '10.0.0.1/8' AS a;", "[]", r#""10.0.0.1/8""#),
    ("SELECT money '1.50' -- one;", "[]", r#""$1.50""#),
    ("SELECT int4range(1, $1)", "[5]", r#""[1,5)""#),
    (
        "SELECT ARRAY[point(1, 2), NULL]",
        "[]",
        r#""{\"(1,2)\",NULL}""#,
    ),
    ("SELECT 'pg_class'::regclass", "[]", r#""pg_class""#),
    ("SELECT b'101'", "[]", r#""101""#),
    ("SELECT NULL::tsvector", "[]", "null"),
    (
        "WITH p AS (VALUES (point(2, 1)), (point(1, 1))) SELECT column1 FROM p ORDER BY column1 <-> point(9, 9)",
        "[]",
        r#""(2,1)""#,
    ),
    ("SELECT pg_sleep(0)", "[]", "null"),
    ("SELECT 1 AS a, 2 AS a", "[]", "2"),
];

/// What is said instead of an answer.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "SELECT $1::int4",
        "[2147483648]",
        "parameter 1: 2147483648 does not fit into int4",
    ),
    (
        "SELECT $1::int2",
        "[-32769]",
        "parameter 1: -32769 does not fit into int2",
    ),
    (
        "SELECT $1::int8",
        "[9223372036854775808]",
        "parameter 1: 9223372036854775808 does not fit into int8",
    ),
    (
        "SELECT $1::int8",
        "[1.0]",
        "parameter 1: 1.0 is not an integer: give int(x)",
    ),
    (
        "SELECT $1::int4, $2::int4",
        r#"[1, "two"]"#,
        "parameter 2: invalid input syntax for type integer: \"two\"",
    ),
    (
        "SELECT $1::bool",
        "[1]",
        "parameter 1: a number cannot be sent as bool: give True or False",
    ),
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
    (
        "SELECT $1::int4",
        "[]",
        "the statement has 1 parameters, and 0 were given",
    ),
];

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
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
    for (sql, params, expected) in ANSWERS {
        assert_eq!(server.value(sql, parse(params)), parse(expected), "{sql}");
    }
    for (sql, params, expected) in REFUSED {
        let refused = server.query(sql, parse(params));
        assert_eq!(refused, Err((*expected).to_owned()), "{sql}");
    }
}
