//! Which tools are meant: `github.*`, `notion.search`, `*.delete_*`, or `*` for all.

use model::deserialize_text;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    module: String,
    name: String,
    text: String,
}

impl Pattern {
    pub fn matches(&self, module: &str, name: &str) -> bool {
        fits(&self.module, module) && fits(&self.name, name)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer)
    }
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (module, name) = match text.split_once('.') {
            None if text == "*" => ("*", "*"),
            Some(parts) => parts,
            None => {
                return Err(format!(
                    "`{text}` names no tool; write `{text}.*` for all of a module"
                ));
            }
        };
        let plain = |part: &str| {
            let mut bytes = part.bytes();
            !part.is_empty() && bytes.all(|b| b.is_ascii_alphanumeric() || b"_-*".contains(&b))
        };
        if !plain(module) || !plain(name) {
            return Err(format!(
                "`{text}` is no pattern; write MODULE.TOOL, where `*` stands for any letters"
            ));
        }
        Ok(Self { module: module.to_owned(), name: name.to_owned(), text: text.to_owned() })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Greedy, with one place to go back to: in time proportional to both lengths at the worst.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut read) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while read < text.len() {
        if pattern.get(at) == Some(&b'*') {
            back = Some((at, read));
            at += 1;
        } else if pattern.get(at) == Some(&text[read]) {
            at += 1;
            read += 1;
        } else if let Some((star, from)) = back {
            back = Some((star, from + 1));
            at = star + 1;
            read = from + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn what_is_meant() {
        for (pattern, yes, no) in [
            ("*", &["a.b"][..], &[][..]),
            ("github.*", &["github.search"], &["githubs.search", "git.hub"]),
            ("*.delete_*", &["a.delete_x", "b.delete_"], &["a.undelete_x", "delete_.a"]),
            ("git*.list_*s", &["github.list_issues", "git.list_s"], &["github.list_issue"]),
            ("a.*b*b", &["a.bb", "a.xbybzb"], &["a.b", "a.bbc"]),
            ("a.b", &["a.b"], &["a.bc", "aa.b", "a.B"]),
        ] {
            let parsed: Pattern = pattern.parse().unwrap();
            for path in yes.iter().chain(no) {
                let (module, name) = path.split_once('.').unwrap();
                let expected = yes.contains(path);
                assert_eq!(parsed.matches(module, name), expected, "{pattern} {path}");
            }
        }
    }

    #[test]
    fn what_is_no_pattern() {
        for (text, part) in [
            ("github", "write `github.*`"),
            ("", "write `.*`"),
            ("a.", "is no pattern"),
            ("a.b.c", "is no pattern"),
            ("a b.c", "is no pattern"),
            ("a.[bc]", "is no pattern"),
        ] {
            let why = text.parse::<Pattern>().unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
