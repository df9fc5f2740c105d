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
    let start = text[..cut]
        .char_indices()
        .nth(n - ending)
        .map_or(cut, |(at, _)| at);
    Ok(format!("{}{end}", &text[..start]))
}

/// Columns that a character takes on a terminal.
pub(super) fn width(c: char) -> usize {
    c.width().unwrap_or(0)
}

pub(super) fn wrap(text: &str, n: usize) -> String {
    let wrapped: Vec<String> = text.split('\n').map(|line| wrap_line(line, n)).collect();
    wrapped.join("\n")
}

fn wrap_line(line: &str, n: usize) -> String {
    let mut out = String::new();
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
        used = cut_into(word, n, &mut out);
    }
    out
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

pub(super) fn dedent(text: &str) -> String {
    let is_blank = |line: &str| line.trim().is_empty();
    let mut margin: Option<&str> = None;
    for line in text.split('\n').filter(|line| !is_blank(line)) {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        margin = Some(margin.map_or(indent, |margin| shared(margin, indent)));
    }
    let margin = margin.unwrap_or_default().len();
    let lines = text.split('\n');
    let moved = lines.map(|line| if is_blank(line) { "" } else { &line[margin..] });
    moved.collect::<Vec<_>>().join("\n")
}

/// The beginning that two indentations have in common; both are plain blanks and tabs.
fn shared<'t>(a: &'t str, b: &str) -> &'t str {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    &a[..same]
}
