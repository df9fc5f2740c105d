//! Which requests an exchange answers.

use std::path::Path;

/// `*` stands for anything.
fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The whole URL, its parameters in any order; or one with `*`.
pub(super) fn url(pattern: &str, asked: &str) -> bool {
    if pattern.contains('*') {
        return is_like(pattern, asked);
    }
    parts(pattern) == parts(asked)
}

/// The same URL, its parameters in any order.
pub(crate) fn same_url(one: &str, other: &str) -> bool {
    parts(one) == parts(other)
}

/// A URL without its fragment: up to the parameters, and those in the order of the alphabet.
fn parts(url: &str) -> (&str, Vec<&str>) {
    let url = url.split('#').next().unwrap_or(url);
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let mut query: Vec<&str> = query.split('&').filter(|part| !part.is_empty()).collect();
    query.sort_unstable();
    let is_root = path.matches('/').count() == 3;
    let path = if is_root { path.trim_end_matches('/') } else { path };
    (path, query)
}

/// The command by its name, or a file of the module's own by its path there.
pub(super) fn command(
    pattern: &str,
    args: Option<&[String]>,
    asked: &str,
    given: &[String],
) -> bool {
    let is_it = pattern == asked || pattern.contains('/') && Path::new(asked).ends_with(pattern);
    is_it && args.is_none_or(|args| args == given)
}

/// The statement, however its spaces and line ends are set.
pub(super) fn sql(pattern: &str, asked: &str) -> bool {
    is_like(&spaced(pattern), &spaced(asked))
}

fn spaced(text: &str) -> String {
    let text = text.trim().trim_end_matches(';');
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for (pattern, asked, expected) in [
            ("https://x.org/a", "https://x.org/a", true),
            ("https://x.org/a", "https://x.org/a?b=1", false),
            ("https://x.org/a?b=1&c=2", "https://x.org/a?c=2&b=1", true),
            ("https://x.org", "https://x.org/", true),
            ("https://x.org/a", "https://x.org/a/", false),
            ("https://x.org/a*", "https://x.org/a?b=1", true),
            ("https://x.org/*/c", "https://x.org/a/b/c", true),
            ("https://x.org/*/c", "https://x.org/a/b", false),
            ("*", "https://x.org/a", true),
            ("https://x.org/a*a", "https://x.org/a", false),
        ] {
            assert_eq!(url(pattern, asked), expected, "{pattern} {asked}");
        }
    }

    #[test]
    fn statements() {
        for (pattern, asked, expected) in [
            ("SELECT 1", "SELECT\n   1;", true),
            ("SELECT * FROM items", "SELECT * FROM items", true),
            ("SELECT * FROM items", "SELECT a FROM items WHERE b", false),
            ("*FROM items*", "SELECT a FROM items WHERE b", true),
        ] {
            assert_eq!(sql(pattern, asked), expected, "{pattern} {asked}");
        }
    }

    #[test]
    fn commands() {
        let words = |words: &[&str]| words.iter().map(|&w| w.to_owned()).collect::<Vec<_>>();
        let log = words(&["log"]);
        assert!(command("git", None, "git", &log));
        assert!(command("git", Some(&log), "git", &log));
        assert!(!command("git", Some(&[]), "git", &log));
        assert!(!command("git", None, "/usr/bin/git", &log));
        assert!(command("bin/tool", None, "/srv/m/bin/tool", &log));
    }
}
