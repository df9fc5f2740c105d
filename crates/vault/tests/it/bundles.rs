//! All secrets in one file, and back.

use crate::{TOKEN, of, reveal, vault};
use vault::Tokens;

#[test]
fn what_is_exported_is_imported_elsewhere() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (here, there) = (vault(here.path()), vault(there.path()));
    here.set(&TOKEN, "CANARY\nwith lines").unwrap();
    here.set(&of("ada"), "CANARY-ada").unwrap();
    let given = r#"{"token_url": "https://a.org/", "client_id": "i", "refresh_token": "CANARY-r",
                    "access_token": "CANARY-a"}"#;
    let tokens = store::Place { name: "login", ..TOKEN };
    here.set_tokens(&tokens, &Tokens::parse(given, 0).unwrap()).unwrap();
    let (text, number) = here.export("words").unwrap();
    assert_eq!(number, 3);
    assert!(!text.contains("CANARY") && !text.contains("ada"), "{text}");
    let kept = text.clone();

    for (text, words, expected) in [
        (text.as_str(), "other words", "the passphrase does not open this file"),
        ("{}", "words", "this is no file that `larkspur secret export` wrote"),
        (
            &text.replace("secrets 1", "secrets 9"),
            "words",
            "a format that this version does not know",
        ),
        (&text.replace("65536", "4294967295"), "words", "more memory or time"),
        (&text.replace("65536", "1024"), "words", "the passphrase does not open this file"),
    ] {
        let error = there.import(text, words, false).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(there.list().unwrap().is_empty());

    there.set(&of("ada"), "mine").unwrap();
    let imported = there.import(&kept, "words", false).unwrap();
    assert_eq!(imported.set, ["m.login", "m.token"]);
    assert_eq!(imported.left, ["m.token of ada"]);
    assert_eq!(reveal(&there, "token", "").unwrap(), "CANARY\nwith lines");
    assert_eq!(reveal(&there, "token", "ada").unwrap(), "mine");
    there.import(&kept, "words", true).unwrap();
    assert_eq!(reveal(&there, "token", "ada").unwrap(), "CANARY-ada");
    let kinds: Vec<String> = there.list().unwrap().into_iter().map(|kept| kept.kind).collect();
    assert_eq!(kinds, ["oauth2", "text", "text"]);
}
