//! Another master key: begun, broken off, finished, and while others read.

use crate::{TOKEN, of, raw, reveal, sources, token, vault, with};
use model::Secret;
use store::Store;
use vault::{KeyOrigin, KeySources, NewKey, VaultError};

fn hex(digit: char) -> String {
    digit.to_string().repeat(64)
}

#[test]
fn all_is_sealed_anew_and_a_server_reads_on() {
    let dir = tempfile::tempdir().unwrap();
    let (server, other) = (vault(dir.path()), vault(dir.path()));
    let nothing = other.rotate(&NewKey::Made).unwrap_err().to_string();
    assert!(nothing.contains("nothing is sealed yet"), "{nothing}");
    for user in ["", "ada", "bob"] {
        other.set(&of(user), &format!("{user}'s")).unwrap();
    }
    assert_eq!(token(&server).unwrap(), "'s");
    let rotated = other.rotate(&NewKey::Made).unwrap();
    assert_eq!(rotated.secrets, 3);
    assert_ne!(rotated.old, rotated.new);
    let usual = dir.path().join("config/vault.key");
    assert_eq!(rotated.origin, Some(KeyOrigin::File(usual.clone())));
    for user in ["", "ada", "bob"] {
        let revealed = reveal(&server, "token", user).unwrap();
        assert_eq!(revealed, format!("{user}'s"));
    }
    let kids: Vec<String> = raw(dir.path())
        .prepare("SELECT DISTINCT kid FROM secrets UNION SELECT kid FROM vault_keys")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(kids, [rotated.new]);
    server.set(&TOKEN, "after").unwrap();
    assert_eq!(token(&other).unwrap(), "after");
    // The old key alone opens nothing.
    let text = std::fs::read_to_string(&usual).unwrap();
    let old =
        KeySources { key: Some(Secret::new(text.lines().next().unwrap())), ..sources(dir.path()) };
    assert!(token(&with(dir.path(), old)).unwrap_err().contains("another key"));
}

#[test]
fn other_vaults_with_the_same_key_file_stay_open() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        let data = dir.path().join(name);
        let sources = KeySources { data_dir: data.clone(), ..sources(dir.path()) };
        vault::Vault::new(Store::at(data), sources)
    };
    at("one").set(&TOKEN, "1").unwrap();
    at("two").set(&TOKEN, "2").unwrap();
    at("one").rotate(&NewKey::Made).unwrap();
    assert_eq!(token(&at("one")).unwrap(), "1");
    assert_eq!(token(&at("two")).unwrap(), "2");
}

#[test]
fn what_was_broken_off_opens_with_either_key_and_is_finished() {
    let dir = tempfile::tempdir().unwrap();
    let by = |digit| {
        let key = Some(Secret::new(hex(digit)));
        let sources = sources(dir.path());
        with(dir.path(), KeySources { key, ..sources })
    };
    let users = ["", "ada", "bob", "eve"];
    for user in users {
        by('1').set(&of(user), &format!("{user}'s")).unwrap();
    }
    // One row that does not open stops it half way.
    let spoil = "UPDATE secrets SET wrapped = zeroblob(73) WHERE owner = 'bob'";
    let before: Vec<u8> = raw(dir.path())
        .query_row("SELECT wrapped FROM secrets WHERE owner = 'bob'", [], |row| row.get(0))
        .unwrap();
    raw(dir.path()).execute_batch(spoil).unwrap();
    let to = NewKey::Variable(Secret::new(hex('2')));
    let error = by('1').rotate(&to).unwrap_err();
    assert!(matches!(error, VaultError::Format { .. }), "{error}");
    raw(dir.path())
        .execute("UPDATE secrets SET wrapped = ?1 WHERE owner = 'bob'", [&before])
        .unwrap();
    let number: i64 = raw(dir.path())
        .query_row("SELECT count(DISTINCT kid) FROM secrets", [], |row| row.get(0))
        .unwrap();
    assert_eq!(number, 2, "some with the old key, some with the new one");
    for digit in ['1', '2'] {
        for user in users {
            assert_eq!(reveal(&by(digit), "token", user).unwrap(), format!("{user}'s"));
        }
    }
    by('1').set(&of("new"), "new's").unwrap();
    assert_eq!(reveal(&by('2'), "token", "new").unwrap(), "new's");
    // Whichever key one has, it is finished; a third key has to wait.
    let finished = by('2').rotate(&NewKey::Variable(Secret::new(hex('3')))).unwrap();
    assert_eq!(finished.origin, None);
    assert!(reveal(&by('1'), "token", "ada").is_err());
    assert_eq!(reveal(&by('2'), "token", "ada").unwrap(), "ada's");
    let same = by('2').rotate(&NewKey::Variable(Secret::new(hex('2'))));
    assert!(same.unwrap_err().to_string().contains("already"));
}

#[test]
fn a_key_may_become_a_passphrase_and_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let by = |key: Option<&str>, file: Option<&str>, passphrase: Option<&str>| {
        let sources = KeySources {
            key: key.map(Secret::new),
            file: file.map(|file| dir.join(file)),
            passphrase: passphrase.map(Secret::new),
            ..sources(dir)
        };
        with(dir, sources)
    };
    let first = by(Some(&hex('1')), None, None);
    first.set(&TOKEN, "a").unwrap();
    let cannot = first.rotate(&NewKey::Made).unwrap_err().to_string();
    assert!(cannot.contains("LARKSPUR_VAULT_NEW_KEY"), "{cannot}");
    first.rotate(&NewKey::Passphrase(Secret::new("words"))).unwrap();
    let second = by(None, None, Some("words"));
    assert_eq!(token(&second).unwrap(), "a");
    let moved = second.rotate(&NewKey::File(dir.join("keys/new.key"))).unwrap();
    assert_eq!(moved.origin, Some(KeyOrigin::File(dir.join("keys/new.key"))));
    assert_eq!(token(&by(None, Some("keys/new.key"), None)).unwrap(), "a");
}
