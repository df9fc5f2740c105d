//! Names: who owns one, for how long, and which of two processes gets it.

use crate::{assert_sound, raw};
use store::{MOST_NAMES, Store};

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    let all = all.iter();
    all.map(|(name, owner)| ((*name).to_owned(), (*owner).to_owned())).collect()
}

#[test]
fn a_name_stays_with_its_first_owner_until_it_is_released() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    assert_eq!(store.names().unwrap(), []);
    assert_eq!(store.release_name("x").unwrap(), None);
    assert!(!dir.path().join("state.db").exists());
    let first = pairs(&[("x", "a.x"), ("y", "a.y")]);
    assert_eq!(store.claim_names(&first).unwrap(), []);
    // Another process, which has another idea of who comes first.
    let other = Store::at(dir.path());
    let claims = pairs(&[("x", "b.x"), ("y", "a.y"), ("z", "b.z")]);
    let taken = other.claim_names(&claims).unwrap();
    assert_eq!(taken, pairs(&[("x", "a.x")]));
    let all = pairs(&[("x", "a.x"), ("y", "a.y"), ("z", "b.z")]);
    assert_eq!(Store::at(dir.path()).names().unwrap(), all);
    assert_eq!(store.release_name("x").unwrap().as_deref(), Some("a.x"));
    assert_eq!(store.release_name("x").unwrap(), None);
    assert_eq!(other.claim_names(&claims).unwrap(), []);
    assert_sound(dir.path());
}

#[test]
fn names_are_no_other_data() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    assert!(store.has_only_names().unwrap());
    store.claim_names(&pairs(&[("x", "a.x")])).unwrap();
    assert!(store.has_only_names().unwrap());
    store.put("m", "k", &1.into(), None).unwrap();
    assert!(!store.has_only_names().unwrap());
}

#[test]
fn there_is_room_for_so_many_names() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    store.claim_names(&pairs(&[("first", "a.first")])).unwrap();
    raw(dir.path())
        .execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
             INSERT INTO names SELECT 'n' || i, 'm.n' || i FROM n",
            [i64::try_from(MOST_NAMES - 2).unwrap()],
        )
        .unwrap();
    let more = pairs(&[("p", "a.p"), ("q", "a.q"), ("first", "b.first")]);
    let taken = store.claim_names(&more).unwrap();
    assert_eq!(taken, pairs(&[("first", "a.first")]));
    let names = store.names().unwrap();
    assert_eq!(names.len(), MOST_NAMES);
    assert!(names.iter().any(|(name, _)| name == "p"));
}
