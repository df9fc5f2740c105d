//! A folder of its own for every test, and the binary run in it.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Holds the folder of modules, and `run/` where servers of this room put their sockets.
pub(crate) struct Room {
    dir: TempDir,
    modules: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Room {
    pub(crate) fn new() -> Self {
        let room = Self::without("modules");
        fs::create_dir(room.modules()).unwrap();
        room
    }

    /// A room in which the folder of modules does not exist yet.
    pub(crate) fn without(modules: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let modules = dir.path().join(modules);
        Self {
            dir,
            modules,
            variables: Vec::new(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn modules(&self) -> &Path {
        &self.modules
    }

    /// A file among the modules.
    pub(crate) fn at(&self, file: &str) -> PathBuf {
        self.modules.join(file)
    }

    /// Truncates and writes, as the plainest editors do.
    pub(crate) fn write(&self, file: &str, text: &str) -> &Self {
        let path = self.at(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn remove(&self, file: &str) -> &Self {
        fs::remove_file(self.at(file)).unwrap();
        self
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> &Self {
        fs::rename(self.at(from), self.at(to)).unwrap();
        self
    }

    /// The project's file.
    pub(crate) fn project(&self, text: &str) -> &Self {
        fs::write(self.path().join("larkspur.toml"), text).unwrap();
        self
    }

    /// A variable that the binary will see.
    pub(crate) fn variable(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    /// The binary, about to run in this room.
    pub(crate) fn larkspur(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_larkspur"));
        command
            .args(args)
            .current_dir(self.path())
            .env("XDG_RUNTIME_DIR", self.path().join("run"))
            .env_remove("LARKSPUR_LOG")
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, "")
    }

    /// Runs to the end with this on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Ran {
        let mut child = self
            .larkspur(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read its input may be gone before it is written.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Ran {
    code: Option<i32>,
    pub(crate) stdout: String,
    stderr: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// This is part of the result.
    #[track_caller]
    pub(crate) fn says(&self, part: &str) -> &Self {
        assert!(
            self.stdout.contains(part),
            "no `{part}` on stdout: {self:#?}"
        );
        self
    }

    /// The result is exactly this.
    #[track_caller]
    pub(crate) fn says_only(&self, text: &str) -> &Self {
        assert_eq!(self.stdout.trim_end(), text, "{self:#?}");
        self
    }

    /// This is said beside the result.
    #[track_caller]
    pub(crate) fn notes(&self, part: &str) -> &Self {
        assert!(
            self.stderr.contains(part),
            "no `{part}` on stderr: {self:#?}"
        );
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}
