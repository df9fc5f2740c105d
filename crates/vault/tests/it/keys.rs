//! Where the key comes from, and what is said when it does not fit.

use crate::{TOKEN, sources, token, vault, with};
use model::Secret;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use vault::{KeyOrigin, KeySources};

const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const OTHER: &str = "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100";

fn by_variable(dir: &Path, key: &str) -> KeySources {
    KeySources { key: Some(Secret::new(key)), ..sources(dir) }
}

fn by_file(dir: &Path, file: &str) -> KeySources {
    KeySources { file: Some(dir.join(file)), ..sources(dir) }
}

fn by_passphrase(dir: &Path, words: &str) -> KeySources {
    KeySources { passphrase: Some(Secret::new(words)), ..sources(dir) }
}

fn write(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_first_secret_makes_a_key_if_nobody_gave_one() {
    let dir = tempfile::tempdir().unwrap();
    let usual = dir.path().join("config/vault.key");
    let made = vault(dir.path()).set(&TOKEN, "a").unwrap();
    assert_eq!(made, Some(KeyOrigin::File(usual.clone())));
    let about = fs::metadata(&usual).unwrap();
    assert_eq!(about.permissions().mode() & 0o777, 0o600);
    assert_eq!(vault(dir.path()).set(&TOKEN, "b").unwrap(), None);
    assert_eq!(token(&vault(dir.path())).unwrap(), "b");
    // Without it, the vault does not begin anew.
    fs::rename(&usual, dir.path().join("moved")).unwrap();
    let lost = vault(dir.path());
    let error = token(&lost).unwrap_err();
    assert!(error.starts_with("the key that the vault was sealed with (`"), "{error}");
    assert!(error.contains("bring back"), "{error}");
    let error = lost.set(&TOKEN, "c").unwrap_err().to_string();
    assert!(error.contains("is not found"), "{error}");
    assert!(!usual.exists());
    // With nothing left in it, it may.
    assert!(lost.remove(&TOKEN).unwrap());
    assert!(vault(dir.path()).set(&TOKEN, "d").unwrap().is_some());
    assert_eq!(token(&vault(dir.path())).unwrap(), "d");
}

#[test]
fn another_key_is_told_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let right = with(dir, by_variable(dir, HEX));
    assert_eq!(right.set(&TOKEN, "a").unwrap(), None);
    assert_eq!(token(&right).unwrap(), "a");
    let wrong = with(dir, by_variable(dir, OTHER));
    let error = token(&wrong).unwrap_err();
    let expected = "the vault was sealed with another key than the one in LARKSPUR_VAULT_KEY";
    assert!(error.starts_with(expected), "{error}");
    assert!(!error.contains(OTHER) && !error.contains(HEX), "{error}");
    for error in [
        wrong.set(&TOKEN, "b").unwrap_err().to_string(),
        wrong.check().unwrap_err().to_string(),
        wrong.export("words").unwrap_err().to_string(),
    ] {
        assert!(error.starts_with(expected), "{error}");
    }
    assert_eq!(token(&right).unwrap(), "a");
    let none = with(dir, by_variable(dir, "no key"));
    let error = token(&none).unwrap_err();
    assert!(error.starts_with("LARKSPUR_VAULT_KEY holds no key"), "{error}");
}

#[test]
fn a_variable_comes_before_a_file_and_a_file_before_a_passphrase() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(&dir.join("keys/a.key"), OTHER, 0o600);
    with(dir, by_variable(dir, HEX)).set(&TOKEN, "a").unwrap();
    let all = KeySources {
        key: Some(Secret::new(HEX)),
        file: Some(dir.join("keys/a.key")),
        passphrase: Some(Secret::new("words")),
        ..sources(dir)
    };
    assert_eq!(token(&with(dir, all.clone())).unwrap(), "a");
    let without = KeySources { key: None, ..all };
    let error = token(&with(dir, without)).unwrap_err();
    assert!(error.contains("the one in a.key"), "{error}");
}

#[test]
fn a_key_file_is_its_owners_and_lies_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let refused = |file: &str| {
        let set = with(dir, by_file(dir, file)).set(&TOKEN, "a");
        set.unwrap_err().to_string()
    };
    for mode in [0o640, 0o604, 0o660, 0o666] {
        write(&dir.join("keys/a.key"), HEX, mode);
        let path = dir.join("keys/a.key");
        let path = path.display();
        assert_eq!(
            refused("keys/a.key"),
            format!("{path} can be read by others; `chmod 600 {path}` mends it")
        );
    }
    write(&dir.join("data/a.key"), HEX, 0o600);
    let error = refused("data/a.key");
    assert!(error.contains("lies beside the database"), "{error}");
    std::os::unix::fs::symlink(dir.join("data"), dir.join("linked")).unwrap();
    let error = refused("linked/a.key");
    assert!(error.contains("lies beside the database"), "{error}");
    write(&dir.join("keys/a.key"), "not a key", 0o600);
    let error = refused("keys/a.key");
    assert!(error.contains("keys/a.key holds no key"), "{error}");
    write(&dir.join("keys/a.key"), HEX, 0o600);
    let good = with(dir, by_file(dir, "keys/a.key"));
    assert_eq!(good.set(&TOKEN, "a").unwrap(), None);
    assert_eq!(token(&good).unwrap(), "a");
    // One that was named and is not there is made by the first secret, and by nothing else.
    let other = tempfile::tempdir().unwrap();
    let other = other.path();
    let new = with(other, by_file(other, "keys/b.key"));
    assert!(token(&new).unwrap_err().contains("is not set"));
    assert!(!other.join("keys").exists());
    assert!(new.set(&TOKEN, "b").unwrap().is_some());
    assert_eq!(token(&with(other, by_file(other, "keys/b.key"))).unwrap(), "b");
}

#[test]
fn a_passphrase_opens_what_it_sealed() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let first = with(dir, by_passphrase(dir, "correct horse"));
    assert_eq!(first.set(&TOKEN, "a").unwrap(), None);
    assert_eq!(token(&with(dir, by_passphrase(dir, "correct horse"))).unwrap(), "a");
    let error = token(&with(dir, by_passphrase(dir, "wrong horse"))).unwrap_err();
    let expected =
        "the vault was sealed with another key than the one in LARKSPUR_VAULT_PASSPHRASE";
    assert!(error.starts_with(expected), "{error}");
    let error = token(&with(dir, by_variable(dir, HEX))).unwrap_err();
    assert!(error.contains("sealed with another key"), "{error}");
}
