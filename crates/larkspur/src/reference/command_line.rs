//! Every command with what it takes, from the command line's own description of itself.

use super::{argument, made};
use crate::args::Cli;
use clap::{Arg, Command, CommandFactory};

/// A section for what every command takes, and one for each command.
pub(super) fn commands() -> String {
    let mut root = Cli::command();
    root.build();
    let global: Vec<&Arg> = shown(&root).filter(|arg| is_everywhere(arg)).collect();
    let bare: Vec<&Arg> = own(&root).filter(|arg| !is_of_serve(&root, arg)).collect();
    let (global, about, bare, after) = (table(&global), about(&root), table(&bare), after(&root));
    let commands: Vec<String> = root.get_subcommands().map(sections).collect();
    format!("## Every command\n\n{global}\n## `larkspur`\n\n{about}\n\n{bare}{after}")
        + &commands.concat()
}

/// A command, or those below it.
fn sections(command: &Command) -> String {
    if command.is_hide_set() || command.get_name() == "help" {
        return String::new();
    }
    let below: Vec<String> = command.get_subcommands().map(sections).collect();
    if !below.is_empty() {
        return below.concat();
    }
    let name = command.get_bin_name().unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let args: Vec<&Arg> = own(command).collect();
    let table = match args.as_slice() {
        [] => String::new(),
        args => format!("\n{}", table(args)),
    };
    let (about, after) = (about(command), after(command));
    format!("\n## `{name}`\n\n{about}\n\n```text not-run\n{usage}\n```\n{table}{after}")
}

fn about(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    let about = about.unwrap_or_default();
    let about = about.trim_end_matches('.');
    let aliases: Vec<&str> = command.get_visible_aliases().collect();
    match aliases.as_slice() {
        [] => format!("{about}."),
        aliases => format!("{about}. Also `{}`.", aliases.join("`, `")),
    }
}

/// Examples and exit codes, as the terminal shows them.
fn after(command: &Command) -> String {
    let after = command.get_after_help();
    after.map_or_else(String::new, |help| format!("\n```text not-run\n{help}\n```\n"))
}

fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !arg.is_hide_set())
}

fn is_everywhere(arg: &Arg) -> bool {
    arg.is_global_set() || arg.get_id() == "help"
}

/// Without what every command takes.
fn own(command: &Command) -> impl Iterator<Item = &Arg> {
    shown(command).filter(|arg| !is_everywhere(arg))
}

/// Flags of `serve` work without the word.
fn is_of_serve(root: &Command, arg: &Arg) -> bool {
    let serve = root.find_subcommand("serve");
    serve.is_some_and(|serve| shown(serve).any(|own| own.get_id() == arg.get_id()))
}

fn table(args: &[&Arg]) -> String {
    let rows: Vec<Vec<String>> = args.iter().map(|arg| argument::row(arg)).collect();
    made::table(&["argument", "default", "what it says"], &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::CODES;
    use settings::PROJECT;

    /// All commands, with those below them.
    fn all(command: &Command) -> Vec<&Command> {
        let below = command.get_subcommands().flat_map(all);
        below.chain([command]).collect()
    }

    #[test]
    fn codes_of_commands_are_among_those_there_are() {
        let root = Cli::command();
        let mut seen = 0;
        for command in all(&root) {
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let Some((_, codes)) = help.split_once("Exit code: ") else {
                continue;
            };
            for part in codes.split(", ").filter_map(|part| part.split_once(' ')) {
                if let Ok(code) = part.0.parse::<u8>() {
                    assert!(CODES.iter().any(|(known, _)| *known == code), "{codes}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 30, "only {seen}");
    }

    #[test]
    fn flags_state_the_defaults_of_the_file() {
        let root = Cli::command();
        let serve = root.find_subcommand("serve").unwrap();
        let server = PROJECT.iter().find(|section| section.name == "server");
        let mut seen = 0;
        for key in &server.unwrap().keys {
            let flag = serve.get_arguments().find(|arg| arg.get_id() == key.name.as_str());
            if let (Some(flag), Some(default)) = (flag, &key.default) {
                assert_eq!(argument::row(flag)[1], default.trim_matches('"'), "{}", key.name);
                seen += 1;
            }
        }
        assert_eq!(seen, 5);
    }
}
