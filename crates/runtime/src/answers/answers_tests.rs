//! What is kept, for how long, and what goes.

use super::*;
use crate::closed::Closed;
use crate::{Runtime, Settings};
use model::{Args, Cache, Caller};

const HOUR: Duration = Duration::from_hours(1);

/// A runtime is the only one that makes modules.
fn with_module<T>(work: impl FnOnce(&Runtime) -> T) -> T {
    let room = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "tests own their folders")]
    std::fs::write(room.path().join("hub.star"), "def ping():\n    return 1\ntool(ping)\n")
        .unwrap();
    work(&Runtime::open(Settings { folders: vec![room.path().to_owned()], ..Settings::default() }))
}

fn key(runtime: &Runtime, what: &str, who: Option<&str>) -> Key {
    let catalog = runtime.catalog();
    let module = catalog.module("hub").unwrap();
    let cache = Cache { time: HOUR, public: who.is_none() };
    let who = caller(runtime, who.unwrap_or("ada"));
    let (what, shape) = (what.to_owned(), String::new());
    Key::new(module, what, &Args::new(), shape, &who, cache)
}

fn caller(runtime: &Runtime, name: &str) -> Who {
    Who::of(&Caller::named(name.to_owned()), &runtime.catalog())
}

fn text(runtime: &Runtime, answers: &Answers, key: &Key) -> Option<String> {
    match &answers.get(key, &caller(runtime, "cy"), &Closed)?.kept {
        Kept::Output(output) => Some(output.plain_text()),
        Kept::Read(_) => None,
    }
}

fn put(answers: &Answers, key: Key, text: &str, time: Duration) {
    let result = CachedResult { kept: Kept::Output(Output::text(text)), secrets: Vec::new() };
    answers.put(key, result, time);
}

#[test]
fn each_gets_his_own_again_while_it_is_young() {
    with_module(|runtime| {
        let answers = Answers::new(1 << 20);
        let (ada, bo) = (key(runtime, "a", Some("ada")), key(runtime, "a", Some("bo")));
        put(&answers, ada.clone(), "hers", HOUR);
        assert_eq!(text(runtime, &answers, &ada).as_deref(), Some("hers"));
        assert_eq!(text(runtime, &answers, &bo), None);
        put(&answers, bo.clone(), "gone", Duration::ZERO);
        assert_eq!(text(runtime, &answers, &bo), None);
        let counts = answers.counts();
        assert_eq!((counts.hits, counts.misses, counts.entries), (1, 2, 1));
        answers.forget(|key| key.what == "a");
        assert_eq!(answers.counts().bytes, 0);
    });
}

#[test]
fn what_nobody_asked_for_longest_goes_first_and_the_rest_is_bounded() {
    with_module(|runtime| {
        let answers = Answers::new(10 << 10);
        let keys: Vec<Key> =
            (0..100).map(|number| key(runtime, &number.to_string(), None)).collect();
        for (number, key) in keys.iter().enumerate() {
            put(&answers, key.clone(), &"x".repeat(500), HOUR);
            assert!(text(runtime, &answers, &keys[0]).is_some(), "lost after {number}");
            assert!(answers.counts().bytes <= 10 << 10);
        }
        assert!(
            text(runtime, &answers, &keys[1]).is_none()
                && text(runtime, &answers, &keys[99]).is_some()
        );
        assert!(answers.counts().evicted > 80);
        // One that would drive all others out is not kept.
        put(&answers, keys[5].clone(), &"x".repeat(2000), HOUR);
        assert!(text(runtime, &answers, &keys[5]).is_none());
    });
}
