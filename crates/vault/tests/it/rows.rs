//! Rows: whose they are, when they are read anew, and what happens to those that somebody touched.

use crate::{TOKEN, of, raw, reveal, token, vault};
use std::fs;

const NOT_SET: &str =
    "the secret `token` of module `m` is not set; `larkspur secret set m.token` sets it";

#[test]
fn a_users_own_comes_before_the_servers() {
    let dir = tempfile::tempdir().unwrap();
    let vault = vault(dir.path());
    assert_eq!(token(&vault).unwrap_err(), NOT_SET);
    // Reading makes nothing, neither a key nor a database.
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    vault.set(&TOKEN, "everybody's").unwrap();
    vault.set(&of("ada"), "ada's").unwrap();
    let revealed = |user| reveal(&vault, "token", user).unwrap();
    assert_eq!(revealed(""), "everybody's");
    assert_eq!(revealed("ada"), "ada's");
    assert_eq!(revealed("bob"), "everybody's");
    assert!(vault.remove(&TOKEN).unwrap());
    assert!(!vault.remove(&TOKEN).unwrap());
    assert_eq!(revealed("ada"), "ada's");
    assert_eq!(
        reveal(&vault, "token", "bob").unwrap_err(),
        "the secret `token` of module `m` is not set; `larkspur secret set m.token` sets it for all, \
         `larkspur secret set m.token --user bob` for bob alone"
    );
}

#[test]
fn what_another_process_sets_is_read_without_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let (server, other) = (vault(dir.path()), vault(dir.path()));
    for value in ["first", "second", "third"] {
        other.set(&TOKEN, value).unwrap();
        assert_eq!(token(&server).unwrap(), value);
    }
    other.remove(&TOKEN).unwrap();
    assert_eq!(token(&server).unwrap_err(), NOT_SET);
    other.set(&TOKEN, "again").unwrap();
    assert_eq!(token(&server).unwrap(), "again");
}

#[test]
fn a_row_that_was_moved_changed_or_cut_off_does_not_open() {
    let moved = "UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE owner = 'ada'),
                 wrapped = (SELECT wrapped FROM secrets WHERE owner = 'ada')";
    let broken = "what is kept as `m.token of bob` does not open: it was changed, cut off or put in \
                  the place of another; set it again";
    for (change, expected) in [
        (
            "DELETE FROM secrets WHERE owner = 'bob';
             UPDATE secrets SET owner = 'bob' WHERE owner = 'ada'",
            broken,
        ),
        (moved, broken),
        (
            "UPDATE secrets SET version = (SELECT version FROM secrets WHERE owner = 'ada'),
             sealed = (SELECT sealed FROM secrets WHERE owner = 'ada'),
             wrapped = (SELECT wrapped FROM secrets WHERE owner = 'ada')",
            broken,
        ),
        ("UPDATE secrets SET sealed = substr(sealed, 1, 30)", broken),
        ("UPDATE secrets SET sealed = x''", broken),
        ("UPDATE secrets SET wrapped = substr(wrapped, 1, 1)", broken),
        ("UPDATE secrets SET wrapped = zeroblob(10)", "has the format 0"),
        (
            "UPDATE secrets SET sealed = CAST(x'02' || substr(sealed, 2) AS BLOB)",
            "what is kept as `m.token of bob` has the format 2, which this version does not know: update",
        ),
        (
            "UPDATE secrets SET kid = 'feedfeedfeedfeed'",
            "the vault was sealed with another key than the one in",
        ),
        ("UPDATE secrets SET kind = 'oauth2'", broken),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let vault = vault(dir.path());
        vault.set(&of("ada"), "ada's").unwrap();
        vault.set(&of("bob"), "bob's").unwrap();
        raw(dir.path()).execute_batch(change).unwrap();
        let error = reveal(&crate::vault(dir.path()), "token", "bob").unwrap_err();
        assert!(error.contains(expected), "{change}: {error}");
        // What can be mended is mended by setting it again.
        vault.set(&of("bob"), "new").unwrap();
        assert_eq!(reveal(&vault, "token", "bob").unwrap(), "new", "{change}");
    }
}

#[test]
fn the_file_holds_no_value_and_no_key() {
    let dir = tempfile::tempdir().unwrap();
    let vault = vault(dir.path());
    for number in 0..50 {
        let place = store::Place { name: &format!("n{number}"), ..TOKEN };
        vault.set(&place, "CANARY-5d1c-value").unwrap();
    }
    let key = fs::read_to_string(dir.path().join("config/vault.key")).unwrap();
    for file in ["state.db", "state.db-wal"] {
        let bytes = fs::read(dir.path().join("data").join(file)).unwrap();
        let holds = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
        assert!(!holds(b"CANARY"), "{file}");
        assert!(!holds(key.trim().as_bytes()), "{file}");
        assert!(holds(b"n49") || file == "state.db");
    }
}
