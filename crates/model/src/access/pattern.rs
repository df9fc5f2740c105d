//! Patterns for names and paths: `*` stands for anything but `/`, `**` for anything, `**/` for any
//! folders or none. What begins with a dot is hidden: only a pattern that writes the dot finds it.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Char(char),
    /// `*`
    Part,
    /// `**`
    Rest,
    /// `**/`
    Folders,
}

/// In time proportional to both lengths, whatever the pattern.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let steps = steps(pattern);
    let mut places = vec![false; steps.len() + 1];
    places[0] = true;
    let mut before = '/';
    skip(&steps, &mut places, before);
    for c in text.chars() {
        let mut next = vec![false; places.len()];
        for (i, step) in steps.iter().enumerate().filter(|(i, _)| places[*i]) {
            let is_hidden = c == '.' && before == '/';
            match step {
                Step::Char(wanted) if *wanted == c => next[i + 1] = true,
                Step::Part if c != '/' && !is_hidden => next[i] = true,
                Step::Rest | Step::Folders if !is_hidden => next[i] = true,
                _ => {}
            }
        }
        before = c;
        skip(&steps, &mut next, before);
        places = next;
    }
    places[steps.len()]
}

/// A star may stand for nothing; folders end where a name begins.
fn skip(steps: &[Step], places: &mut [bool], before: char) {
    for (i, step) in steps.iter().enumerate() {
        let may_end = match step {
            Step::Char(_) => false,
            Step::Part | Step::Rest => true,
            Step::Folders => before == '/',
        };
        if places[i] && may_end {
            places[i + 1] = true;
        }
    }
}

fn steps(pattern: &str) -> Vec<Step> {
    let mut steps = Vec::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let (step, length) = match c {
            '*' if rest.starts_with("**/") => (Step::Folders, 3),
            '*' if rest.starts_with("**") => (Step::Rest, 2),
            '*' => (Step::Part, 1),
            c => (Step::Char(c), c.len_utf8()),
        };
        steps.push(step);
        rest = &rest[length..];
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn what_a_pattern_matches() {
        for (pattern, yes, no) in [
            ("git", &["git"][..], &["gi", "gits", "Git", ""][..]),
            ("GITHUB_*", &["GITHUB_", "GITHUB_TOKEN"], &["GITHUB", "XGITHUB_A"]),
            ("data/*.db", &["data/a.db"], &["data/a/b.db", "data/a.dbx", "a.db"]),
            ("data/**", &["data/a", "data/a/b"], &["data", "datax/a", "data/.git/a", "data/a/.b"]),
            ("**", &["a", "a/b", ""], &[".env", "a/.env"]),
            ("*", &["a", ""], &["a/b", ".env"]),
            ("**/a.db", &["a.db", "x/a.db", "x/y/a.db"], &["xa.db", "x/a.dbx", ".x/a.db"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a/xb", "ab"]),
            (".env", &[".env"], &["env", "a/.env"]),
            ("a/.*", &["a/.env"], &["a/env", ".env"]),
            ("*a*b*", &["ab", "xaxbx"], &["ba", "a/b"]),
            ("", &[""], &["a"]),
        ] {
            for text in yes {
                assert!(matches(pattern, text), "`{pattern}` should match `{text}`");
            }
            for text in no {
                assert!(!matches(pattern, text), "`{pattern}` should not match `{text}`");
            }
        }
    }

    #[test]
    fn no_pattern_takes_long() {
        let pattern = "*a".repeat(500);
        assert!(!matches(&pattern, &"a".repeat(499)));
        assert!(matches(&pattern, &"ba".repeat(500)));
    }
}
