//! Files whose loading never returns: they fail alone, and their threads are counted.

use super::*;
use expect_test::{Expect, expect};
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Blocks in `random` until the test opens it, and remembers which threads were abandoned.
struct Blocking {
    files: Files,
    host: Notebook,
    known: Option<&'static str>,
    abandoned: Mutex<Vec<String>>,
    ended: Mutex<Sender<()>>,
}

impl Blocking {
    fn new(files: &[(&'static str, &str)]) -> (Arc<Self>, Receiver<()>) {
        let (ended, ends) = channel();
        let files = files.iter().map(|(name, text)| (*name, (*text).to_owned()));
        let session = Self {
            files: Files(files.collect()),
            host: Notebook { barrier: Some(Barrier::new(2)), ..Notebook::default() },
            known: None,
            abandoned: Mutex::default(),
            ended: Mutex::new(ended),
        };
        (Arc::new(session), ends)
    }
}

impl LoadSession for Blocking {
    fn enter(&self, work: &mut dyn FnMut(&dyn Sources, &dyn Host)) {
        work(&self.files, &self.host);
    }

    fn stuck(&self, file: &FileId) -> Option<(Fault, BTreeSet<FileId>)> {
        let touched = || BTreeSet::from(["data.json".to_owned()]);
        let fault = || Fault::new(format!("{file} is known"));
        (self.known == Some(file)).then(|| (fault(), touched()))
    }

    fn abandoned(&self, file: &FileId, touched: &BTreeSet<FileId>, _fault: &Fault) {
        let mut abandoned = self.abandoned.lock().unwrap();
        abandoned.push(format!("{file} {touched:?}"));
    }

    fn ended(&self) {
        self.ended.lock().unwrap().send(()).unwrap();
    }
}

const STUCK: &str = "X = data.load_json('data.json')\nY = random.bytes(1)";

/// What became of each file, in one line.
fn outcomes(session: &Arc<Blocking>, files: &[&str]) -> String {
    let limits = Limits { time: Duration::from_millis(100), ..quick() };
    let files: Vec<FileId> = files.iter().map(|file| (*file).to_owned()).collect();
    let session = Arc::clone(session) as Arc<dyn LoadSession>;
    let loaded = Arc::new(Engine::new(limits)).load_all(&files, &session);
    let line = |loaded: &crate::LoadedFile| {
        let result = match &loaded.result {
            Ok(_) => "loads".to_owned(),
            Err(fault) => fault.message.clone(),
        };
        format!("{} {:?}: {result}", loaded.file, loaded.touched)
    };
    loaded.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(files: &[(&'static str, &str)], wanted: &[&str], expected: Expect, abandoned: &[&str]) {
    let (session, ends) = Blocking::new(files);
    expected.assert_eq(&outcomes(&session, wanted));
    assert_eq!(*session.abandoned.lock().unwrap(), abandoned);
    assert!(ends.try_recv().is_err());
    for _ in abandoned {
        session.host.barrier.as_ref().unwrap().wait();
    }
    for _ in abandoned {
        ends.recv_timeout(Duration::from_secs(30)).unwrap();
    }
}

#[test]
fn stuck_file_fails_alone() {
    check(
        &[
            ("a.star", "load('lib', 'L')\nX = L"),
            ("b.star", STUCK),
            ("c.star", "load('lib', 'L')\nX = L"),
            ("lib.star", "L = 1"),
        ],
        &["a.star", "b.star", "c.star"],
        expect![[r#"
            a.star {"a.star", "lib.star"}: loads
            b.star {"b.star", "data.json"}: b.star does not finish loading: it ignores its time limit of 100 ms (limit `timeout`), and its thread was abandoned
            c.star {"c.star", "lib.star"}: loads"#]],
        &[r#"b.star {"b.star", "data.json"}"#],
    );
}

/// The file that does not return is named, not the one that loads it; a change of either matters.
#[test]
fn stuck_library_is_named() {
    check(
        &[("a.star", "load('lib', 'Y')\nX = Y"), ("b.star", "X = 1"), ("lib.star", STUCK)],
        &["a.star", "b.star"],
        expect![[r#"
            a.star {"a.star", "data.json", "lib.star"}: lib.star does not finish loading: it ignores its time limit of 100 ms (limit `timeout`), and its thread was abandoned
            b.star {"b.star"}: loads"#]],
        &[r#"lib.star {"data.json", "lib.star"}"#],
    );
}

#[test]
fn known_stuck_file_is_not_evaluated_again() {
    let files = [("a.star", "load('lib', 'Y')\nX = Y"), ("lib.star", STUCK)];
    let (session, _ends) = Blocking::new(&files);
    let session =
        Arc::new(Blocking { known: Some("lib.star"), ..Arc::into_inner(session).unwrap() });
    expect![[r#"a.star {"a.star", "data.json", "lib.star"}: lib.star is known"#]]
        .assert_eq(&outcomes(&session, &["a.star"]));
}

/// The type checker does not end with a tuple that is put into itself in a loop.
#[test]
fn types_that_take_too_long_leave_other_checks_alone() {
    let limits = Limits { time: Duration::from_millis(500), ..quick() };
    let engine = Arc::new(Engine::new(limits));
    let hard = "def f():\n    x = ()\n    for i in range(40):\n        x = (x, x)\n    return y";
    let files = [("a.star", hard), ("b.star", "def g() -> int:\n    return 'a'")];
    let check = || {
        let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let line = |(name, faults): (String, Vec<Fault>)| {
            let faults = faults.iter().map(|fault| format!("{name}: {}", fault.message));
            faults.collect::<Vec<_>>().join("\n")
        };
        let checked = crate::check(&engine, files.to_vec());
        checked.into_iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let expected = expect![[r"
        a.star: Use of undefined variable `y`
        a.star: types were not checked: that takes longer than 500 ms
        b.star: Expected type `int` but got `str`"]];
    expected.assert_eq(&check());
    // It is known now: no further thread is lost.
    expected.assert_eq(&check());
}
