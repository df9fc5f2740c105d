//! A program and whatever it starts: one group, ended as one.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the room where programs are started"
)]

use super::talk::pause;
use model::{ExecRequest, Surroundings};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A killed process is gone at once, unless a disk or a device holds it.
const PATIENCE: Duration = Duration::from_millis(200);

pub(super) struct Group {
    /// Gone once it has been reaped.
    leader: Option<Child>,
    id: Pid,
}

pub(super) struct Pipes {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
}

impl Group {
    pub(super) fn start(
        program: &Path,
        request: &ExecRequest,
        surroundings: &Surroundings,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        command
            .arg0(&request.command)
            .args(&request.args)
            .env_clear()
            .envs(surroundings.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&surroundings.cwd)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let leader = command.spawn()?;
        let id = Pid::from_child(&leader);
        Ok(Self {
            leader: Some(leader),
            id,
        })
    }

    pub(super) fn pipes(&mut self) -> Pipes {
        let leader = self.leader.as_mut();
        leader.map_or_else(Pipes::none, |leader| Pipes {
            stdin: leader.stdin.take(),
            stdout: leader.stdout.take(),
            stderr: leader.stderr.take(),
        })
    }

    /// Has the program itself ended? It is left unreaped, so that its number stays its own until
    /// the group has been killed.
    pub(super) fn has_ended(&self) -> bool {
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.id), how) {
            Ok(status) => status.is_some(),
            Err(error) => error != rustix::io::Errno::INTR,
        }
    }

    /// Kills what is left of the group, and reaps the program.
    pub(super) fn end(&mut self) -> Option<ExitStatus> {
        let mut leader = self.leader.take()?;
        // There may be nobody left to kill.
        let _ = kill_process_group(self.id, Signal::KILL);
        let until = Instant::now() + PATIENCE;
        while !self.has_ended() {
            if Instant::now() > until {
                std::thread::spawn(move || leader.wait());
                return None;
            }
            pause(Duration::from_millis(1));
        }
        leader.wait().ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

impl Pipes {
    fn none() -> Self {
        Self {
            stdin: None,
            stdout: None,
            stderr: None,
        }
    }
}
