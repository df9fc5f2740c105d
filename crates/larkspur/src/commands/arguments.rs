//! Arguments as they are typed: `name=value`, `name:=json`, or `-` for an object on standard input.

use anyhow::{Context, bail};
use model::Args;
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
    std::io::stdin()
        .read_to_string(&mut text)
        .context("standard input cannot be read")?;
    match serde_json::from_str(&text).context("standard input is not JSON")? {
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
        return Ok((name.to_owned(), json));
    }
    Ok((name.to_owned(), read(name, text)))
}
