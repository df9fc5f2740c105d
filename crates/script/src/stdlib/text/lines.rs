//! Texts cut to length, broken into lines and moved to the left.

use unicode_width::UnicodeWidthChar;

pub(super) fn truncate(text: &str, n: usize, end: &str) -> anyhow::Result<String> {
    let Some((cut, _)) = text.char_indices().nth(n) else {
        return Ok(text.to_owned());
    };
    let ending = end.chars().count();
    if ending > n {
        anyhow::bail!("text.truncate: an end of {ending} characters does not fit into {n}");
    }
    let start = text[..cut].char_indices().nth(n - ending).map_or(cut, |(at, _)| at);
    Ok(format!("{}{end}", &text[..start]))
}

/// Columns that a character takes on a terminal.
pub(super) fn width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// May the next lines be looked at?
type GoOn<'a> = &'a dyn Fn() -> anyhow::Result<()>;

/// Lines that are looked at between two looks at the clock.
const SOME: usize = 10_000;

pub(super) fn wrap(text: &str, n: usize, go_on: GoOn<'_>) -> anyhow::Result<String> {
    joined(text, go_on, |line, out| wrap_line(line, n, out))
}

/// Each line written anew, into one text: there may be as many lines as bytes.
fn joined<'t>(
    text: &'t str,
    go_on: GoOn<'_>,
    write: impl Fn(&'t str, &mut String),
) -> anyhow::Result<String> {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 {
            out.push('\n');
        }
        if i % SOME == 0 {
            go_on()?;
        }
        write(line, &mut out);
    }
    Ok(out)
}

fn wrap_line(line: &str, n: usize, out: &mut String) {
    let mut used = 0;
    for word in line.split_whitespace() {
        let length: usize = word.chars().map(width).sum();
        if used > 0 && used + 1 + length <= n {
            out.push(' ');
            out.push_str(word);
            used += 1 + length;
            continue;
        }
        if used > 0 {
            out.push('\n');
        }
        used = cut_into(word, n, out);
    }
}

/// Writes a word at the beginning of a line; answers how much of its last line it fills.
fn cut_into(word: &str, n: usize, out: &mut String) -> usize {
    let mut used = 0;
    for c in word.chars() {
        if used > 0 && used + width(c) > n {
            out.push('\n');
            used = 0;
        }
        out.push(c);
        used += width(c);
    }
    used
}

pub(super) fn dedent(text: &str, go_on: GoOn<'_>) -> anyhow::Result<String> {
    let is_blank = |line: &str| line.trim().is_empty();
    let mut margin: Option<&str> = None;
    for (i, line) in text.split('\n').enumerate() {
        if i % SOME == 0 {
            go_on()?;
        }
        if is_blank(line) {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        margin = Some(margin.map_or(indent, |margin| shared(margin, indent)));
    }
    let margin = margin.unwrap_or_default().len();
    let moved = |line: &'_ str| {
        if is_blank(line) { 0..0 } else { margin..line.len() }
    };
    joined(text, go_on, |line, out| out.push_str(&line[moved(line)]))
}

/// The beginning that two indentations have in common; both are plain blanks and tabs.
fn shared<'t>(a: &'t str, b: &str) -> &'t str {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    &a[..same]
}
