//! How much may be kept, and what is said to those who want more.

use std::fmt::Debug;

use serde_json::{Value, json};
use store::{KEYS_PER_MODULE, LARGEST_MODULE, LARGEST_VALUE, LONGEST_KEY, Store, StoreError};

use crate::{assert_sound, raw, value};

fn refused<T: Debug>(answer: Result<T, StoreError>, expected: &str) {
    assert_eq!(answer.unwrap_err().to_string(), expected);
}

/// A text that is this long as JSON.
fn text(bytes: usize) -> Value {
    Value::String("x".repeat(bytes - 2))
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(0), |inner, _| json!([inner]))
}

#[test]
fn a_key_has_1_to_512_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let longest = "ä".repeat(LONGEST_KEY / 2);
    assert!(store.put("m", &longest, &json!(1), None).unwrap());
    assert_eq!(value(&store, &longest), Some(json!(1)));

    let empty = "a key of 0 bytes; a key has 1 to 512";
    refused(store.put("m", "", &json!(1), None), empty);
    let long = "a key of 513 bytes; a key has 1 to 512";
    refused(store.get("m", &format!("{longest}x")), long);
    refused(store.delete("m", &format!("{longest}x")), long);
}

#[test]
fn a_value_has_a_largest_size_and_depth() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    assert!(store.put("m", "k", &text(LARGEST_VALUE), None).unwrap());
    refused(
        store.put("m", "k", &text(LARGEST_VALUE + 1), None),
        "the value of `k` has 262145 bytes as JSON; one value may have 262144",
    );
    assert_eq!(value(&store, "k"), Some(text(LARGEST_VALUE)));

    assert!(store.put("m", "k", &nested(127), None).unwrap());
    refused(
        store.put("m", "k", &nested(128), None),
        "the value of `k` could not be read back: recursion limit exceeded at line 1 column 128",
    );
    assert_eq!(value(&store, "k"), Some(nested(127)));
}

#[test]
fn a_module_has_a_largest_size() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    // Each of them takes the largest value's size, its key included.
    let whole = usize::try_from(LARGEST_MODULE).unwrap() / LARGEST_VALUE;
    for number in 0..whole {
        let key = format!("{number:04}");
        let value = text(LARGEST_VALUE - key.len());
        store.put("m", &key, &value, None).unwrap();
    }
    refused(
        store.put("m", "k", &json!(1), None),
        "module `m` would keep 16777218 bytes; one module may keep 16777216: delete something first",
    );
    assert_eq!(store.get("m", "k").unwrap(), None);
    assert!(store.put("other", "k", &json!(1), None).unwrap());
    assert!(store.put("m", "0000", &json!(1), None).unwrap());
    assert!(store.put("m", "k", &json!(1), None).unwrap());
    assert_sound(dir.path());
}

#[test]
fn a_module_has_a_largest_number_of_keys() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    store.put("m", "first", &json!(1), None).unwrap();
    // In one transaction, for the sake of time.
    let fill =
        "WITH RECURSIVE number(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < ?1)
                INSERT INTO state SELECT 'm', 'k' || n, '0', n FROM number";
    let keys = i64::try_from(KEYS_PER_MODULE).unwrap();
    raw(dir.path()).execute(fill, [keys]).unwrap();

    refused(
        store.put("m", "more", &json!(1), None),
        "module `m` would keep 10001 keys; one module may keep 10000: delete some first",
    );
    assert!(store.put("m", "first", &json!(2), None).unwrap());
    assert!(store.delete("m", "k2").unwrap());
    assert!(store.put("m", "more", &json!(1), None).unwrap());
    assert_eq!(store.list("m", "").unwrap().len() as u64, KEYS_PER_MODULE);
    assert_sound(dir.path());
}
