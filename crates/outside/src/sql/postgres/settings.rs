//! A connection string taken apart, so that some of its settings can be read before the rest is.

use percent_encoding::percent_decode_str;

/// What stands before the settings, the settings, and what stands between them.
pub(super) struct Settings<'u> {
    head: &'u str,
    between: &'static str,
    all: Vec<Setting<'u>>,
}

/// One setting as it is written, and what that means.
pub(super) struct Setting<'u> {
    written: &'u str,
    pub(super) key: String,
    pub(super) value: String,
}

impl<'u> Settings<'u> {
    /// A string that nobody can read has no settings: whoever reads the rest says so.
    pub(super) fn of(url: &'u str) -> Self {
        if url.contains("://") {
            return Self::of_url(url);
        }
        Self { head: "", between: " ", all: pairs(url) }
    }

    /// What stands before the first `@` is a password, whatever it holds.
    fn of_url(url: &'u str) -> Self {
        let behind = url.find('@').unwrap_or(0);
        let start = url[behind..].find('?').map(|at| behind + at + 1);
        let (head, settings) = url.split_at(start.unwrap_or(url.len()));
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let one = |written: &'u str| {
            let (key, value) = written.split_once('=').unwrap_or((written, ""));
            Setting { written, key: decoded(key), value: decoded(value) }
        };
        Self { head, between: "&", all: settings.split('&').map(one).collect() }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Setting<'u>> {
        self.all.iter()
    }

    /// The whole string again, each setting as this says: another one, or none.
    pub(super) fn written(&self, each: impl Fn(&Setting<'u>) -> Option<&'u str>) -> String {
        let kept: Vec<&str> = self.iter().filter_map(each).collect();
        format!("{}{}", self.head, kept.join(self.between))
    }
}

impl<'u> Setting<'u> {
    pub(super) fn as_it_is(&self) -> &'u str {
        self.written
    }
}

/// `key=value key = 'a value'`, as far as it can be read; the rest is kept as it stands.
fn pairs(text: &str) -> Vec<Setting<'_>> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (length, key, value) =
            pair(rest).unwrap_or_else(|| (rest.len(), String::new(), String::new()));
        let (written, behind) = rest.split_at(length);
        all.push(Setting { written, key, value });
        rest = behind.trim_start();
    }
    all
}

/// The first pair: how long it is, its key and its value.
fn pair(text: &str) -> Option<(usize, String, String)> {
    let (key, behind) = text.split_once('=')?;
    let value = behind.trim_start();
    let begin = text.len() - value.len();
    let (length, value) = value_of(value)?;
    Some((begin + length, key.trim_end().to_owned(), value))
}

/// A value up to the next blank, or between quotes; `\` keeps what follows it as it is.
fn value_of(text: &str) -> Option<(usize, String)> {
    let quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut chars = text.char_indices().skip(usize::from(quoted));
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.push(chars.next()?.1),
            '\'' if quoted => return Some((at + 1, value)),
            c if !quoted && c.is_whitespace() => return Some((at, value)),
            c => value.push(c),
        }
    }
    (!quoted).then_some((text.len(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_found_wherever_they_stand() {
        let check = |url: &str, expected: &[(&str, &str)]| {
            let settings = Settings::of(url);
            let found: Vec<(&str, &str)> =
                settings.iter().map(|setting| (&*setting.key, &*setting.value)).collect();
            assert_eq!(found, expected, "{url}");
            let same = settings.written(|setting| Some(setting.as_it_is()));
            assert_eq!(Settings::of(&same).all.len(), expected.len(), "{url}");
        };
        check("postgres://u:a?b=c@h/d?x=%2F&y", &[("x", "/"), ("y", "")]);
        check("postgres://h/d", &[("", "")]);
        check("a=1 b = '2 c=3'\td=\\'", &[("a", "1"), ("b", "2 c=3"), ("d", "'")]);
        check("a=1 b='open c=3", &[("a", "1"), ("", "")]);
        check("a=1 alone", &[("a", "1"), ("", "")]);
        check("", &[]);
    }
}
