//! Files that modules were granted. The paths are those that were judged, free of links and `..`: what
//! is found there by now is opened, and nothing that a new link leads to.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the room for files that scripts read and write"
)]

use model::{HostError, show_size};
use rustix::io::Errno;
use sandbox::FolderHandle;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

pub(crate) fn read(path: &Path, most: usize) -> Result<String, HostError> {
    let mut bytes = Vec::new();
    let most_and_one = (most as u64).saturating_add(1);
    let read =
        sandbox::open_file(path).and_then(|file| file.take(most_and_one).read_to_end(&mut bytes));
    read.map_err(|error| failed(path, &error))?;
    if bytes.len() > most {
        return Err(too_long(path, most));
    }
    String::from_utf8(bytes).map_err(|_| failed(path, &ErrorKind::InvalidData.into()))
}

pub(crate) fn list(path: &Path) -> Result<Vec<String>, HostError> {
    let names = FolderHandle::open(path).and_then(|folder| folder.names());
    let names = names.map_err(|error| failed(path, &error))?.into_iter();
    let mut names: Vec<String> = names
        .filter_map(|(name, is_folder)| {
            let name = name.into_string().ok()?;
            Some(if is_folder { format!("{name}/") } else { name })
        })
        .collect();
    names.sort();
    Ok(names)
}

pub(crate) fn exists(path: &Path) -> Result<bool, HostError> {
    // The root is in no folder.
    if path.parent().is_none() {
        return Ok(true);
    }
    let found = FolderHandle::with_name(path).and_then(|(folder, name)| folder.has(name));
    match found {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        found => found.map_err(|error| failed(path, &error)),
    }
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), HostError> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(failed(path, &ErrorKind::IsADirectory.into()));
    };
    let written =
        FolderHandle::create(folder).and_then(|folder| folder.replace_file(name, text.as_bytes()));
    written.map_err(|error| failed(path, &error))
}

/// Names the whole path: callers read the one that the module wrote instead.
fn failed(path: &Path, error: &io::Error) -> HostError {
    let why = match error.kind() {
        _ if Errno::from_io_error(error) == Some(Errno::LOOP) => {
            "a link was put into its path meanwhile; try again".into()
        }
        ErrorKind::NotFound => "there is no such file".into(),
        ErrorKind::InvalidData => "it is not UTF-8 text".into(),
        _ => error.to_string(),
    };
    HostError(format!("{}: {why}", path.display()))
}

fn too_long(path: &Path, most: usize) -> HostError {
    let most = show_size(most);
    HostError(format!("{}: it is longer than {most} (limit `file_bytes`)", path.display()))
}

/// Links and `..` are followed as far as the path exists; what does not exist yet is added as it is.
pub(crate) fn real_path(path: &Path) -> Result<PathBuf, HostError> {
    let absolute = std::path::absolute(path).map_err(|error| failed(path, &error))?;
    let mut real = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                real.pop();
            }
            part => {
                real.push(part);
                match fs::canonicalize(&real) {
                    Ok(followed) => real = followed,
                    // What is made there would be made where it leads.
                    Err(_) if real.is_symlink() => {
                        let name = real.display();
                        return Err(HostError(format!("{name}: it is a link that leads nowhere")));
                    }
                    Err(_) => {}
                }
            }
        }
    }
    Ok(real)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode};
    use std::collections::BTreeSet;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    #[test]
    fn links_and_dots_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir(root.join("in")).unwrap();
        fs::write(root.join("secret"), "x").unwrap();
        symlink(root.join("secret"), root.join("in/link")).unwrap();
        let check = |given: &str, expected: &str| {
            assert_eq!(real_path(&root.join(given)).unwrap(), root.join(expected));
        };
        check("in/link", "secret");
        check("in/../secret", "secret");
        check("in/new/file", "in/new/file");
        check("in/new/../../secret", "secret");
        symlink(root.join("gone"), root.join("in/lost")).unwrap();
        for lost in ["in/lost", "in/lost/file"] {
            let HostError(why) = real_path(&root.join(lost)).unwrap_err();
            assert!(why.ends_with("in/lost: it is a link that leads nowhere"), "{why}");
        }
    }

    /// A file and a folder of the path are swapped for links that lead out, while it is judged and read.
    #[test]
    #[cfg(target_os = "linux")]
    fn links_swapped_meanwhile_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        for (file, text) in [("in/sub/a", "inside"), ("in/a", "inside"), ("out/a", "outside")] {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), text).unwrap();
        }
        symlink(root.join("out"), root.join("in/.sub")).unwrap();
        symlink(root.join("out/a"), root.join("in/.a")).unwrap();
        let folder = fs::File::open(root.join("in")).unwrap();
        let (is_done, swaps) = (AtomicBool::default(), AtomicUsize::default());
        let swap = |one: &str, other: &str| {
            let how = rustix::fs::RenameFlags::EXCHANGE;
            rustix::fs::renameat_with(&folder, one, &folder, other, how).unwrap();
            swaps.fetch_add(1, Ordering::Relaxed);
        };
        let mut seen = BTreeSet::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    swap("sub", ".sub");
                    swap("a", ".a");
                }
            });
            for number in 0..10_000 {
                let asked = root.join(["in/sub/a", "in/a"][number % 2]);
                let Ok(judged) = real_path(&asked) else {
                    continue;
                };
                if !judged.starts_with(root.join("in")) {
                    continue;
                }
                seen.extend(read(&judged, 100));
                // Written into the folder that was judged, or not at all.
                let _ = write(&judged.with_file_name("b"), "new");
            }
            is_done.store(true, Ordering::Relaxed);
        });
        assert!(swaps.load(Ordering::Relaxed) > 0);
        assert_eq!(seen, BTreeSet::from(["inside".into()]));
        assert!(!root.join("out/b").exists());
    }

    #[test]
    fn a_file_is_written_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(dir.path()).unwrap().join("a/b.txt");
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(read(&path, 3), Ok("two".into()));
        assert_eq!(list(dir.path()), Ok(vec!["a/".into()]));
        assert_eq!(list(&dir.path().join("a")), Ok(vec!["b.txt".into()]));
        let missing = dir.path().join("c");
        let why = format!("{}: there is no such file", missing.display());
        assert_eq!(read(&missing, 3), Err(HostError(why)));
    }

    #[test]
    fn only_regular_files_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        let pipe = Mode::from_raw_mode(0o666);
        rustix::fs::mknodat(CWD, root.join("pipe"), FileType::Fifo, pipe, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
        fs::create_dir(root.join("folder")).unwrap();
        for (path, why) in [
            (root.join("pipe"), "it is not a regular file"),
            (root.join("socket"), "it is not a regular file"),
            ("/dev/zero".into(), "it is not a regular file"),
            (root.join("folder"), "it is a folder"),
            ("/".into(), "it is a folder"),
        ] {
            let why = format!("{}: {why}", path.display());
            assert_eq!(read(&path, 100), Err(HostError(why.clone())));
            assert_eq!(exists(&path), Ok(true), "{why}");
            if path.starts_with(&root) {
                assert_eq!(write(&path, "new"), Err(HostError(why)));
            }
        }
        assert_eq!(exists(&root.join("none/file")), Ok(false));
        assert_eq!(exists(&root.join("pipe/file")), Ok(false));
        let names = ["folder/", "pipe", "socket"].map(String::from);
        assert_eq!(list(&root), Ok(names.to_vec()));
    }

    #[test]
    fn a_file_stays_as_private_as_it_was() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(dir.path()).unwrap().join("key");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        write(&path, "new").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    /// A hard link is a file of the folder it is in; writing leaves the other name alone.
    #[test]
    fn hard_links_are_read_and_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::write(root.join("one"), "old").unwrap();
        fs::hard_link(root.join("one"), root.join("two")).unwrap();
        assert_eq!(read(&root.join("two"), 100), Ok("old".into()));
        write(&root.join("two"), "new").unwrap();
        assert_eq!(read(&root.join("one"), 100), Ok("old".into()));
        assert_eq!(read(&root.join("two"), 100), Ok("new".into()));
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(dir.path()).unwrap().join("a");
        for (text, most, expected) in [
            ("grün".as_bytes(), 5, Ok("grün")),
            // A letter cut in two is no reason to speak of UTF-8.
            ("grün".as_bytes(), 2, Err("it is longer than 2 bytes (limit `file_bytes`)")),
            (b"a\xffb", 5, Err("it is not UTF-8 text")),
        ] {
            fs::write(&path, text).unwrap();
            let read = read(&path, most).map_err(|error| error.0);
            let expected = expected.map_err(|why| format!("{}: {why}", path.display()));
            assert_eq!(read.as_deref(), expected.as_deref());
        }
    }
}
