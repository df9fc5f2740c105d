//! Owners of names over restarts, in several processes, and without a store that works.

#![expect(clippy::disallowed_methods, reason = "tests own their folders")]

use super::*;
use crate::catalog::tests::{lookup, module, names};
use crate::names::tests::serve;

fn server(folder: &std::path::Path) -> NameRecord {
    NameRecord::open(&Store::at(folder), true)
}

#[test]
fn a_restart_changes_no_owner() {
    let dir = tempfile::tempdir().unwrap();
    serve(&mut server(dir.path()), [module("two", &["same"])]);
    // The owner is gone when the newcomer comes.
    let catalog = serve(&mut server(dir.path()), [module("one", &["same", "a"])]);
    assert_eq!(names(&catalog), ["a"]);
    let help = catalog.unlisted[0].fault().help.unwrap();
    assert!(help.contains("larkspur list --release-name same"), "{help}");
    let both = || [module("one", &["same"]), module("two", &["same"])];
    assert_eq!(lookup(&serve(&mut server(dir.path()), both()), "same"), "two.same");
    // Commands know as much, and record nothing.
    let mut command = NameRecord::open(&Store::at(dir.path()), false);
    let catalog = serve(&mut command, [module("zoo", &["z"]), module("one", &["same"])]);
    assert_eq!(names(&catalog), ["z"]);
    let recorded = Store::at(dir.path()).names().unwrap();
    assert!(!recorded.iter().any(|(name, _)| name == "z"), "{recorded:?}");
    // A server that runs keeps the name; the next one finds it free.
    let mut running = server(dir.path());
    serve(&mut running, [module("two", &["same"])]);
    let owner = Store::at(dir.path()).release_name("same").unwrap();
    assert_eq!(owner.as_deref(), Some("two.same"));
    assert_eq!(names(&serve(&mut running, [module("one", &["same"])])), [""; 0]);
    let catalog = serve(&mut server(dir.path()), [module("one", &["same"])]);
    assert_eq!(lookup(&catalog, "same"), "one.same");
}

#[test]
fn of_two_processes_one_gets_a_name() {
    let dir = tempfile::tempdir().unwrap();
    let (mut first, mut second) = (server(dir.path()), server(dir.path()));
    serve(&mut first, [module("two", &["same"])]);
    let catalog = serve(&mut second, [module("one", &["same", "own"])]);
    assert_eq!(names(&catalog), ["own"]);
    let catalog = serve(&mut first, [module("two", &["same", "own"])]);
    assert_eq!(names(&catalog), ["same"]);
}

/// A file where the folder would be cannot be written, whoever runs the test.
#[test]
fn names_hold_without_a_store_until_the_server_ends() {
    let dir = tempfile::tempdir().unwrap();
    let blocked = dir.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    for (folder, content) in [(blocked, None), (dir.path().join("broken"), Some("no database"))] {
        if let Some(content) = content {
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("state.db"), content.repeat(1_000)).unwrap();
        }
        let mut record = server(&folder);
        serve(&mut record, [module("two", &["same"])]);
        let both = [module("one", &["same"]), module("two", &["same"])];
        assert_eq!(lookup(&serve(&mut record, both), "same"), "two.same");
        assert_eq!(names(&serve(&mut record, [module("one", &["same"])])), [""; 0]);
        assert_eq!(record.pending.len(), 1, "it is tried again with the next change");
    }
}

#[test]
fn rows_that_make_no_sense_own_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let rows = [("a", "no path"), ("b", ""), ("", "m.x")];
    let rows = rows.map(|(name, owner)| (name.to_owned(), owner.to_owned()));
    Store::at(dir.path()).claim_names(&rows).unwrap();
    let catalog = serve(&mut server(dir.path()), [module("m", &["a", "b"])]);
    assert_eq!(names(&catalog), ["a", "b"]);
}
