//! Lines on their way to the audit file: callers add them, and one thread writes them in order. It takes all
//! there are at once, a few times a second; a caller waits only where no call may run unrecorded.

use super::AuditCounts;
use super::line::{BEGUN, Line};
use super::receipt::{Receipt, Unwritten};
use jiff::Timestamp;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::AuditFile;
use tokio::sync::oneshot;

/// Bytes that are kept while nothing can be written: some ten thousand lines.
const MOST: usize = 4 << 20;
/// Lines that come within this are written together: waking a thread costs more than a line.
const TOGETHER: Duration = Duration::from_millis(100);
/// Pause before lines that could not be written are tried again.
const RETRY: Duration = Duration::from_secs(1);
/// Longest time until written lines are synchronized with the disk.
const SYNC: Duration = Duration::from_secs(1);
/// Bytes per write, so that rotated files are not much too large.
const PIECE: usize = 64 << 10;

pub(super) struct AuditQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    /// Calls wait for their lines (`on_error = "refuse"`), so that each line is worth a wake-up.
    pub(super) is_strict: bool,
    is_failing: AtomicBool,
    written: AtomicU64,
    lost: AtomicU64,
}

#[derive(Default)]
struct QueueState {
    lines: Vec<QueuedLine>,
    /// Bytes of `lines`.
    weight: usize,
    /// Bytes that the writer has taken and not written yet.
    taken: usize,
    /// Lines so far, in the order of the file.
    count: u64,
    /// The writer waits for a line.
    is_idle: bool,
    is_closing: bool,
}

struct QueuedLine {
    line: Line,
    /// Learns whether the first attempt wrote the line.
    waiting: Option<oneshot::Sender<bool>>,
}

impl QueuedLine {
    fn report(&mut self, is_written: bool) {
        if let Some(waiting) = self.waiting.take() {
            let _ = waiting.send(is_written);
        }
    }
}

impl AuditQueue {
    pub(super) fn new(is_strict: bool) -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            is_strict,
            is_failing: AtomicBool::new(false),
            written: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        }
    }

    /// Whether calls are refused, since nothing can be written.
    pub(super) fn refuses_now(&self) -> bool {
        self.is_strict && (self.is_failing.load(Ordering::Relaxed) || self.is_full())
    }

    fn is_full(&self) -> bool {
        let state = self.state.lock();
        state.weight + state.taken > MOST / 2
    }

    /// Adds a line that nobody waits for.
    pub(super) fn add(&self, line: Line) {
        self.push(QueuedLine { line, waiting: None });
    }

    /// Adds a line and says how to wait for it, with its number.
    pub(super) fn add_waiting(
        &self,
        line: Line,
        has_run: bool,
    ) -> Result<(u64, Receipt), Unwritten> {
        let (waiting, written) = oneshot::channel();
        let number = self.push(QueuedLine { line, waiting: Some(waiting) });
        let number = number.ok_or(Unwritten { has_run })?;
        Ok((number, Receipt { written, has_run }))
    }

    /// The number of the line, or nothing when there is no room for it.
    fn push(&self, mut queued: QueuedLine) -> Option<u64> {
        let weight = queued.line.weight();
        let mut state = self.state.lock();
        if state.is_closing || state.weight + state.taken + weight > MOST {
            self.lost.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        // Under the lock, so that numbers and times grow in the order of the file.
        state.count += 1;
        let number = state.count;
        queued.line.seq = number;
        queued.line.time = Timestamp::now();
        state.weight += weight;
        state.lines.push(queued);
        if state.is_idle {
            state.is_idle = false;
            self.changed.notify_all();
        }
        Some(number)
    }

    pub(super) fn close(&self) {
        self.state.lock().is_closing = true;
        self.changed.notify_all();
    }

    pub(super) fn fail(&self) {
        self.is_failing.store(true, Ordering::Relaxed);
    }

    pub(super) fn counts(&self) -> AuditCounts {
        AuditCounts {
            written: self.written.load(Ordering::Relaxed),
            lost: self.lost.load(Ordering::Relaxed),
            is_failing: self.is_failing.load(Ordering::Relaxed),
        }
    }

    /// Runs the writer until the queue is closed.
    pub(super) fn run_writer(&self, mut file: AuditFile) {
        let mut dirty = None;
        while let Some(lines) = self.take(&mut dirty, &file) {
            if lines.is_empty() {
                continue;
            }
            self.write(&mut file, lines);
            self.state.lock().taken = 0;
            dirty.get_or_insert_with(Instant::now);
        }
        file.sync();
    }

    /// The lines there are, after a while in which more may come; nothing when the queue is closed.
    fn take(&self, dirty: &mut Option<Instant>, file: &AuditFile) -> Option<Vec<QueuedLine>> {
        let mut state = self.state.lock();
        if state.lines.is_empty() {
            if state.is_closing {
                return None;
            }
            state.is_idle = true;
            if dirty.is_none() {
                self.changed.wait(&mut state);
            } else {
                self.wait(&mut state, SYNC);
            }
            state.is_idle = false;
        }
        if !self.is_strict && !state.lines.is_empty() && !state.is_closing {
            self.wait(&mut state, TOGETHER);
        }
        let lines = std::mem::take(&mut state.lines);
        state.taken = std::mem::take(&mut state.weight);
        drop(state);
        if dirty.is_some_and(|since| since.elapsed() >= SYNC) {
            *dirty = None;
            file.sync();
        }
        Some(lines)
    }

    /// Writes lines piece by piece; what cannot be written is tried again until it can, or the queue is closed.
    fn write(&self, file: &mut AuditFile, mut lines: Vec<QueuedLine>) {
        let mut text = Vec::new();
        while !lines.is_empty() {
            render_piece(&mut lines, &mut text);
            let (bytes, result) = file.add(&text);
            let whole = count_lines(&text[..bytes]);
            for mut line in lines.drain(..whole) {
                line.report(true);
            }
            self.written.fetch_add(whole as u64, Ordering::Relaxed);
            match result {
                Ok(()) => self.note_success(),
                Err(error) => {
                    self.note_failure(file, &error);
                    if !self.keep_unwritten(&mut lines) {
                        return;
                    }
                }
            }
        }
    }

    fn note_success(&self) {
        if self.is_failing.swap(false, Ordering::Relaxed) {
            tracing::warn!("the audit log can be written again");
        }
    }

    fn note_failure(&self, file: &AuditFile, error: &std::io::Error) {
        if !self.is_failing.swap(true, Ordering::Relaxed) {
            let path = file.path().display();
            tracing::error!("cannot write the audit log {path}: {error}");
        }
    }

    /// Reports the failure to those who wait and pauses; false when the queue is closed. A call whose begin is
    /// not written does not run, so that its begin is dropped.
    fn keep_unwritten(&self, lines: &mut Vec<QueuedLine>) -> bool {
        lines.retain_mut(|queued| {
            queued.report(false);
            queued.line.verdict != BEGUN
        });
        let mut state = self.state.lock();
        if state.is_closing {
            self.lost.fetch_add(lines.len() as u64, Ordering::Relaxed);
            return false;
        }
        if !lines.is_empty() {
            self.wait(&mut state, RETRY);
        }
        true
    }

    /// Waits for a time, or until the queue is closed.
    fn wait(&self, state: &mut MutexGuard<'_, QueueState>, time: Duration) {
        let is_idle = state.is_idle;
        let goes_on = |state: &mut QueueState| !state.is_closing && state.is_idle == is_idle;
        self.changed.wait_while_for(state, goes_on, time);
    }
}

/// Renders the first lines, at least one.
fn render_piece(lines: &mut [QueuedLine], text: &mut Vec<u8>) {
    text.clear();
    for queued in lines {
        let before = text.len();
        queued.line.write_to(text);
        if before > 0 && text.len() > PIECE {
            text.truncate(before);
            return;
        }
    }
}

fn count_lines(text: &[u8]) -> usize {
    text.split_inclusive(|byte| *byte == b'\n').count()
}
