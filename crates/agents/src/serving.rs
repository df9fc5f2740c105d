//! The server under test: its command, with a copy of the modules that it may write to.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result};

use crate::case::Run;

pub(crate) struct Serving {
    program: PathBuf,
    modules: PathBuf,
    surface: String,
}

impl Serving {
    pub(crate) fn prepare(program: &Path, root: &Path, run: &Run, scratch: &Path) -> Result<Self> {
        let modules = scratch.join("modules");
        copy(&root.join(&run.modules), &modules)?;
        Ok(Self { program: program.to_owned(), modules, surface: run.surface.clone() })
    }

    pub(crate) fn program(&self) -> String {
        self.program.display().to_string()
    }

    pub(crate) fn arguments(&self) -> Vec<String> {
        let modules = self.modules.display().to_string();
        let words = ["serve", "-e", &modules, "--surface", &self.surface];
        words.map(str::to_owned).to_vec()
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.arguments()).current_dir(&self.modules);
        command.env("HOME", self.modules.with_file_name("reference"));
        command
    }

    /// Removes a file that a call left beside the modules; whether there was one.
    pub(crate) fn take(&self, file: &str) -> bool {
        fs::remove_file(self.modules.join(file)).is_ok()
    }
}

/// The server under test, listening on loopback until this is dropped.
pub(crate) struct HttpServer {
    child: Child,
    address: String,
}

impl HttpServer {
    pub(crate) fn start(serving: &Serving) -> Result<Self> {
        let mut command = serving.command();
        command.args(["--http", "-p", "0"]).stdin(Stdio::null());
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let stderr = child.stderr.take();
        let mut server = Self { child, address: String::new() };
        let mut lines = BufReader::new(stderr.context("no stderr")?).lines();
        server.address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once("listening on ")?.1.trim().to_owned()))
            .context("the server has ended before it listened")?;
        // Read to the end, so that the server can go on writing.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Ok(server)
    }

    /// URL of the MCP endpoint.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
