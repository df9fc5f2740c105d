//! A child process and the lines it speaks, each wait with a deadline.

use crate::room::Room;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Nothing takes so long unless something is wrong; the machine may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Stands for the id of an answer to a batch.
const LIST: &str = "[]";

pub(crate) struct Wire {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    stderr: Arc<Mutex<String>>,
    /// Reads stderr to its end.
    reader: Option<JoinHandle<()>>,
    /// Answers nobody has asked for yet, by their id's JSON.
    answers: HashMap<String, VecDeque<Value>>,
    notifications: VecDeque<Value>,
    silent: bool,
}

impl Wire {
    pub(crate) fn spawn(room: &Room, args: &[&str]) -> Self {
        let mut child = room
            .larkspur(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (heard, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if heard.send(message).is_err() {
                    return;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(String::new()));
        let reader = keep(child.stderr.take().unwrap(), Arc::clone(&stderr));
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            stderr,
            reader: Some(reader),
            answers: HashMap::new(),
            notifications: VecDeque::new(),
            silent: false,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// The end to write to, for a thread that writes more than is read meanwhile.
    pub(crate) fn take_stdin(&mut self) -> ChildStdin {
        self.stdin.take().unwrap()
    }

    pub(crate) fn give_stdin(&mut self, stdin: ChildStdin) {
        self.stdin = Some(stdin);
    }

    pub(crate) fn send(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        let sent = stdin
            .write_all(line)
            .and_then(|()| stdin.write_all(b"\n"))
            .and_then(|()| stdin.flush());
        if let Err(error) = sent {
            self.fail(&format!("the server does not read: {error}"));
        }
    }

    /// Takes in what the server says until then; answers whether it said something.
    pub(crate) fn pump(&mut self, until: Instant) -> bool {
        let patience = until.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(patience) {
            Ok(message) => {
                self.take(message);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                self.silent = true;
                false
            }
        }
    }

    fn take(&mut self, message: Value) {
        if message.is_array() {
            let lists = self.answers.entry(LIST.to_owned()).or_default();
            return lists.push_back(message);
        }
        if !message.is_object() {
            self.fail(&format!("this is no message: {message}"));
        }
        if message.get("method").is_some() {
            self.notifications.push_back(message);
        } else {
            let id = message["id"].to_string();
            self.answers.entry(id).or_default().push_back(message);
        }
    }

    /// Waits until `found` finds what it looks for in what was said.
    #[track_caller]
    pub(crate) fn wait<T>(
        &mut self,
        what: &str,
        mut found: impl FnMut(&mut Self) -> Option<T>,
    ) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = found(self) {
                return found;
            }
            if !self.pump(deadline) {
                self.fail(&format!("waited in vain for {what}"));
            }
        }
    }

    #[track_caller]
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        let key = id.to_string();
        self.wait(&format!("the answer to {id}"), |wire| wire.answered(&key))
    }

    /// The answer to a batch.
    #[track_caller]
    pub(crate) fn list(&mut self) -> Value {
        self.wait("the answer to a batch", |wire| wire.answered(LIST))
    }

    /// An answer that has already come.
    pub(crate) fn answered(&mut self, id: &str) -> Option<Value> {
        self.answers.get_mut(id)?.pop_front()
    }

    /// Waits until this is on stderr.
    #[track_caller]
    pub(crate) fn warned(&mut self, part: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.stderr().contains(part) {
            if Instant::now() > deadline {
                self.fail(&format!("`{part}` was never said on stderr"));
            }
            self.pump(Instant::now() + Duration::from_millis(5));
        }
    }

    #[track_caller]
    pub(crate) fn notification(&mut self, method: &str) -> Value {
        self.wait(method, |wire| wire.notified(method))
    }

    /// A notification that has already come.
    pub(crate) fn notified(&mut self, method: &str) -> Option<Value> {
        let at = self.notifications.iter().position(|message| message["method"] == method)?;
        self.notifications.remove(at)
    }

    /// Notifications that have already come.
    pub(crate) fn take_notifications(&mut self) -> Vec<Value> {
        self.notifications.drain(..).collect()
    }

    /// Everything said that nobody has asked for, by id.
    pub(crate) fn unasked(&mut self) -> HashMap<String, Vec<Value>> {
        while self.pump(Instant::now()) {}
        let answers = std::mem::take(&mut self.answers);
        answers
            .into_iter()
            .map(|(id, answers)| (id, answers.into()))
            .filter(|(_, answers): &(_, Vec<Value>)| !answers.is_empty())
            .collect()
    }

    /// Closes standard input, hears the server out and waits for its end.
    #[track_caller]
    pub(crate) fn close(&mut self) -> (ExitStatus, Duration) {
        drop(self.stdin.take());
        self.ended()
    }

    #[track_caller]
    pub(crate) fn ended(&mut self) -> (ExitStatus, Duration) {
        self.ended_within(PATIENCE)
    }

    #[track_caller]
    pub(crate) fn ended_within(&mut self, patience: Duration) -> (ExitStatus, Duration) {
        let begin = Instant::now();
        while !self.silent {
            if !self.pump(begin + patience) && !self.silent {
                self.fail("waited in vain for the end");
            }
        }
        let status = self.child.wait().unwrap();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        (status, begin.elapsed())
    }

    #[track_caller]
    pub(crate) fn fail(&self, what: &str) -> ! {
        panic!("{what}\n--- stderr of the server\n{}", self.stderr());
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads to the end on a thread of its own.
pub(crate) fn keep(
    mut from: impl Read + Send + 'static,
    into: Arc<Mutex<String>>,
) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            into.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    })
}
