//! Starting other programs: environment as it is, output where ours goes.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Runs a program to its end and fails unless it succeeded.
pub fn run(dir: impl AsRef<Path>, program: impl AsRef<OsStr>, args: &[&str]) -> Result<()> {
    let program = program.as_ref();
    let status = Command::new(program)
        .args(args)
        .current_dir(dir)
        .status()
        .with_context(|| format!("cannot start `{}`", program.display()))?;
    if !status.success() {
        bail!("`{}` failed: {status}", line(program, args));
    }
    Ok(())
}

/// Runs a program for what it prints; what it complains about stays visible.
pub fn output(dir: impl AsRef<Path>, program: impl AsRef<OsStr>, args: &[&str]) -> Result<Vec<u8>> {
    let program = program.as_ref();
    let output = Command::new(program)
        .args(args)
        .current_dir(dir)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", program.display()))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", line(program, args), output.status);
    }
    Ok(output.stdout)
}

/// Builds a binary target by a cargo command. Cargo says where the program is, whatever the target folder is.
pub fn build(dir: impl AsRef<Path>, args: &[&str], name: &str) -> Result<PathBuf> {
    let args = [args, &["--message-format=json-render-diagnostics"]].concat();
    let messages = String::from_utf8(output(dir, "cargo", &args)?)?;
    find_executable(&messages, name)
        .with_context(|| format!("`{}` built no program `{name}`", line("cargo", &args)))
}

/// The program of a binary target among cargo's messages; test programs are told apart by their profile.
fn find_executable(messages: &str, name: &str) -> Option<PathBuf> {
    let messages = messages.lines();
    let mut artifacts = messages.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    artifacts.find_map(|artifact| {
        let is_wanted = artifact["target"]["name"] == name && artifact["profile"]["test"] == false;
        let executable = artifact["executable"].as_str().filter(|_| is_wanted);
        executable.map(PathBuf::from)
    })
}

/// Whether a program is there and knows itself.
pub fn answers(program: impl AsRef<OsStr>, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A command as one would type it.
pub fn line(program: impl AsRef<OsStr>, args: &[&str]) -> String {
    [&[&*program.as_ref().to_string_lossy()], args].concat().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn failure(program: &str, args: &[&str]) -> String {
        format!("{:#}", run(".", program, args).unwrap_err())
    }

    #[test]
    fn a_failure_names_the_command_and_its_end() {
        assert_eq!(failure("sh", &["-c", "exit 3"]), "`sh -c exit 3` failed: exit status: 3");
        assert!(failure("no-such-program", &[]).starts_with("cannot start `no-such-program`: "));
    }

    #[test]
    fn output_is_what_was_printed() {
        assert_eq!(output(".", "echo", &["hello"]).unwrap(), b"hello\n");
    }

    #[test]
    fn the_program_is_told_from_libraries_and_tests() {
        let artifact = |name, test, executable| {
            let (target, profile) = (json!({"name": name}), json!({"test": test}));
            json!({"target": target, "profile": profile, "executable": executable}).to_string()
        };
        let messages = [
            artifact("larkspur", false, Value::Null),
            artifact("larkspur", true, json!("/t/deps/larkspur-1")),
            artifact("other", false, json!("/t/other")),
            artifact("larkspur", false, json!("/t/larkspur")),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ];
        let found = |name| find_executable(&messages.join("\n"), name);
        assert_eq!(found("larkspur"), Some(PathBuf::from("/t/larkspur")));
        assert_eq!(found("minimal"), None);
    }

    #[test]
    fn only_a_program_that_succeeds_answers() {
        assert!(answers("true", &[]));
        assert!(!answers("false", &[]));
        assert!(!answers("no-such-program", &[]));
    }
}
