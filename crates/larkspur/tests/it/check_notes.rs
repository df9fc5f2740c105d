//! What `check` tells about a project as a whole, as `list` does.

use crate::fixture::greeting;
use crate::room::Room;

#[test]
fn settings_of_modules_that_do_not_exist_are_noted() {
    let room = Room::new();
    room.write("hello.star", &greeting("hello"));
    room.project("enable = ['hello', 'zz']\n[module.hell]\nrate = '1/s'\n");
    let checked = room.run(&["check"]);
    checked.exits(0);
    for note in [
        "note: larkspur.toml configures `hell`, which is not there; did you mean `hello`?",
        "note: larkspur.toml enables `zz`, which is not there",
    ] {
        assert!(checked.stderr.contains(note), "{checked:#?}");
    }
    let some = room.run(&["check", "modules/hello.star"]);
    assert!(!some.stderr.contains("is not there"), "{some:#?}");
}

/// Elsewhere, file systems do not take such names.
#[test]
#[cfg(target_os = "linux")]
fn names_that_are_not_utf8_are_noted() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let room = Room::new();
    room.write("hello.star", &greeting("hello"));
    std::fs::write(room.modules().join(OsStr::from_bytes(b"b\xff.star")), "").unwrap();
    std::fs::write(room.modules().join(OsStr::from_bytes(b"b\xff.txt")), "").unwrap();
    for command in ["check", "list"] {
        let ran = room.run(&[command]);
        let notes = ran.stderr.matches("b\u{fffd}.star is not served: its name is not UTF-8");
        assert_eq!(notes.count(), 1, "{command}: {ran:#?}");
        assert!(!ran.stderr.contains(".txt"), "{command}: {ran:#?}");
    }
}
