//! `hash` against the vectors that the algorithms were published with.

use super::*;
use model::Stop;
use std::time::Instant;

#[track_caller]
fn check(expression: &str, x: &str, expected: &str) {
    let got = eval(expression, json!(x));
    assert_eq!(got.as_deref(), Ok(expected), "{expression} of {x:?}");
}

/// FIPS 180-4's examples.
#[test]
fn sha2() {
    for (text, expected) in [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
    ] {
        check("hash.sha256(x)", text, expected);
    }
    check(
        "hash.sha512(x)",
        "abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
         2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    );
}

/// FIPS 180-4 and RFC 1321.
#[test]
fn the_old_ones() {
    for (text, sha1, md5) in [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "d41d8cd98f00b204e9800998ecf8427e"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d", "900150983cd24fb0d6963f7d28e17f72"),
    ] {
        check("hash.sha1(x)", text, sha1);
        check("hash.md5(x)", text, md5);
    }
}

/// RFC 4231, cases 1 and 2; a key of more than one block is hashed first.
#[test]
fn hmac() {
    check(
        "hash.hmac_sha256('\\x0b' * 20, x)",
        "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    );
    check(
        "hash.hmac_sha256('Jefe', x)",
        "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
    check(
        "hash.hmac_sha256('k' * 131, x)",
        "x",
        "5e7df641fef282dee7244c5dd15b5bd8cf84ca3483ca5685fc31cef5dd361622",
    );
}

/// A million times `a` is more than is taken in at once, and more than a trial may touch.
#[test]
fn long_texts_are_taken_in_by_pieces() {
    for (expression, expected) in [
        (
            "hash.sha256(x * 1000000)",
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        ),
        ("hash.sha1(x * 1000000)", "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        ("hash.md5(x * 1000000)", "7707d6ae4e027c70eea2a935c2296f21"),
    ] {
        check(expression, "a", expected);
    }
}

#[test]
fn text_counts_by_its_utf8() {
    check(
        "hash.sha256(x)",
        "grüße",
        "8285d1ad84c6b6e475d3b50dbf90389c8c7a07a278d9ae46d5698cbe872e3834",
    );
}

/// What Starlark's specification calls `hash` is still there.
#[test]
fn the_built_in_function_stays() {
    check("hash(x)", "abc", "96354");
    check("hash(x)", "grüße", "98768023");
}

#[test]
fn only_text_has_a_digest() {
    for call in ["hash(x)", "hash.sha256(x)", "hash.hmac_sha256(x, 'a')"] {
        let error = eval(call, json!([1])).unwrap_err();
        assert!(error.contains("expected `str`, actual `list"), "{error}");
    }
}

fn call_within(time: Duration, trial: bool, expression: &str) -> CallFailure {
    let source = format!("BIG = 'a' * 8000000\ndef f():\n    return {expression}\ntool(f)");
    let script = load(&source).unwrap();
    let limits = Limits { time, ..quick() };
    let host = Notebook::default();
    let turn = Turn { trial, ..Turn::new(&host, &limits) };
    let called = script.call(&script.tools[0], &Args::new(), &turn);
    called.unwrap_err()
}

#[test]
fn the_deadline_holds_inside_one_digest() {
    let started = Instant::now();
    for call in ["hash.sha512(BIG)", "hash.hmac_sha256('key', BIG)"] {
        let hundreds = format!("[{call} for i in range(900)]");
        let failure = call_within(Duration::from_millis(20), false, &hundreds);
        let stop = match failure {
            CallFailure::Stopped { stop, .. } => stop,
            other => panic!("{call}: {other:?}"),
        };
        assert_eq!(stop, Stop::Deadline, "{call}");
    }
    let took = started.elapsed();
    assert!(took < Duration::from_secs(10), "took {took:?}");
}

#[test]
fn a_long_text_or_key_ends_a_trial() {
    for call in ["hash.md5(BIG)", "hash.hmac_sha256(BIG, 'x')"] {
        let failure = call_within(Duration::from_secs(20), true, call);
        assert!(matches!(failure, CallFailure::NeedsThread), "{failure:?}");
    }
}
