//! Values that share a hash are refused where data from outside comes in; ordinary data is not.

use super::*;
use serde_json::Value as Json;
use starlark::collections::StarlarkHashValue;
use std::fmt::Write;

const REFUSAL: &str = "more than 64 keys or items share one hash";

/// So many texts of eight letters with one hash.
fn colliding(count: usize) -> Vec<String> {
    let letters = |mut n: usize| {
        let mut text = String::from("AAAA");
        for _ in 0..4 {
            text.push(char::from(b"abcdefghijklmnopqrstuvwxyzABCDEF"[n % 32]));
            n /= 32;
        }
        text
    };
    let wanted = StarlarkHashValue::new("AAAAaaaa");
    let texts = (0..32_usize.pow(4)).map(letters);
    let texts = texts.filter(|text| StarlarkHashValue::new(text.as_str()) == wanted);
    let found: Vec<String> = texts.take(count).collect();
    assert_eq!(found.len(), count);
    found
}

/// Whole numbers beyond 32 bits that share a hash.
fn colliding_integers(count: u64) -> Vec<u64> {
    (1..=count).map(|i| i << 32).collect()
}

#[track_caller]
fn refused(source: &str, args: Json) {
    let got = call(source, "f", args).unwrap_err();
    assert!(got.contains(REFUSAL), "{source}: {got}");
}

#[track_caller]
fn accepted(source: &str, args: Json) -> String {
    call(source, "f", args).unwrap()
}

fn object(keys: &[String]) -> Json {
    keys.iter().map(|key| (key.clone(), json!(1))).collect()
}

#[test]
fn arguments_of_one_hash_are_refused() {
    let keys = colliding(20_000);
    let dict = "def f(v: dict[str, int]) -> int:\n    return len(v)\ntool(f)";
    refused(dict, json!({"v": object(&keys)}));
    refused(dict, json!({"v": object(&keys[..65])}));
    let error = call(dict, "f", json!({"v": object(&keys)})).unwrap_err();
    assert_eq!(error, format!("`v`: {REFUSAL}"));
    assert_eq!(accepted(dict, json!({"v": object(&keys[..64])})), "64");

    let plain = "def f(v):\n    return len(v)\ntool(f)";
    let list = "def f(v: list[str]) -> int:\n    return len(set(v))\ntool(f)";
    refused(list, json!({"v": keys}));
    refused(plain, json!({"v": [[keys]]}));
    refused(plain, json!({"v": colliding_integers(1_000)}));
    let floats = "def f(v: list[float]) -> int:\n    return len(v)\ntool(f)";
    let texts: Vec<f64> = colliding_floats(1_000);
    refused(floats, json!({"v": texts}));
    let nested = "def f(v: dict[str, list[float]]) -> int:\n    return len(v)\ntool(f)";
    let lists: Json = keys.iter().map(|key| (key.clone(), json!([1.5]))).collect();
    refused(nested, json!({"v": lists}));
}

/// Floats that the engine's hash, which can be run backwards, maps to one value.
fn colliding_floats(count: u64) -> Vec<f64> {
    let inverse = |odd: u64| {
        let mut inverse = odd;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        inverse
    };
    let backwards = |hash: u64| {
        let h = hash ^ (hash >> 33);
        let h = h.wrapping_mul(inverse(0xc4ce_b9fe_1a85_ec53));
        let h = h ^ (h >> 33);
        let h = h.wrapping_mul(inverse(0xff51_afd7_ed55_8ccd));
        h ^ (h >> 33)
    };
    let floats = (0_u64..).map(|i| f64::from_bits(backwards((i << 32) | 7)));
    let floats = floats.filter(|float| float.is_finite() && float.abs() < 1e300);
    floats.take(usize::try_from(count).unwrap()).collect()
}

#[test]
fn fields_of_many_rows_are_counted_together() {
    let source = "def f(rows):\n    d = {}\n    for row in rows:\n        d[row['k']] = 1\n    return len(d)\ntool(f)";
    let rows: Vec<Json> = colliding(20_000).iter().map(|k| json!({"k": k})).collect();
    refused(source, json!({"rows": rows}));
    let same: Vec<Json> = vec![json!({"k": "done", "n": 1.5}); 100_000];
    assert_eq!(accepted(source, json!({"rows": same})), "1");
}

#[test]
fn decoders_refuse_values_of_one_hash() {
    let keys = colliding(2_000);
    let with = |expression: &str| format!("def f(s):\n    return len({expression})\ntool(f)");
    let document = object(&keys).to_string();
    refused(&with("json.decode(s)"), json!({"s": document}));
    refused(&with("yaml.decode(s)"), json!({"s": document}));
    let mut toml = String::new();
    for key in &keys {
        let _ = writeln!(toml, "{key} = 1");
    }
    refused(&with("toml.decode(s)"), json!({"s": toml}));
    let header = format!("{}\n{}", keys.join(","), "1,".repeat(1_999) + "1");
    refused(&with("csv.decode(s)"), json!({"s": header}));
    let query = format!("https://a.test/?{}=1", keys.join("=1&"));
    refused(&with("url.parse(s)"), json!({"s": query}));
    let words = keys.join(" ");
    refused(&with("re.find_all('[A-Za-z]+', s)"), json!({"s": words}));
    refused(&with("re.split(' ', s)"), json!({"s": words}));
    refused(&with("s.split(' ')"), json!({"s": words}));
    refused(&with("s.split()"), json!({"s": words}));
    refused(&with("s.rsplit(' ')"), json!({"s": words}));
    refused(&with("s.splitlines()"), json!({"s": keys.join("\n")}));
    refused(&with("{w: 1 for w in s.split(' ')}"), json!({"s": words}));
}

/// Small integers, which do not collide by themselves, whose pairs do.
fn colliding_pairs(count: i64) -> Vec<(i64, i64)> {
    let second = |first: i64| {
        let hash = first.cast_unsigned().wrapping_mul(0x517c_c1b7_2722_0a95);
        let low = u32::try_from(hash.rotate_left(5) & u64::from(u32::MAX)).unwrap();
        i64::from(low.cast_signed())
    };
    (1..=count).map(|first| (first, second(first))).collect()
}

#[test]
fn sets_and_dicts_of_computed_values_are_looked_at() {
    let tuples = "def f(v):\n    return len(set([(a, b) for a, b in v]))\ntool(f)";
    refused(tuples, json!({"v": colliding_pairs(1_000)}));
    assert_eq!(accepted(tuples, json!({"v": colliding_pairs(64)})), "64");
    let joined = "def f(n):\n    xs = []\n    for i in range(n):\n        xs.append(i << 32)\n    return len(set(xs))\ntool(f)";
    refused(joined, json!({"n": 1_000}));
    let pairs = "def f(n):\n    return len(dict([(i << 32, i) for i in range(n)]))\ntool(f)";
    refused(pairs, json!({"n": 1_000}));
    let update = "def f(n):\n    s = set()\n    s.update([i << 32 for i in range(n)])\n    return len(s)\ntool(f)";
    refused(update, json!({"n": 1_000}));
}

#[test]
fn ordinary_data_is_accepted() {
    let size = "def f(v):\n    return len(v)\ntool(f)";
    let numbered: Vec<String> = (0..10_000).map(|n| format!("EMP-{n:04}")).collect();
    assert_eq!(accepted(size, json!({"v": object(&numbered)})), "10000");
    assert_eq!(accepted(size, json!({"v": numbered})), "10000");
    let repeated = [numbered.as_slice(); 10].concat();
    assert_eq!(accepted(size, json!({"v": repeated})), "100000");
    let long: Vec<String> = (0..50_000).map(|n| format!("customer/{n:06}/order")).collect();
    assert_eq!(accepted(size, json!({"v": long})), "50000");
    let phones: Vec<u64> = (0..50_000).map(|n| 4_915_110_000_000 + n * 37).collect();
    assert_eq!(accepted(size, json!({"v": phones})), "50000");
    let ids: Vec<u64> = (0..100_000).map(|n| 3_000_000_000 + n).collect();
    assert_eq!(accepted(size, json!({"v": ids})), "100000");
    let times: Vec<u64> = (0..50_000).map(|n| 1_700_000_000_000 + n * 60_000).collect();
    assert_eq!(accepted(size, json!({"v": times})), "50000");
    let volumes: Vec<Json> =
        (0..500_u64).map(|n| json!({"name": format!("lv{n}"), "bytes": (n + 3) << 30})).collect();
    assert_eq!(accepted(size, json!({"v": volumes})), "500");
}

/// Attacks that hide among harmless values stay below what a dict compares in a moment.
#[test]
fn hidden_collisions_are_bounded_by_comparisons() {
    let mut values = colliding(10_000);
    values.extend((0..90_000).map(|n| format!("{n}-filler")));
    let source = "def f(v):\n    return len(v)\ntool(f)";
    refused(source, json!({"v": values}));
    // Few values, one of them looked up again and again.
    let few = colliding(1_300);
    let mut rows: Vec<Json> = few.iter().map(|key| json!({"k": key})).collect();
    rows.extend(vec![json!({"k": few[1_299]}); 20_000]);
    refused(source, json!({"v": rows}));
}
