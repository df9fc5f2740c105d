//! Starts a client in a clean home, and ends it with all its processes.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;

use crate::client::{Client, Column};
use crate::serving::Serving;

const PROMPT: &str = "please use the tools";
const TIME_LIMIT: Duration = Duration::from_mins(5);

/// Everything that a client is started with.
pub(crate) struct Launch<'a> {
    pub(crate) client: &'a Client,
    pub(crate) column: &'a Column,
    pub(crate) serving: &'a Serving,
    /// Where the server listens; without it, the client starts the server over stdio.
    pub(crate) address: Option<&'a str>,
    pub(crate) approve: bool,
    /// Address of the stub model.
    pub(crate) url: String,
    /// Folder of the installed package.
    pub(crate) package: PathBuf,
    /// Folder of Node.js.
    pub(crate) node: PathBuf,
    /// Folder that becomes the client's home.
    pub(crate) home: PathBuf,
    /// Folder for what the client prints.
    pub(crate) records: PathBuf,
}

impl Launch<'_> {
    /// Runs the client to its end; says how it ended if not well.
    pub(crate) fn run(&self) -> Result<Option<String>> {
        self.write_home(&self.client.home(), &self.home)?;
        let work = self.home.join("work");
        fs::create_dir_all(&work)?;
        let output = |name: &str| File::create(self.records.join(name));
        let mut command =
            Command::new(self.package.join("node_modules/.bin").join(&self.client.program));
        let arguments = self.client.arguments.iter();
        command
            .args(arguments.map(|argument| self.fill(argument)))
            .env_clear()
            .envs(self.environment())
            .current_dir(work)
            .stdin(Stdio::null())
            .stdout(output("stdout")?)
            .stderr(output("stderr")?)
            .process_group(0);
        let ended = wait(&mut command)?;
        Ok(match ended {
            Some(status) if status.success() => None,
            Some(status) => Some(format!("ended with {status}: {}", self.last_words())),
            None => Some(format!("was still running after {} s", TIME_LIMIT.as_secs())),
        })
    }

    fn environment(&self) -> Vec<(String, String)> {
        let own = self.client.environment.iter();
        let mut all: Vec<(String, String)> =
            own.map(|(name, value)| (name.clone(), self.fill(value))).collect();
        let (home, node) = (self.home.display(), self.node.display());
        let shared = [
            ("HOME", home.to_string()),
            ("PATH", format!("{node}:/usr/local/bin:/usr/bin:/bin")),
            ("TMPDIR", home.to_string()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "dumb".to_owned()),
            ("NO_COLOR", "1".to_owned()),
        ];
        all.extend(shared.map(|(name, value)| (name.to_owned(), value)));
        all
    }

    /// Copies the client's files, with the placeholders replaced.
    fn write_home(&self, from: &Path, to: &Path) -> Result<()> {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let target = to.join(entry.file_name());
            if entry.path().is_dir() {
                self.write_home(&entry.path(), &target)?;
            } else {
                fs::write(target, self.fill(&fs::read_to_string(entry.path())?))?;
            }
        }
        Ok(())
    }

    fn fill(&self, template: &str) -> String {
        let (program, arguments) = (self.serving.program(), self.serving.arguments());
        let line: Vec<&String> = std::iter::once(&program).chain(&arguments).collect();
        let approve = if self.approve { &self.client.approve } else { "" };
        let server = match self.address {
            Some(_) => &self.client.server.http,
            None => &self.client.server.stdio,
        };
        [
            // First, since it has others in it.
            ("@SERVER@", server.clone()),
            ("@ADDRESS@", self.address.unwrap_or_default().to_owned()),
            ("@URL@", self.url.clone()),
            ("@HOME@", self.home.display().to_string()),
            ("@MODEL@", self.column.model.clone()),
            ("@PROMPT@", PROMPT.to_owned()),
            ("@COMMAND@", json!(program).to_string()),
            ("@ARGUMENTS@", json!(arguments).to_string()),
            ("@LINE@", json!(line).to_string()),
            ("@APPROVE@", approve.to_owned()),
        ]
        .iter()
        .fold(template.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// The end of what the client printed.
    fn last_words(&self) -> String {
        let printed = ["stderr", "stdout"]
            .map(|name| fs::read_to_string(self.records.join(name)).unwrap_or_default());
        let printed = printed.iter().find(|text| !text.trim().is_empty());
        let lines: Vec<&str> = printed.map_or("", String::as_str).trim().lines().collect();
        lines[lines.len().saturating_sub(3)..].join(" / ")
    }
}

/// Waits for the end, `None` after the time limit; then kills what is left of the process group.
fn wait(command: &mut Command) -> Result<Option<ExitStatus>> {
    let program = command.get_program().to_owned();
    let mut child =
        command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let group = Pid::from_child(&child);
    let (sender, ended) = channel();
    let waiting = thread::spawn(move || sender.send(child.wait()));
    let status = match ended.recv_timeout(TIME_LIMIT) {
        Ok(status) => Some(status?),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
    };
    // Nothing is left of most groups.
    let _ = kill_process_group(group, Signal::KILL);
    let _ = waiting.join();
    Ok(status)
}
