//! A tool call made many times over, at one of two paces.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::client::{Client, excerpt};
use super::era::Era;

/// A `tools/call` written once, all but its id.
pub(super) struct Call {
    head: String,
    tail: String,
    /// What every answer holds: looking for it is cheaper than parsing.
    expected: String,
}

#[derive(Clone, Copy)]
pub(super) enum Pace {
    /// The next call goes out when the last one is answered.
    Sequential,
    /// Up to `WINDOW` calls are under way at any time.
    Pipelined,
}

const WINDOW: u32 = 64;

/// What a number of calls took: of the server's CPU, and of time.
pub(super) struct Cost {
    cpu: Duration,
    wall: Duration,
    calls: u32,
}

impl Cost {
    pub(super) fn new(cpu: Duration, wall: Duration, calls: u32) -> Self {
        Self { cpu, wall, calls }
    }

    pub(super) fn cpu_micros(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / f64::from(self.calls)
    }

    pub(super) fn per_second(&self) -> f64 {
        f64::from(self.calls) / self.wall.as_secs_f64()
    }
}

impl Call {
    pub(super) fn new(era: Era, tool: &str, arguments: &Value, expected: &str) -> Self {
        let (head, tail) = era.request("tools/call", json!({"name": tool, "arguments": arguments}));
        Self { head, tail, expected: expected.to_owned() }
    }

    pub(super) fn hello(era: Era) -> Self {
        Self::new(era, "hello", &json!({"name": "ada"}), "\"hello ada\"")
    }

    /// Makes `calls` calls and weighs them.
    pub(super) fn weigh(&self, client: &mut Client, pace: Pace, calls: u32) -> Result<Cost> {
        let before = client.usage()?;
        let start = Instant::now();
        self.repeat(client, pace, calls)?;
        let wall = start.elapsed();
        Ok(Cost { cpu: client.usage()?.since(&before), wall, calls })
    }

    pub(super) fn repeat(&self, client: &mut Client, pace: Pace, calls: u32) -> Result<()> {
        let window = pace.window();
        let (mut sent, mut answered) = (0, 0);
        let mut lines = String::new();
        while answered < calls {
            lines.clear();
            while sent < calls && sent - answered < window {
                self.write(&mut lines, client.id());
                sent += 1;
            }
            client.send(lines.as_bytes())?;
            answered += self.answers(client)?;
        }
        Ok(())
    }

    fn write(&self, lines: &mut String, id: u64) {
        lines.push_str(&self.head);
        lines.push_str(&id.to_string());
        lines.push_str(&self.tail);
    }

    /// Waits for one line, then takes the others that came with it.
    fn answers(&self, client: &mut Client) -> Result<u32> {
        let mut answers = self.answer(client)?;
        while client.has_line() {
            answers += self.answer(client)?;
        }
        Ok(answers)
    }

    /// 1 for an answer, 0 for a notification.
    fn answer(&self, client: &mut Client) -> Result<u32> {
        let line = client.receive()?;
        if line.contains(&self.expected) {
            return Ok(1);
        }
        let message: Value = serde_json::from_str(line)?;
        if message.get("id").is_none() {
            return Ok(0);
        }
        bail!("expected {} in {}", self.expected, excerpt(&message))
    }
}

impl Pace {
    pub(super) const ALL: [Self; 2] = [Self::Sequential, Self::Pipelined];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Pipelined => "pipelined",
        }
    }

    fn window(self) -> u32 {
        match self {
            Self::Sequential => 1,
            Self::Pipelined => WINDOW,
        }
    }
}
