//! Folders that are there, missing, links, and swapped for links.
#![expect(clippy::disallowed_methods, reason = "the tests own the folders they look at")]

use super::*;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// A folder `in` with a file, beside it `out` with another, and links from one to the other.
fn folders() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    for (file, text) in [("in/a", "inside"), ("out/a", "outside")] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), text).unwrap();
    }
    symlink(root.join("out"), root.join("in/folder")).unwrap();
    symlink(root.join("out/a"), root.join("in/file")).unwrap();
    (dir, root)
}

/// Both ways to open a folder give the same.
#[test]
fn folders_are_opened_without_links() {
    let (_dir, root) = folders();
    for (path, is_opened) in [
        ("", true),
        ("in", true),
        ("in/folder", false),
        ("in/folder/..", false),
        ("in/a", false),
        ("none", false),
    ] {
        let path = root.join(path);
        assert_eq!(open_without_links(&path).is_ok(), is_opened, "{}", path.display());
        assert_eq!(open_parts(&path).is_ok(), is_opened, "{}", path.display());
    }
    assert!(open_without_links(Path::new("/")).is_ok());
    assert!(open_parts(Path::new("/")).is_ok());
}

#[test]
fn files_are_opened_without_links() {
    let (_dir, root) = folders();
    assert!(open_file(&root.join("in/a")).is_ok());
    for link in ["in/file", "in/folder/a"] {
        let error = open_file(&root.join(link)).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(Errno::LOOP.raw_os_error()), "{link}");
    }
}

#[test]
fn an_open_folder_stays_what_it_was() {
    let (_dir, root) = folders();
    let folder = FolderHandle::open(&root.join("in")).unwrap();
    fs::rename(root.join("in"), root.join("moved")).unwrap();
    symlink(root.join("out"), root.join("in")).unwrap();
    folder.replace_file(OsStr::new("b"), b"new").unwrap();
    assert!(root.join("moved/b").exists() && !root.join("out/b").exists());
    let names: Vec<_> = folder.names().unwrap().into_iter().collect();
    assert!(names.contains(&("folder".into(), true)), "{names:?}");
    assert!(names.contains(&("a".into(), false)), "{names:?}");
}

#[test]
fn folders_are_created_beneath_the_one_that_exists() {
    let (_dir, root) = folders();
    FolderHandle::create(&root.join("in/x/y/z")).unwrap();
    FolderHandle::create(&root.join("in/x/y/z")).unwrap();
    assert!(root.join("in/x/y/z").is_dir());
    let refused = FolderHandle::create(&root.join("in/folder/x"));
    assert!(refused.is_err() && !root.join("out/x").exists());
    assert!(FolderHandle::create(&root.join("in/a/x")).is_err());
}

/// What a process of the same number has left behind is not touched.
#[test]
fn files_aside_do_not_collide() {
    let (_dir, root) = folders();
    let folder = FolderHandle::open(&root.join("in")).unwrap();
    let (_, first) = folder.create_aside(Mode::from_raw_mode(0o600)).unwrap();
    let number: u64 = first.to_str().unwrap().split(['-', '.']).nth(3).unwrap().parse().unwrap();
    let next = format!(".larkspur-{}-{}.new", std::process::id(), number + 1);
    fs::write(root.join("in").join(&next), "another's").unwrap();
    folder.replace_file(OsStr::new("a"), b"new").unwrap();
    assert_eq!(fs::read_to_string(root.join("in/a")).unwrap(), "new");
    assert_eq!(fs::read_to_string(root.join("in").join(next)).unwrap(), "another's");
}
