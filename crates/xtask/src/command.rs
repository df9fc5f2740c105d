//! Starting other programs: environment as it is, output where ours goes.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

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

/// Whether a program is there and knows itself.
pub fn answers(program: impl AsRef<OsStr>, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A command as one would type it.
pub fn line(program: impl AsRef<OsStr>, args: &[&str]) -> String {
    [&[&*program.as_ref().to_string_lossy()], args]
        .concat()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(program: &str, args: &[&str]) -> String {
        format!("{:#}", run(".", program, args).unwrap_err())
    }

    #[test]
    fn a_failure_names_the_command_and_its_end() {
        assert_eq!(
            failure("sh", &["-c", "exit 3"]),
            "`sh -c exit 3` failed: exit status: 3"
        );
        assert!(failure("no-such-program", &[]).starts_with("cannot start `no-such-program`: "));
    }

    #[test]
    fn output_is_what_was_printed() {
        assert_eq!(output(".", "echo", &["hello"]).unwrap(), b"hello\n");
    }

    #[test]
    fn only_a_program_that_succeeds_answers() {
        assert!(answers("true", &[]));
        assert!(!answers("false", &[]));
        assert!(!answers("no-such-program", &[]));
    }
}
