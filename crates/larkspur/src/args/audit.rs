//! What `larkspur audit` is asked.

use super::Format;
use clap::{Args, ValueEnum};
use model::parse_duration;
use settings::Pattern;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur audit --since 1h                   the last hour
  larkspur audit --caller ada --verdict denied
  larkspur audit --tool 'github.*' --follow   and what comes from now on
  larkspur audit --verdict interrupted        calls that a crash cut short
  larkspur audit --format json | jq .tool     one JSON object per line

[audit] in larkspur.toml switches it on.
Exit code: 0 shown, 1 nothing is written down")]
pub(crate) struct Audit {
    /// Only what this caller did; `local` is whoever runs the server
    #[arg(long, value_name = "NAME")]
    pub(crate) caller: Option<String>,

    /// Only these tools: MODULE.TOOL, where `*` stands for any letters
    #[arg(long, value_name = "PATTERN", value_parser = str::parse::<Pattern>)]
    pub(crate) tool: Option<Pattern>,

    /// Only what ended like this
    #[arg(long, value_enum)]
    pub(crate) verdict: Option<Verdict>,

    /// Only the last so long: 30s, 15m, 1h, 7d
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    pub(crate) since: Option<Duration>,

    /// Only the last so many
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,

    /// Go on with what comes, until ctrl-c
    #[arg(long)]
    pub(crate) follow: bool,

    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// People look back over days; nothing else lasts so long.
fn parse_since(text: &str) -> Result<Duration, String> {
    let days = text.trim().strip_suffix('d').map(str::parse::<u32>);
    if let Some(Ok(days)) = days {
        return Ok(Duration::from_secs(u64::from(days) * 24 * 60 * 60));
    }
    parse_duration(text)
        .map_err(|_| format!("`{text}` is not a time; write `30s`, `15m`, `1h` or `7d`"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Verdict {
    Ok,
    Error,
    Denied,
    Limited,
    Stopped,
    /// Began, and has not ended: only with `on_error = "refuse"`
    Begun,
    /// Began, and the server ended before it
    Interrupted,
}
