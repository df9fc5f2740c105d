//! What goes in comes out, and a version names one write.

use serde_json::{Value, json};
use store::Store;

use crate::{assert_sound, value, version};

#[test]
fn any_json_comes_back_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    for text in [
        "null",
        "true",
        r#""""#,
        r#""a\u0000b ünï 🌱""#,
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "123456789012345678901234567890123456789012345678901234567890",
        "0.1000000000000000055511151231257827",
        "1.0",
        "-0",
        r#"{"z":[1,{"a":[[],{}]}],"b":null,"a":2.50}"#,
    ] {
        let given: Value = serde_json::from_str(text).unwrap();
        assert!(store.put("m", "k", &given, None).unwrap(), "{text}");
        let found = Store::at(dir.path()).get("m", "k").unwrap().unwrap();
        assert_eq!(found.value.to_string(), text);
    }
    assert_sound(dir.path());
}

#[test]
fn keys_are_any_text_and_belong_to_one_module() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let keys = ["a", "A", "ä", "a\u{308}", "日本/🌱", "a'b\"c;--", "a\0b", " "];
    for (number, key) in keys.iter().enumerate() {
        store.put("m", key, &json!(number), None).unwrap();
    }
    store.put("other", "a", &json!("theirs"), None).unwrap();
    for (number, key) in keys.iter().enumerate() {
        assert_eq!(value(&store, key), Some(json!(number)), "{key:?}");
    }
    let mut sorted = keys;
    sorted.sort_unstable();
    assert_eq!(store.list("m", "").unwrap(), sorted);
    assert_eq!(store.list("other", "").unwrap(), ["a"]);
    assert_sound(dir.path());
}

#[test]
fn a_prefix_is_taken_by_the_letter() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    for key in ["a%b", "a_b", "axb", "a", "b", "ab", "日本", "日", "月", "\u{10ffff}x"] {
        store.put("m", key, &json!(0), None).unwrap();
    }
    let check = |prefix, expected: &[&str]| {
        assert_eq!(store.list("m", prefix).unwrap(), expected, "{prefix}");
    };
    check("a", &["a", "a%b", "a_b", "ab", "axb"]);
    check("a%", &["a%b"]);
    check("a_", &["a_b"]);
    check("%", &[]);
    check("*", &[]);
    check("日", &["日", "日本"]);
    check("\u{10ffff}", &["\u{10ffff}x"]);
    check("c", &[]);
}

#[test]
fn delete_says_whether_something_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    store.put("m", "k", &json!(1), None).unwrap();
    assert!(!store.delete("other", "k").unwrap());
    assert!(store.delete("m", "k").unwrap());
    assert!(!store.delete("m", "k").unwrap());
    assert_eq!(store.get("m", "k").unwrap(), None);
    assert_sound(dir.path());
}

#[test]
fn a_write_that_expects_another_version_is_not_made() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let put = |number: u64, expected| store.put("m", "k", &json!(number), expected).unwrap();
    assert!(!put(1, Some(7)));
    assert!(put(2, Some(0)));
    assert!(!put(3, Some(0)));
    let second = version(&store, "k");
    assert!(put(4, Some(second)));
    assert!(!put(5, Some(second)));
    assert!(!put(6, Some(u64::MAX)));
    assert_eq!(value(&store, "k"), Some(json!(4)));
    assert!(put(7, None));
    assert_eq!(value(&store, "k"), Some(json!(7)));
}

#[test]
fn a_version_never_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut seen = Vec::new();
    for _ in 0..5 {
        let store = Store::at(dir.path());
        store.put("m", "k", &json!("same"), None).unwrap();
        seen.push(version(&store, "k"));
        store.delete("m", "k").unwrap();
        let old = *seen.last().unwrap();
        assert!(!store.put("m", "k", &json!("same"), Some(old)).unwrap());
        store.put("m", "k", &json!("same"), Some(0)).unwrap();
        seen.push(version(&store, "k"));
        assert!(!store.put("m", "k", &json!("same"), Some(old)).unwrap());
    }
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
}
