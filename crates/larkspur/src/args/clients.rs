//! What can be typed about the programs that use servers.

use super::Format;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur install claude-code                 for everything you do with it
  larkspur install vscode --scope project      for the project in this folder
  larkspur install cursor --dry-run            what would change, and nothing else
  larkspur install codex --yes -e ./modules    without a question; names another folder
  larkspur install cursor --name shop          under another name than the project's
  larkspur install --print                     what to paste into any other client's file

The entry names this binary, the folder of modules and larkspur.toml by their absolute paths, and
nothing that is secret. A copy of the file is kept beside it. Afterwards the server is started once,
as the client would.
Clients of your own: `larkspur/clients.toml` in your configuration folder (~/.config).
Exit code: 0 it is installed and answers, 1 it is not or does not, 2 wrong usage, or nobody agreed")]
pub(crate) struct Install {
    /// claude-code, claude-desktop, cursor, vscode, codex, gemini, opencode, copilot, qwen, windsurf,
    /// zed, cline, or one of your own
    pub(crate) client: Option<String>,

    #[command(flatten)]
    pub(crate) entry: Entry,

    /// Print the entry, and write nothing; for any client
    #[arg(long, conflicts_with_all = ["dry_run", "yes"])]
    pub(crate) print: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur uninstall claude-code               what `install claude-code` did, undone
  larkspur uninstall vscode --scope project
  larkspur uninstall cursor --dry-run          what would change, and nothing else

A file that nobody has changed since becomes what it was, byte for byte; from any other only the
entry is taken out.
Exit code: 0 it is not there any more, 1 it is, 2 wrong usage, or nobody agreed")]
pub(crate) struct Uninstall {
    /// As for `install`
    pub(crate) client: String,

    #[command(flatten)]
    pub(crate) entry: Entry,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur doctor                   of the project in this folder
  larkspur doctor -e ./extensions   of another folder
  larkspur doctor --format json     for programs

Modules are loaded, and nothing is started.
Exit code: 0 nothing will fail, 1 something will")]
pub(crate) struct Doctor {
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// Which entry of which file, and how to go about it.
#[derive(Debug, Args)]
pub(crate) struct Entry {
    /// For everything you do with the client, or for the project in this folder
    #[arg(long, value_enum, default_value_t = Scope::User)]
    pub(crate) scope: Scope,

    /// What the client calls this server; the project's name, if nothing is said
    #[arg(long, value_parser = server_name)]
    pub(crate) name: Option<String>,

    /// Show what would change, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Write without asking
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    User,
    Project,
}

impl From<Scope> for clients::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::User => Self::User,
            Scope::Project => Self::Project,
        }
    }
}

/// What every client takes for a name.
fn server_name(text: &str) -> Result<String, String> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_fine) {
        return Err("a name has letters, digits, - and _, at most 64".into());
    }
    Ok(text.to_owned())
}
