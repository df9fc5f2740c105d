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
    /// What the binary finds in its environment.
    env: Vec<(String, String)>,
}

impl Room {
    pub(crate) fn new() -> Self {
        let room = Self::without("modules");
        fs::create_dir(room.modules()).unwrap();
        room
    }

    /// A room in which the folder of modules does not exist yet.
    pub(crate) fn without(modules: &str) -> Self {
        // Without symbolic links, as the binary prints paths: on macOS the temporary folder is behind one.
        let parent = fs::canonicalize(std::env::temp_dir()).unwrap();
        let dir = tempfile::tempdir_in(parent).unwrap();
        let modules = dir.path().join(modules);
        Self { dir, modules, env: Vec::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn modules(&self) -> &Path {
        &self.modules
    }

    /// A folder of ours, copied to the same name in this room.
    pub(crate) fn copy(&self, folder: &Path) -> &Self {
        copy(folder, &self.path().join(folder.file_name().unwrap()));
        self
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

    /// A variable for whatever runs in this room from now on.
    pub(crate) fn set_env(&mut self, name: &str, value: &str) -> &mut Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// `larkspur.toml`, beside the folder of modules.
    pub(crate) fn project(&self, text: &str) -> &Self {
        fs::write(self.path().join("larkspur.toml"), text).unwrap();
        self
    }

    /// The binary, about to run in this room.
    pub(crate) fn larkspur(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_larkspur"));
        command
            .args(args)
            .current_dir(self.path())
            .env("XDG_RUNTIME_DIR", self.path().join("run"))
            // Nobody's own folders and keys are touched.
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("LARKSPUR_VAULT_KEYRING", "off")
            .env_remove("LARKSPUR_VAULT_KEY")
            .env_remove("LARKSPUR_VAULT_KEY_FILE")
            .env_remove("LARKSPUR_VAULT_PASSPHRASE")
            .env_remove("LARKSPUR_LOG")
            .env_remove("RUST_LOG")
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, "")
    }

    /// Runs to the end with this on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Ran {
        finish(self.larkspur(args), input)
    }

    /// Runs to the end with these variables.
    pub(crate) fn run_told(&self, variables: &[(&str, &str)], args: &[&str]) -> Ran {
        let mut command = self.larkspur(args);
        command.envs(variables.iter().copied());
        finish(command, "")
    }
}

fn finish(mut command: Command, input: &str) -> Ran {
    let mut child = command
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

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Ran {
    code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
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
        assert!(self.stdout.contains(part), "no `{part}` on stdout: {self:#?}");
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
        assert!(self.stderr.contains(part), "no `{part}` on stderr: {self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}
