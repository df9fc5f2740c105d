//! Arguments as they are typed: `name=value`, `name:=json`, or `-` for an object on standard input.

use crate::exit::wrong_usage;
use anyhow::{Context, bail};
use model::{Args, duplicate_key, typed_argument};
use serde_json::Value;
use std::io::Read;

/// Every failure is one of usage. `read` says what the text of a `name=value` stands for.
pub(crate) fn arguments(
    words: &[String],
    read: impl Fn(&str, &str) -> Value,
) -> anyhow::Result<Args> {
    let mut args = Args::new();
    let mut given = Args::new();
    for word in words {
        if word == "-" {
            given.extend(from_stdin().map_err(wrong_usage)?);
            continue;
        }
        let (name, value) = typed_argument(word, &read).map_err(wrong_usage)?;
        // Of two values for one name nobody can tell which was meant.
        if args.insert(name.clone(), value).is_some() {
            return Err(wrong_usage(format!("`{name}` is given twice")));
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
    if let Some(duplicate) = duplicate_key(text.as_bytes()) {
        return Err(duplicate).context("standard input cannot be used");
    }
    match given {
        Value::Object(given) => Ok(given),
        _ => bail!("standard input must hold a JSON object"),
    }
}
