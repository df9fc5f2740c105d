//! Several stores over one file.

use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};
use store::Store;

use crate::{assert_sound, value};

/// Adds one to the number, however often others are quicker.
fn increment(store: &Store) {
    loop {
        let found = store.get("m", "count").unwrap();
        let version = found.as_ref().map_or(0, |found| found.version);
        let number = found.as_ref().and_then(|found| found.value.as_u64());
        let next = json!(number.unwrap_or(0) + 1);
        if store.put("m", "count", &next, Some(version)).unwrap() {
            return;
        }
    }
}

#[test]
fn no_increment_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let stores = [Store::at(dir.path()), Store::at(dir.path())];
    thread::scope(|scope| {
        for number in 0..8 {
            let store = stores[number % 2].clone();
            scope.spawn(move || (0..500).for_each(|_| increment(&store)));
        }
    });
    assert_eq!(value(&stores[0], "count"), Some(json!(4000)));
    assert_eq!(value(&stores[1], "count"), Some(json!(4000)));
    assert_sound(dir.path());
}

#[test]
fn many_may_be_the_first() {
    for _ in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("data");
        let start = Barrier::new(8);
        thread::scope(|scope| {
            for number in 0..8 {
                let (store, start) = (Store::at(&folder), &start);
                scope.spawn(move || {
                    start.wait();
                    store.put("m", &format!("k{number}"), &Value::Null, Some(0)).unwrap();
                });
            }
        });
        assert_eq!(Store::at(&folder).list("m", "").unwrap().len(), 8);
    }
}
