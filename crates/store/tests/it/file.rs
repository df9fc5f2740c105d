//! The folder and the file: made late, for the owner alone, and looked at anew after an error.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;
use std::sync::Barrier;
use std::thread;
use store::{Store, StoreError, is_used, move_folder};

use crate::{raw, value};

/// The error, with the folder's name left out.
fn check(folder: &Path, answer: Result<bool, StoreError>, expected: &str) {
    let said = answer.unwrap_err().to_string();
    assert_eq!(said.replace(&folder.display().to_string(), "DATA"), expected);
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
    assert_eq!(fs::read_to_string(folder.join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn a_folder_in_use_is_not_hidden_from_git() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("mine"), "").unwrap();
    Store::at(dir.path()).put("m", "k", &json!(1), None).unwrap();
    assert!(!dir.path().join(".gitignore").exists());
}

#[test]
fn a_newer_database_is_refused_until_it_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    Store::at(dir.path()).put("m", "k", &json!(1), None).unwrap();
    raw(dir.path()).pragma_update(None, "user_version", 5).unwrap();
    let store = Store::at(dir.path());
    check(
        dir.path(),
        store.put("m", "k", &json!(2), None),
        "`DATA/state.db` was written by a newer version (its schema is 5, this one knows up to 4): update, or use another data folder",
    );
    assert!(matches!(store.get("m", "k"), Err(StoreError::Newer { .. })));
    raw(dir.path()).pragma_update(None, "user_version", 4).unwrap();
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
    assert!(matches!(store.list("m", ""), Err(StoreError::Damaged { .. })));
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
        assert!(matches!(answer, Err(StoreError::Damaged { .. })), "{answer:?}");
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
        "cannot use `DATA/state.db` for data: Not a directory (os error 20); make it writable, or name another folder: `data_dir` under [server] in larkspur.toml",
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
fn an_empty_or_foreign_file_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state.db");
    let store = Store::at(dir.path());
    let empty = "`DATA/state.db` has lost its data, or never had any: bring back a copy of it, or \
                 delete it to start afresh";
    fs::write(&file, "").unwrap();
    check(dir.path(), store.put("m", "k", &json!(1), Some(0)), empty);
    check(dir.path(), store.check().map(|()| true), empty);
    assert!(matches!(store.get("m", "k"), Err(StoreError::Empty { .. })));
    assert_eq!(fs::metadata(&file).unwrap().len(), 0);

    fs::remove_file(&file).unwrap();
    raw(dir.path()).execute_batch("VACUUM").unwrap();
    check(dir.path(), store.put("m", "k", &json!(1), None), empty);
    raw(dir.path()).execute_batch("CREATE TABLE mine (x)").unwrap();
    check(
        dir.path(),
        store.put("m", "k", &json!(1), None),
        "`DATA/state.db` is not a database of Larkspur: move it away, or use another data folder",
    );
    fs::remove_file(&file).unwrap();
    assert!(store.put("m", "k", &json!(1), Some(0)).unwrap());
}

#[test]
fn a_database_that_was_cut_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state.db");
    Store::at(dir.path()).put("m", "k", &json!(1), None).unwrap();
    let whole = fs::read(&file).unwrap();
    for length in [1, 15, 100, 511, 512, 4096, whole.len() - 4096] {
        fs::write(&file, &whole[..length]).unwrap();
        let store = Store::at(dir.path());
        for answer in [
            store.put("m", "k", &json!(2), None).map(drop),
            store.get("m", "k").map(drop),
            store.check(),
        ] {
            let is_refused =
                matches!(answer, Err(StoreError::Damaged { .. } | StoreError::Empty { .. }));
            assert!(is_refused, "{length} bytes: {answer:?}");
        }
        assert_eq!(fs::read(&file).unwrap(), &whole[..length]);
    }
}

#[test]
fn a_database_appears_whole() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("data");
    let file = folder.join("state.db");
    let is_seen_whole = || match fs::metadata(&file) {
        Ok(found) => found.len() > 0,
        Err(_) => true,
    };
    for _ in 0..20 {
        let both = Barrier::new(3);
        thread::scope(|scope| {
            for key in ["a", "b"] {
                let (both, folder) = (&both, &folder);
                scope.spawn(move || {
                    both.wait();
                    Store::at(folder).put("m", key, &json!(1), None).unwrap();
                });
            }
            both.wait();
            while !file.exists() {
                assert!(is_seen_whole(), "an empty file was seen");
            }
            assert!(is_seen_whole(), "an empty file was seen");
        });
        assert_eq!(Store::at(&folder).list("m", "").unwrap(), ["a", "b"]);
        let names = fs::read_dir(&folder).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let drafts: Vec<String> = names.filter(|name| name.contains(".new-")).collect();
        assert_eq!(drafts, [""; 0]);
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn a_data_folder_moves_while_nobody_uses_it() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old"), dir.path().join("new"));
    let store = Store::at(&old);
    store.put("m", "k", &json!(1), None).unwrap();
    fs::write(old.join("audit.jsonl"), "{}\n").unwrap();
    let refused = move_folder(&old, &new).unwrap_err();
    assert!(matches!(refused, StoreError::Busy { .. }), "{refused:?}");
    assert!(is_used(&old) && !is_used(&new));
    assert_eq!(value(&store, "k"), Some(json!(1)));
    drop(store);
    fs::create_dir(&new).unwrap();
    move_folder(&old, &new).unwrap();
    assert!(is_used(&new) && !old.exists());
    assert_eq!(value(&Store::at(&new), "k"), Some(json!(1)));
    assert_eq!(fs::read_to_string(new.join("audit.jsonl")).unwrap(), "{}\n");
    // What is there is not replaced.
    fs::create_dir(&old).unwrap();
    fs::write(old.join("audit.jsonl"), "other\n").unwrap();
    assert!(move_folder(&old, &new).is_err());
    assert!(is_used(&old));
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
