//! Keys that stand twice in one JSON object: readers differ in which one counts.

use std::borrow::Cow;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateKey {
    pub key: String,
    /// How many objects it is in: 1 for the outermost.
    pub depth: usize,
}

impl fmt::Display for DuplicateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.escape_debug();
        write!(f, "the key `{key}` is there twice in one object")
    }
}

impl std::error::Error for DuplicateKey {}

/// Looks for a key that stands twice in one object of a text that is valid JSON.
pub fn duplicate_key(json: &[u8]) -> Option<DuplicateKey> {
    scan_keys(json, |_| {})
}

/// A key, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPlace<'j> {
    pub key: &'j [u8],
    /// The key whose value the object is, or is in.
    pub within: Option<&'j [u8]>,
    /// How many objects it is in: 1 for the outermost.
    pub depth: usize,
}

/// Shows every key of a text that is valid JSON, and looks for one that stands twice in one object. One
/// pass without building values, since every call pays for it.
pub fn scan_keys(json: &[u8], visit: impl FnMut(KeyPlace<'_>)) -> Option<DuplicateKey> {
    if json.contains(&b'\\') {
        scan(json, unescaped, visit)
    } else {
        scan(json, |text| text, visit)
    }
}

fn scan<'j, K: AsRef<[u8]>>(
    json: &'j [u8],
    read: impl Fn(&'j [u8]) -> K,
    mut visit: impl FnMut(KeyPlace<'_>),
) -> Option<DuplicateKey> {
    let mut keys: Vec<K> = Vec::with_capacity(16);
    // Where the keys of each open object begin.
    let mut objects: Vec<usize> = Vec::with_capacity(8);
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let text = &json[at..];
                let text = &text[..string_length(text)];
                at += text.len() + 1;
                at += spaces(json.get(at..).unwrap_or_default());
                // Only a key has a colon behind it.
                if json.get(at) == Some(&b':') {
                    let begin = objects.last().copied().unwrap_or_default();
                    let within = begin.checked_sub(1).map(|before| keys[before].as_ref());
                    let key = read(text);
                    visit(KeyPlace { key: key.as_ref(), within, depth: objects.len() });
                    keys.push(key);
                }
            }
            b'{' => objects.push(keys.len()),
            b'}' => {
                let depth = objects.len();
                let begin = objects.pop()?;
                if let Some(key) = repeated(&mut keys[begin..]) {
                    return Some(DuplicateKey { key, depth });
                }
                keys.truncate(begin);
            }
            _ => {}
        }
    }
    None
}

/// Bytes up to the quote that ends a string.
fn string_length(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match text.get(at) {
            None | Some(b'"') => return at.min(text.len()),
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

fn spaces(text: &[u8]) -> usize {
    let is_space = |byte: &&u8| byte.is_ascii_whitespace();
    text.iter().take_while(is_space).count()
}

/// The key that is meant: `\u0061` is `a`.
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'\\') {
        return Cow::Borrowed(text);
    }
    let quoted = [b"\"", text, b"\""].concat();
    match serde_json::from_slice::<String>(&quoted) {
        Ok(meant) => Cow::Owned(meant.into_bytes()),
        Err(_) => Cow::Borrowed(text),
    }
}

/// A key that is there twice. Many are sorted: an object may have very many.
fn repeated<K: AsRef<[u8]>>(keys: &mut [K]) -> Option<String> {
    const FEW: usize = 16;
    let named = |key: &K| String::from_utf8_lossy(key.as_ref()).into_owned();
    if keys.len() <= FEW {
        let is_earlier = |(at, key): &(usize, &K)| {
            let mut earlier = keys[..*at].iter();
            earlier.any(|other| other.as_ref() == key.as_ref())
        };
        return keys.iter().enumerate().find(is_earlier).map(|(_, key)| named(key));
    }
    keys.sort_unstable_by(|a, b| a.as_ref().cmp(b.as_ref()));
    let pair = keys.windows(2);
    let mut pair = pair.filter(|pair| pair[0].as_ref() == pair[1].as_ref());
    pair.next().map(|pair| named(&pair[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_that_stands_twice() {
        for (json, found) in [
            (r#"{"a": 1, "a": 2}"#, Some(("a", 1))),
            (r#"{"a":1,"b":{"c":1},"a":2}"#, Some(("a", 1))),
            (r#"[{"a": {"x": 1, "y": [], "x": {}}}]"#, Some(("x", 2))),
            (r#"{"a": 1, "\u0061" : 2}"#, Some(("a", 1))),
            (r#"{"\"": 1, "\u0022": 2}"#, Some(("\"", 1))),
            (r#"{"": 1, "": 2}"#, Some(("", 1))),
            (r#"{"ü": 1, "ü": 2}"#, Some(("ü", 1))),
            (r#"{"a": {"b": 1}, "b": {"a": 1}}"#, None),
            (r#"{"a": "a", "b": ["a", "a"], "c": "\"a\": {"}"#, None),
            (r#"[{"a": 1}, {"a": 2}]"#, None),
            (r#"{"a": "}", "b": "{\\", "c": "\\\""}"#, None),
            (r#"{"a": 1, "A": 2, "a ": 3}"#, None),
            ("3", None),
            ("", None),
        ] {
            let duplicate = duplicate_key(json.as_bytes());
            let duplicate = duplicate.map(|found| (found.key, found.depth));
            let found = found.map(|(key, depth)| (key.to_owned(), depth));
            assert_eq!(duplicate, found, "{json}");
        }
    }

    #[test]
    fn every_key_is_shown_with_its_place() {
        let json = r#"{"a": {"b": [{"c": 1}, {"d": {}}]}, "e": "f", "\u0067": {"h": 2}}"#;
        let mut seen = Vec::new();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let duplicate = scan_keys(json.as_bytes(), |place| {
            let within = place.within.map(text).unwrap_or_default();
            seen.push(format!("{within}/{} {}", text(place.key), place.depth));
        });
        assert_eq!(duplicate, None);
        let places = ["/a 1", "a/b 2", "b/c 3", "b/d 3", "/e 1", "/g 1", "g/h 2"];
        assert_eq!(seen, places);
    }

    #[test]
    fn what_is_no_json_is_survived() {
        for text in ["{\"a", "}", "}}{", "\"", "\"\\", "{\"a\":", "{\"\\", "\u{7f}{\"é"] {
            assert_eq!(duplicate_key(text.as_bytes()), None, "{text}");
        }
        let deep = "{\"a\":".repeat(100_000);
        assert_eq!(duplicate_key(deep.as_bytes()), None);
    }

    #[test]
    fn an_object_may_have_very_many_keys() {
        let many = |last: &str| {
            let keys = (0..100_000).map(|n| format!("\"k{n}\":{n},"));
            format!("{{{}\"{last}\":0}}", keys.collect::<String>())
        };
        assert_eq!(duplicate_key(many("other").as_bytes()), None);
        let found = duplicate_key(many("k777").as_bytes()).unwrap();
        assert_eq!(found.key, "k777");
    }
}
