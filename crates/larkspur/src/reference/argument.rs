//! One argument or flag of a command, as a row of a table.

use clap::Arg;
use clap::builder::{PossibleValue, Str};

/// Its names, its default, and what it says.
pub(super) fn row(arg: &Arg) -> Vec<String> {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    // Where the program decides later, the default stands in the words.
    let (help, told) = match help.split_once(" [default: ") {
        Some((help, rest)) => (help, rest.trim_end_matches(']')),
        None => (help.as_str(), ""),
    };
    let takes = arg.get_action().takes_values();
    let known = arg.get_default_values().iter().filter(|_| takes);
    let known: Vec<String> = known.map(|v| format!("`{}`", v.display())).collect();
    let default = match known.as_slice() {
        [] => told.to_owned(),
        known => known.join(", "),
    };
    vec![names(arg), default, format!("{help}{}", choices(arg))]
}

/// What it can be, where that is a set.
fn choices(arg: &Arg) -> String {
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let values = arg.get_possible_values();
    let values = values.iter().filter(|value| !value.is_hide_set());
    let values: Vec<String> = values.map(choice).collect();
    match values.as_slice() {
        [] => String::new(),
        values => format!("; one of {}", values.join(", ")),
    }
}

fn choice(value: &PossibleValue) -> String {
    match value.get_help() {
        Some(help) => format!("`{}` ({help})", value.get_name()),
        None => format!("`{}`", value.get_name()),
    }
}

/// `-p PORT`, `--port PORT`.
fn names(arg: &Arg) -> String {
    let value = value(arg);
    if arg.is_positional() {
        return format!("`{}`", value.trim());
    }
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let aliases = arg.get_visible_aliases().unwrap_or_default();
    let aliases = aliases.into_iter().map(|alias| format!("--{alias}"));
    let names = short.into_iter().chain(long).chain(aliases);
    let names: Vec<String> = names.map(|name| format!("`{name}{value}`")).collect();
    names.join(", ")
}

/// What comes after a flag, or stands for itself: ` PORT`, `[PATH]…`.
fn value(arg: &Arg) -> String {
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let names = arg.get_value_names().unwrap_or_default();
    let names: Vec<&str> = names.iter().map(Str::as_str).collect();
    let (name, many) = (names.join(" "), arg.get_num_args().unwrap_or_default());
    let dots = if many.max_values() > 1 { "…" } else { "" };
    if arg.is_positional() && !arg.is_required_set() {
        return format!("[{name}]{dots}");
    }
    if many.min_values() == 0 {
        return format!("[={name}]");
    }
    format!(" {name}{dots}")
}
