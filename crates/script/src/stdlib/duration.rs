//! How long, as scripts write it: `"500ms"`, `"30s"`, `"2m"` or a number of seconds.

use super::show;
use anyhow::{anyhow, bail};
use model::parse_duration;
use starlark::values::Value;
use std::time::Duration;

/// Nothing given, or `None`, is no duration.
pub(crate) fn duration(what: &str, value: Option<Value<'_>>) -> anyhow::Result<Option<Duration>> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(None);
    };
    let time = span(what, value)?;
    if time.is_zero() {
        bail!("{what} must be longer than nothing");
    }
    Ok(Some(time))
}

/// As long as was said, nothing included.
pub(crate) fn span(what: &str, value: Value<'_>) -> anyhow::Result<Duration> {
    let text = match value.get_type() {
        "string" | "int" | "float" => show::plain(value),
        other => {
            bail!("{what} must be a number of seconds or a text such as \"30s\", not a {other}")
        }
    };
    parse_duration(&text).map_err(|why| anyhow!("{what}: {why}"))
}
