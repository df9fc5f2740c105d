//! Arguments as they are typed: `name=value`, `name:=json`, or `-` for an object on standard input.

use anyhow::{Context, bail};
use model::{Args, duplicate_key};
use serde_json::Value;
use std::io::Read;

/// `read` says what the text of a `name=value` stands for.
pub(crate) fn arguments(
    words: &[String],
    read: impl Fn(&str, &str) -> Value,
) -> anyhow::Result<Args> {
    let mut args = Args::new();
    let mut given = Args::new();
    for word in words {
        if word == "-" {
            given.extend(from_stdin()?);
            continue;
        }
        let (name, value) = argument(word, &read)?;
        // Of two values for one name nobody can tell which was meant.
        if args.insert(name.clone(), value).is_some() {
            bail!("`{name}` is given twice");
        }
    }
    // What was typed says more than what came with it.
    given.extend(args);
    Ok(given)
}

fn from_stdin() -> anyhow::Result<Args> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("standard input cannot be read")?;
    let given = serde_json::from_str(&text).context("standard input is not JSON")?;
    check_keys(&text).context("standard input cannot be used")?;
    match given {
        Value::Object(given) => Ok(given),
        _ => bail!("standard input must hold a JSON object"),
    }
}

/// One of them; the README of a module writes them the same way.
pub(crate) fn argument(
    word: &str,
    read: impl Fn(&str, &str) -> Value,
) -> anyhow::Result<(String, Value)> {
    let Some((name, text)) = word.split_once('=') else {
        bail!("`{word}` is not an argument; write name=value, name:=json or -");
    };
    if name.trim_end_matches(':').is_empty() {
        bail!("`{word}` has no name before the `=`; write name=value, name:=json or -");
    }
    if let Some(name) = name.strip_suffix(':') {
        let json = serde_json::from_str(text)
            .with_context(|| format!("the value of `{name}` is not JSON"))?;
        check_keys(text).with_context(|| format!("the value of `{name}` cannot be used"))?;
        return Ok((name.to_owned(), json));
    }
    let value = read(name, text);
    if !value.is_string() {
        check_keys(text).with_context(|| format!("the value of `{name}` cannot be used"))?;
    }
    Ok((name.to_owned(), value))
}

fn check_keys(json: &str) -> anyhow::Result<()> {
    match duplicate_key(json.as_bytes()) {
        Some(duplicate) => Err(duplicate.into()),
        None => Ok(()),
    }
}
