//! `examples/bare.rs` at work: what a request costs without us.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::contender::Contender;
use super::patient::Patient;

pub(super) struct Bare {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<Patient>,
}

impl Bare {
    pub(super) fn spawn(contender: &Contender, url: &str) -> Result<Self> {
        let mut child = Command::new(&contender.program)
            .arg(url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", contender.program.display()))?;
        let stdin = child.stdin.take().context("no stdin")?;
        let stdout = BufReader::new(Patient(child.stdout.take().context("no stdout")?));
        Ok(Self {
            child,
            stdin,
            stdout,
        })
    }

    /// What one of so many requests took.
    pub(super) fn micros(&mut self, requests: u32) -> Result<f64> {
        writeln!(self.stdin, "{requests}")?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        ensure!(!line.is_empty(), "no word from the bare client");
        let nanos: f64 = line.trim().parse()?;
        Ok(nanos / 1e3 / f64::from(requests))
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // Nothing is left to lose, and there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
