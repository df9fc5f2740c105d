//! Ends a server with SIGTERM, as an operator does, so that it can write what it has to.

use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};

const TIMEOUT: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(5);

pub(super) fn stop(child: &mut Child) -> Result<()> {
    kill_process(Pid::from_child(child), Signal::TERM).context("cannot stop the server")?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        ensure!(start.elapsed() < TIMEOUT, "the server ignores SIGTERM");
        sleep(POLL);
    }
    Ok(())
}
