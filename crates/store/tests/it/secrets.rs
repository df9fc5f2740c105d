//! Sealed secrets: whose they are, which write they are of, who renews them, and under which key.

use serde_json::json;
use store::{Place, Sealed, Store, VaultKey, Wrote};

use crate::{assert_sound, raw};

const PLACE: Place<'_> = Place { module: "m", name: "token", owner: "ada" };

fn key(kid: &str) -> VaultKey {
    VaultKey { kid: kid.into(), is_next: false, salt: None, proof: vec![1], link: None }
}

fn sealed(kid: &str) -> Sealed {
    Sealed { kid: kid.into(), wrapped: vec![2], text: vec![3] }
}

fn put(store: &Store, kid: &str, expected: Option<u64>) -> Wrote {
    let wrote = store.put_secret(&PLACE, "text", 5, expected, |_| sealed(kid));
    wrote.unwrap()
}

#[test]
fn a_write_names_its_version_and_may_expect_one() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    assert_eq!(store.secret(&PLACE).unwrap(), None);
    assert!(!dir.path().join("state.db").exists());
    assert_eq!(put(&store, "a", None), Wrote::OtherKey);
    assert!(store.begin_vault(&key("a")).unwrap());
    assert!(!store.begin_vault(&key("b")).unwrap());
    assert_eq!(put(&store, "b", None), Wrote::OtherKey);
    assert_eq!(put(&store, "a", Some(7)), Wrote::Stale);
    assert_eq!(put(&store, "a", Some(0)), Wrote::Done);
    assert_eq!(put(&store, "a", Some(0)), Wrote::Stale);
    let first = store.secret_version(&PLACE).unwrap().unwrap();
    let mut told = 0;
    let seal = |version| {
        told = version;
        sealed("a")
    };
    let wrote = store.put_secret(&PLACE, "text", 5, Some(first), seal);
    assert_eq!(wrote.unwrap(), Wrote::Done);
    assert!(told > first);
    let row = Store::at(dir.path()).secret(&PLACE).unwrap().unwrap();
    assert_eq!((row.place(), row.version, &row.sealed), (PLACE, told, &sealed("a")));
    // A version that went does not come again.
    assert!(store.delete_secret(&PLACE).unwrap());
    store.begin_vault(&key("a")).unwrap();
    put(&store, "a", None);
    assert!(store.secret_version(&PLACE).unwrap().unwrap() > told);
    assert!(store.has_secret("m", "token").unwrap());
    assert!(!store.has_secret("m", "other").unwrap());
    assert_sound(dir.path());
}

#[test]
fn one_at_a_time_renews() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    store.begin_vault(&key("a")).unwrap();
    put(&store, "a", None);
    let version = store.secret_version(&PLACE).unwrap().unwrap();
    let lease = |version: u64, holder: &str, now: i64| {
        let leased = store.lease_secret(&PLACE, version, holder, [now, now + 10]);
        leased.unwrap()
    };
    assert!(!lease(version + 1, "x", 0));
    assert!(lease(version, "x", 0));
    assert!(!lease(version, "y", 9));
    assert!(lease(version, "y", 10), "a lease ends");
    store.release_secret(&PLACE, "x").unwrap();
    assert!(!lease(version, "z", 11), "only who has it gives it back");
    store.release_secret(&PLACE, "y").unwrap();
    assert!(lease(version, "z", 11));
    // What is written anew is nobody's.
    put(&store, "a", None);
    let version = store.secret_version(&PLACE).unwrap().unwrap();
    assert!(lease(version, "x", 11));
}

#[test]
fn a_key_is_forgotten_when_nothing_is_sealed_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    store.begin_vault(&key("a")).unwrap();
    put(&store, "a", None);
    let version = store.secret_version(&PLACE).unwrap().unwrap();
    let next = VaultKey { is_next: true, ..key("b") };
    assert!(!store.begin_rotation("c", &[9], &next).unwrap());
    assert!(store.begin_rotation("a", &[9], &next).unwrap());
    assert!(!store.begin_rotation("a", &[9], &next).unwrap());
    let kids = |store: &Store| -> Vec<String> {
        let keys = store.vault_keys().unwrap().into_iter();
        keys.map(|key| key.kid).collect()
    };
    assert_eq!(kids(&store), ["a", "b"]);
    assert!(!store.end_rotation("a").unwrap());
    let rewrap = |version| store.rewrap_secret(&PLACE, version, ["a", "b"], &[8]);
    rewrap(version + 1).unwrap();
    assert_eq!(store.secrets_under("a", 9).unwrap().len(), 1);
    rewrap(version).unwrap();
    assert_eq!(store.secrets_under("a", 9).unwrap().len(), 0);
    assert!(store.end_rotation("a").unwrap());
    assert_eq!(kids(&store), ["b"]);
    assert_eq!(store.secret_version(&PLACE).unwrap(), Some(version));
    store.delete_secret(&PLACE).unwrap();
    assert_eq!(kids(&store), [""; 0]);
}

#[test]
fn a_database_from_before_there_was_a_vault_is_used_on() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    store.put("m", "k", &json!(1), None).unwrap();
    raw(dir.path())
        .execute_batch(
            "DROP TABLE secrets; DROP TABLE vault_keys; DROP TABLE names; PRAGMA user_version = 2",
        )
        .unwrap();
    let store = Store::at(dir.path());
    assert_eq!(store.secrets().unwrap(), []);
    store.begin_vault(&key("a")).unwrap();
    assert_eq!(put(&store, "a", None), Wrote::Done);
    assert_eq!(crate::value(&store, "k"), Some(json!(1)));
}
