//! `perm`: who may use what, and why.

use super::Format;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Perm {
    /// Say whether somebody may use a tool, and which line decides
    Explain(Explained),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur perm explain ada github.create_issue
  larkspur perm explain ada notion.search --scope \"notion:read mcp:write\"
  larkspur perm explain ada shop.delete_all --claims '{\"groups\": [\"ops\"]}'

Exits with 0 if it is allowed, and with 1 if not.")]
pub(crate) struct Explained {
    /// Who: the name in his token; `local` is whoever starts the server
    pub(crate) user: String,

    /// What: a tool, a prompt or a resource as MODULE.NAME
    pub(crate) tool: String,

    /// The scopes of his token, with blanks between
    #[arg(long, value_name = "SCOPES")]
    pub(crate) scope: Option<String>,

    /// What his token says of him, as JSON
    #[arg(long, value_name = "JSON", value_parser = object)]
    pub(crate) claims: Option<serde_json::Map<String, serde_json::Value>>,

    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

fn object(text: &str) -> Result<serde_json::Map<String, serde_json::Value>, String> {
    let value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match value {
        serde_json::Value::Object(map) => Ok(map),
        _ => Err("claims are an object: {\"groups\": [\"ops\"]}".to_owned()),
    }
}
