//! What a command ends with: one code a meaning, whichever command it is.

/// It was not done, or something is wrong with what was looked at.
pub(crate) const FAILED: u8 = 1;
/// Wrong usage, or no such thing.
pub(crate) const USAGE: u8 = 2;
/// The tool, or the function behind what was asked for, said error.
pub(crate) const SAID_ERROR: u8 = 5;
/// `larkspur.toml` cannot be used.
pub(crate) const BAD_PROJECT: u8 = 6;
/// By ctrl-c, as shells count it.
pub(crate) const INTERRUPTED: u8 = 130;

/// All of them, for people.
pub(crate) const CODES: [(u8, &str); 6] = [
    (0, "all went well"),
    (FAILED, "it was not done, or something is wrong: a test failed, `check` found errors"),
    (USAGE, "wrong usage: no such flag, tool, module or name, or wrong arguments"),
    (SAID_ERROR, "the tool, resource or prompt that was asked for said error"),
    (BAD_PROJECT, "`larkspur.toml` cannot be used; what is wrong is shown with its place"),
    (INTERRUPTED, "ctrl-c ended a call"),
];

/// What was typed cannot be meant: the command ends with `USAGE`.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WrongUsage(String);

pub(crate) fn wrong_usage(why: impl std::fmt::Display) -> anyhow::Error {
    WrongUsage(format!("{why:#}")).into()
}
