//! Lines that are added: whole, in order, by several at once, and put aside when there are many.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;

use store::{AuditFile, AuditReader};

fn lines(path: &Path) -> Vec<String> {
    let mut reader = AuditReader::open(path).unwrap();
    let mut all = Vec::new();
    while let Some(line) = reader.line().unwrap() {
        all.push(line);
    }
    all
}

fn add(file: &mut AuditFile, text: &str) {
    let (written, result) = file.add(text.as_bytes());
    result.unwrap();
    assert_eq!(written, text.len());
}

#[test]
fn a_file_is_made_with_its_first_line_and_is_for_its_owner() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("deep/audit.jsonl");
    let mut file = AuditFile::new(path.clone(), 1 << 20, 5);
    assert!(AuditReader::open(&path).is_none());
    add(&mut file, "one\n");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    assert_eq!(lines(&path), ["one"]);
    // A folder that is made for it is hidden from git, and one that is there is not.
    let ignored = path.with_file_name(".gitignore");
    assert_eq!(fs::read_to_string(ignored).unwrap(), "*\n");
    let path = room.path().join("audit.jsonl");
    add(&mut AuditFile::new(path.clone(), 1 << 20, 5), "two\n");
    assert!(!path.with_file_name(".gitignore").exists());
}

#[test]
fn a_file_that_has_grown_is_put_aside_and_so_many_are_kept() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("a");
    let mut file = AuditFile::new(path.clone(), 10, 2);
    for number in 1..=9 {
        add(&mut file, &format!("{number}xxx\n"));
    }
    assert_eq!(lines(&path), ["5xxx", "6xxx", "7xxx", "8xxx", "9xxx"]);
    assert!(!room.path().join("a.3").exists());
    // A piece that is larger than a file may be has one of its own.
    add(&mut file, "a piece of many bytes\n");
    assert_eq!(lines(&path), ["7xxx", "8xxx", "9xxx", "a piece of many bytes"]);
}

#[test]
fn a_torn_line_is_ended_and_passed_over() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("a");
    fs::write(&path, "one\ntorn").unwrap();
    assert_eq!(lines(&path), ["one"]);
    add(&mut AuditFile::new(path.clone(), 1 << 20, 5), "two\n");
    assert_eq!(lines(&path), ["one", "torn", "two"]);
}

#[test]
fn a_full_disk_loses_nothing_that_was_there() {
    let full = Path::new("/dev/full");
    let (written, result) = AuditFile::new(full.into(), 1 << 20, 5).add(b"one\n");
    assert_eq!(written, 0);
    assert_eq!(result.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
}

#[test]
fn what_comes_is_read_on_through_files_that_are_put_aside() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("a");
    let mut file = AuditFile::new(path.clone(), 10, 2);
    add(&mut file, "one\n");
    let mut reader = AuditReader::open(&path).unwrap();
    for word in ["one", "two", "six", "ten", "add"] {
        if word != "one" {
            assert_eq!(reader.line().unwrap(), None);
            add(&mut file, &format!("{word}\n"));
        }
        assert_eq!(reader.line().unwrap().as_deref(), Some(word));
    }
    assert!(room.path().join("a.1").exists());
}

/// Each with a file of its own, as processes have: a lock is the file's, not the process's.
#[test]
fn several_add_to_one_file() {
    const EACH: usize = 500;
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("a");
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let mut file = AuditFile::new(path.clone(), 8 << 10, 100);
            thread::spawn(move || {
                for number in 0..EACH {
                    add(&mut file, &format!("{writer} {number:030}\n"));
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let all = lines(&path);
    assert_eq!(all.len(), 4 * EACH);
    for writer in 0..4 {
        let own = all.iter().filter(|line| line.starts_with(&format!("{writer} ")));
        let expected = (0..EACH).map(|number| format!("{writer} {number:030}"));
        assert!(own.cloned().eq(expected), "{writer} is out of order");
    }
    assert!(room.path().join("a.5").exists());
}
