//! Machine paths in error texts: callers do not learn where the server keeps its files.

use std::path::Path;

/// Replaces a path in a text. A path of one part is left: it would be found in other words by chance.
pub fn replace_path(text: &str, path: &Path, by: &str) -> String {
    if path.file_name().is_none() || path.components().count() < 2 {
        return text.to_owned();
    }
    text.replace(&path.display().to_string(), by)
}

/// Replaces a path in a text by its last part.
pub fn shorten_path(text: &str, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    replace_path(text, path, &name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_their_last_part() {
        for (text, path, expected) in [
            ("`/srv/a/b.db`: /srv/a/b.db-wal", "/srv/a/b.db", "`b.db`: b.db-wal"),
            ("no a/b.db, no b.db", "a/b.db", "no b.db, no b.db"),
            ("a. b/c ..", ".", "a. b/c .."),
            ("a. b/c ..", "..", "a. b/c .."),
            ("a. b/c ..", "/", "a. b/c .."),
            ("a. b/c ..", "", "a. b/c .."),
            ("a. b/c ..", "a", "a. b/c .."),
        ] {
            assert_eq!(shorten_path(text, Path::new(path)), expected, "{path}");
        }
    }
}
