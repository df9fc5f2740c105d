//! The folder and the file: made late, for the owner alone, and looked at anew after an error.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;
use store::{Store, StoreError};

use crate::{raw, value};

/// The error, with the folder's name left out.
fn check(folder: &Path, answer: Result<bool, StoreError>, expected: &str) {
    let said = answer.unwrap_err().to_string();
    assert_eq!(
        said.replace(&folder.display().to_string(), "DATA"),
        expected
    );
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn nothing_is_made_before_the_first_write() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("new/.larkspur");
    let store = Store::at(&folder);
    assert_eq!(store.get("m", "k").unwrap(), None);
    assert_eq!(store.list("m", "").unwrap(), [""; 0]);
    assert!(!store.delete("m", "k").unwrap());
    assert!(!store.put("m", "k", &json!(1), Some(3)).unwrap());
    assert!(fs::read_dir(dir.path()).unwrap().next().is_none());

    assert!(store.put("m", "k", &json!(1), None).unwrap());
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("state.db")), 0o600);
    assert_eq!(mode(&folder.join("state.db-wal")), 0o600);
    assert_eq!(
        fs::read_to_string(folder.join(".gitignore")).unwrap(),
        "*\n"
    );
}

#[test]
fn a_folder_in_use_is_not_hidden_from_git() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("mine"), "").unwrap();
    Store::at(dir.path())
        .put("m", "k", &json!(1), None)
        .unwrap();
    assert!(!dir.path().join(".gitignore").exists());
}

#[test]
fn a_newer_database_is_refused_until_it_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    Store::at(dir.path())
        .put("m", "k", &json!(1), None)
        .unwrap();
    raw(dir.path())
        .pragma_update(None, "user_version", 4)
        .unwrap();
    let store = Store::at(dir.path());
    check(
        dir.path(),
        store.put("m", "k", &json!(2), None),
        "`DATA/state.db` was written by a newer version (its schema is 4, this one knows up to 3): update, or use another data folder",
    );
    assert!(matches!(store.get("m", "k"), Err(StoreError::Newer { .. })));
    raw(dir.path())
        .pragma_update(None, "user_version", 3)
        .unwrap();
    assert_eq!(value(&store, "k"), Some(json!(1)));
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state.db");
    let text = "not a database, though long enough to be one; ".repeat(100);
    fs::write(&file, &text).unwrap();
    let store = Store::at(dir.path());
    check(
        dir.path(),
        store.put("m", "k", &json!(1), None),
        "`DATA/state.db` is not a database or is damaged (file is not a database): move it away to start afresh, or bring back a copy",
    );
    assert!(matches!(
        store.list("m", ""),
        Err(StoreError::Damaged { .. })
    ));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    fs::remove_file(&file).unwrap();
    assert!(store.put("m", "k", &json!(1), None).unwrap());
}

#[test]
fn damaged_pages_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    for number in 0..100 {
        let value = json!("x".repeat(1000));
        store.put("m", &format!("k{number}"), &value, None).unwrap();
    }
    drop(store);
    let file = dir.path().join("state.db");
    let mut bytes = fs::read(&file).unwrap();
    bytes[4096..].fill(0xAA);
    fs::write(&file, bytes).unwrap();
    let store = Store::at(dir.path());
    for _ in 0..2 {
        let answer = store.put("m", "k", &json!(1), None);
        assert!(
            matches!(answer, Err(StoreError::Damaged { .. })),
            "{answer:?}"
        );
        assert!(store.get("m", "k1").is_err() && store.list("m", "").is_err());
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("data");
    fs::write(&folder, "in the way").unwrap();
    let store = Store::at(&folder);
    check(
        &folder,
        store.put("m", "k", &json!(1), None),
        "cannot use `DATA/state.db` for data: Not a directory (os error 20)",
    );
    fs::remove_file(&folder).unwrap();
    fs::create_dir_all(folder.join("state.db")).unwrap();
    check(
        &folder,
        store.put("m", "k", &json!(1), None),
        "cannot use `DATA/state.db`: unable to open database file: DATA/state.db; may it be written, and is there room on its disk?",
    );
    fs::remove_dir(folder.join("state.db")).unwrap();
    assert!(store.put("m", "k", &json!(1), None).unwrap());
    assert_eq!(value(&store, "k"), Some(json!(1)));
}

#[test]
fn an_empty_file_is_a_database_to_be() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("state.db"), "").unwrap();
    let store = Store::at(dir.path());
    assert_eq!(store.get("m", "k").unwrap(), None);
    assert!(store.put("m", "k", &json!(1), Some(0)).unwrap());
}

#[test]
fn a_file_deleted_under_way_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("data");
    let store = Store::at(&folder);
    let other = Store::at(&folder);
    store.put("m", "old", &json!(1), None).unwrap();
    assert_eq!(value(&other, "old"), Some(json!(1)));

    // Its journals stay, and belong to nobody.
    fs::remove_file(folder.join("state.db")).unwrap();
    assert_eq!(store.list("m", "").unwrap(), [""; 0]);
    assert!(store.put("m", "new", &json!(2), None).unwrap());
    assert_eq!(other.list("m", "").unwrap(), ["new"]);

    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(other.get("m", "new").unwrap(), None);
    assert!(other.put("m", "again", &json!(3), None).unwrap());
    assert_eq!(store.list("m", "").unwrap(), ["again"]);
}
