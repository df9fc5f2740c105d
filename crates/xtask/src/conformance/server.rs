//! The server that is looked at, on a port of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Server {
    child: Child,
    pub(super) url: String,
}

impl Server {
    /// Serves `modules` in a folder, which is where its state goes as well.
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .args(["serve", "--http", "-p", "0", "--modules", "modules"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let stderr = child.stderr.take();
        let (tell, heard) = channel();
        // Read to the end, so that the server never waits for somebody to listen.
        thread::spawn(move || {
            let lines = stderr.into_iter().flat_map(|it| BufReader::new(it).lines());
            for line in lines.map_while(Result::ok) {
                let _ = tell.send(line);
            }
        });
        let mut server = Self { child, url: String::new() };
        let mut said = Vec::new();
        while let Ok(line) = heard.recv_timeout(PATIENCE) {
            if let Some((_, url)) = line.split_once("listening on ") {
                url.trim().clone_into(&mut server.url);
                return Ok(server);
            }
            said.push(line);
        }
        bail!("the server never listened; it said:\n{}", said.join("\n"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing is left to lose, and there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
