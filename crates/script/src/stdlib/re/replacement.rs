//! What `re.replace` puts in the place of a match, with its references checked: the engine would take
//! a group that the pattern does not have for an empty one.

use regex::Regex;

/// An error if the text refers to a group that the pattern does not have, or refers as Python does.
pub(super) fn check(by: &str, regex: &Regex) -> anyhow::Result<()> {
    let mut rest = by;
    while let Some(at) = rest.find(['$', '\\']) {
        let after = &rest[at + 1..];
        rest = match (&rest[at..=at], after.chars().next()) {
            ("$", Some('$')) | ("\\", Some('\\')) => &after[1..],
            ("$", _) => dollar(after, regex)?,
            _ => backslash(after, regex)?,
        };
    }
    Ok(())
}

/// What follows the reference. A `$` without a name behind it is itself.
fn dollar<'t>(after: &'t str, regex: &Regex) -> anyhow::Result<&'t str> {
    let braced = after.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    if let Some((name, rest)) = braced {
        return if has(regex, name) { Ok(rest) } else { Err(missing(name, regex, "")) };
    }
    let end = after.find(|c: char| !is_part(c)).unwrap_or(after.len());
    let (name, rest) = after.split_at(end);
    if name.is_empty() || has(regex, name) {
        return Ok(rest);
    }
    let digits = name.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let (number, text) = name.split_at(digits);
    let hint = if !number.is_empty() && has(regex, number) {
        format!("; write `${{{number}}}{text}` for group {number} followed by `{text}`")
    } else {
        format!("; a dollar sign itself is `$$`: `$${name}`")
    };
    Err(missing(name, regex, &hint))
}

/// What follows the backslash; with the number or name of a group it is Python's way to refer to it.
fn backslash<'t>(after: &'t str, regex: &Regex) -> anyhow::Result<&'t str> {
    let named = after.strip_prefix("g<").and_then(|rest| rest.split_once('>'));
    let name = match named {
        Some((name, _)) => name,
        None => after.get(..1).filter(|digit| digit.as_bytes()[0].is_ascii_digit()).unwrap_or(""),
    };
    let written = if named.is_some() { format!("\\g<{name}>") } else { format!("\\{name}") };
    if name.is_empty() || name == "0" || !has(regex, name) {
        return Ok(after);
    }
    anyhow::bail!(
        "re.replace: `{written}` is text here; write `${{{name}}}` for what the group took"
    )
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn has(regex: &Regex, name: &str) -> bool {
    match name.parse::<usize>() {
        Ok(number) => number < regex.captures_len(),
        Err(_) => regex.capture_names().flatten().any(|known| known == name),
    }
}

fn missing(name: &str, regex: &Regex, hint: &str) -> anyhow::Error {
    let numbers = (1..regex.captures_len()).map(|number| format!("${number}"));
    let names = regex.capture_names().flatten().map(|name| format!("${{{name}}}"));
    let known: Vec<String> = numbers.chain(names).collect();
    let known = if known.is_empty() {
        "it has none, and `$0` is the whole match".to_owned()
    } else {
        format!("it has {}, and `$0` is the whole match", known.join(", "))
    };
    anyhow::anyhow!("re.replace: the pattern has no group `{name}`: {known}{hint}")
}
