//! The folder that the demo plays in, and the program that plays.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use standins::Standins;

use super::from_root;

/// Where the example says that the services are.
const PLACES: [(&str, &str); 3] = [
    ("notion", "http://127.0.0.1:4001"),
    ("github", "http://127.0.0.1:4002"),
    ("jira", "http://127.0.0.1:4003"),
];

/// What it opens is as invented as what it locks.
const VAULT_KEY: &str = "7469646577617465722066657272696573207374616e642d696e206b65792031";

pub(super) struct Stage {
    program: PathBuf,
    folder: PathBuf,
    modules: PathBuf,
}

impl Stage {
    /// Copies the example into an empty folder, with the ports of these stand-ins.
    pub(super) fn set(
        root: &Path,
        program: PathBuf,
        folder: &Path,
        standins: &Standins,
    ) -> Result<Self> {
        let example = root.join("examples/registry-demo");
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        fs::copy(example.join("plan.jsonl"), folder.join("plan.jsonl"))?;
        let mut project = fs::read_to_string(example.join("larkspur.toml"))?;
        for ((name, place), (module, standin)) in PLACES.iter().zip(standins.by_module()) {
            ensure!(*name == module && project.contains(place), "no {place}");
            project = project.replace(place, &standin.url());
        }
        fs::write(folder.join("larkspur.toml"), project)?;
        Ok(Self { program, folder: folder.to_path_buf(), modules: root.join("modules") })
    }

    /// Sets a module's token; what is said to it.
    pub(super) fn keep(&self, module: &str, token: &str) -> Result<String> {
        let name = format!("{module}.token");
        self.run(&["secret", "set", &name], token, Stdio::piped())
    }

    pub(super) fn plan(&self) -> Result<String> {
        Ok(fs::read_to_string(self.folder.join("plan.jsonl"))?)
    }

    /// Runs the batch; what it draws goes where ours goes.
    pub(super) fn batch(&self) -> Result<Value> {
        let args = ["batch", "plan.jsonl", "--format", "json"];
        let answer = self.run(&args, "", Stdio::inherit())?;
        serde_json::from_str(&answer).with_context(|| format!("no answer: {answer}"))
    }

    fn run(&self, args: &[&str], input: &str, errors: Stdio) -> Result<String> {
        let mut child = Command::new(&self.program)
            .args(args)
            .arg("--modules")
            .arg(&self.modules)
            .current_dir(&self.folder)
            .env("LARKSPUR_VAULT_KEY", VAULT_KEY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        let mut stdin = child.stdin.take().context("no pipe")?;
        stdin.write_all(input.as_bytes())?;
        drop(stdin);
        let ended = child.wait_with_output()?;
        let said = String::from_utf8(ended.stdout)?;
        if !ended.status.success() {
            let complaint = String::from_utf8_lossy(&ended.stderr);
            bail!("larkspur {}: {}\n{said}{complaint}", args.join(" "), ended.status);
        }
        Ok(said)
    }

    /// What can be typed while the stand-ins are there.
    pub(super) fn invitation(&self, root: &Path) -> String {
        format!(
            "\nThe stand-ins stay until Enter is pressed here. In another terminal, in {}:\n  \
             export LARKSPUR_VAULT_KEY={VAULT_KEY}\n  \
             larkspur() {{ {} --modules {} \"$@\"; }}\n  \
             larkspur list\n  \
             larkspur call github.list_issues repo=tidewater/ticketing --format compact\n  \
             larkspur read jira://issue/TIDE-121",
            from_root(root, &self.folder),
            self.program.display(),
            self.modules.display(),
        )
    }
}
