//! The store on a real disk: what is kept, what is refused, and what survives.
#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests own their folders and their processes")]

mod audit;
mod file;
mod keep;
mod kill;
mod limits;
mod names;
mod secrets;
mod tasks;
mod together;

use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;
use store::Store;

/// The value alone.
fn value(store: &Store, key: &str) -> Option<Value> {
    store.get("m", key).unwrap().map(|stored| stored.value)
}

/// What is there now; 0 if nothing is.
fn version(store: &Store, key: &str) -> u64 {
    store.get("m", key).unwrap().map_or(0, |stored| stored.version)
}

/// The database behind the store's back.
fn raw(folder: &Path) -> Connection {
    Connection::open(folder.join("state.db")).unwrap()
}

/// The pages are whole, and what was counted on the way is what is there.
fn assert_sound(folder: &Path) {
    let raw = raw(folder);
    let found: String = raw.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(found, "ok");
    let off: i64 = raw
        .query_row(
            "SELECT count(*) FROM usage WHERE (keys, bytes) IS NOT
             (SELECT count(*), coalesce(sum(octet_length(key) + octet_length(value)), 0)
              FROM state WHERE state.module = usage.module)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(off, 0, "modules whose usage was miscounted");
}
