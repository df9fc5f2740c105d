//! Files that modules were granted.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the room for files that scripts read and write"
)]

use model::{HostError, show_size};
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

fn failed(path: &Path, error: &std::io::Error) -> HostError {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::InvalidData => "it is not UTF-8 text".into(),
        _ => error.to_string(),
    };
    HostError(format!("{}: {why}", name.display()))
}

fn too_long(path: &Path, most: usize) -> HostError {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let most = show_size(most);
    HostError(format!(
        "{}: it is longer than {most} (limit `file_bytes`)",
        name.display()
    ))
}

pub(crate) fn read(path: &Path, most: usize) -> Result<String, HostError> {
    let mut bytes = Vec::new();
    let most_and_one = (most as u64).saturating_add(1);
    let read =
        fs::File::open(path).and_then(|file| file.take(most_and_one).read_to_end(&mut bytes));
    read.map_err(|error| failed(path, &error))?;
    if bytes.len() > most {
        return Err(too_long(path, most));
    }
    String::from_utf8(bytes).map_err(|_| failed(path, &io::ErrorKind::InvalidData.into()))
}

pub(crate) fn list(path: &Path) -> Result<Vec<String>, HostError> {
    let entries = fs::read_dir(path).map_err(|error| failed(path, &error))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_folder = entry.path().is_dir();
            Some(if is_folder { format!("{name}/") } else { name })
        })
        .collect();
    names.sort();
    Ok(names)
}

/// So that two who write at once do not meet aside.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

pub(crate) fn write(path: &Path, text: &str) -> Result<(), HostError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(path, &error))?;
    }
    // A reader sees the old text or the new one, never half of it.
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".{}.{number}.new", std::process::id()));
    let aside = PathBuf::from(aside);
    let written = fs::write(&aside, text).and_then(|()| fs::rename(&aside, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&aside);
        failed(path, &error)
    })
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
                        return Err(HostError(format!(
                            "{name}: it is a link that leads nowhere"
                        )));
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

    #[test]
    fn links_and_dots_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir(root.join("in")).unwrap();
        fs::write(root.join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(root.join("secret"), root.join("in/link")).unwrap();
        let check = |given: &str, expected: &str| {
            assert_eq!(real_path(&root.join(given)).unwrap(), root.join(expected));
        };
        check("in/link", "secret");
        check("in/../secret", "secret");
        check("in/new/file", "in/new/file");
        check("in/new/../../secret", "secret");
        std::os::unix::fs::symlink(root.join("gone"), root.join("in/lost")).unwrap();
        for lost in ["in/lost", "in/lost/file"] {
            let HostError(why) = real_path(&root.join(lost)).unwrap_err();
            assert!(
                why.ends_with("in/lost: it is a link that leads nowhere"),
                "{why}"
            );
        }
    }

    #[test]
    fn a_file_is_written_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b.txt");
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(read(&path, 3), Ok("two".into()));
        assert_eq!(list(dir.path()), Ok(vec!["a/".into()]));
        assert_eq!(list(&dir.path().join("a")), Ok(vec!["b.txt".into()]));
        let missing = read(&dir.path().join("c"), 3);
        assert_eq!(missing, Err(HostError("c: there is no such file".into())));
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        for (text, most, expected) in [
            ("grün".as_bytes(), 5, Ok("grün")),
            // A letter cut in two is no reason to speak of UTF-8.
            (
                "grün".as_bytes(),
                2,
                Err("a: it is longer than 2 bytes (limit `file_bytes`)"),
            ),
            (b"a\xffb", 5, Err("a: it is not UTF-8 text")),
        ] {
            fs::write(&path, text).unwrap();
            let read = read(&path, most).map_err(|error| error.0);
            assert_eq!(read.as_deref().map_err(String::as_str), expected);
        }
    }
}
