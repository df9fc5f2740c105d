//! Lines on their way to the file. Whoever adds one never waits for the disk: the thread that writes takes
//! all there are at once, a few times a second, makes text of them and keeps what it could not write.

use super::AuditCounts;
use super::line::Line;
use jiff::Timestamp;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use store::AuditFile;

/// More than this is not kept while nothing can be written: some ten thousand lines.
const MOST: usize = 4 << 20;
/// Lines that come within this are written together: waking a thread costs more than a line.
const TOGETHER: Duration = Duration::from_millis(100);
/// What could not be written is tried again after this.
const AGAIN: Duration = Duration::from_secs(1);
/// What was written is on the disk itself after this.
const SYNC: Duration = Duration::from_secs(1);
/// Written at once, so that a file that is put aside is not much too large.
const PIECE: usize = 64 << 10;

pub(super) struct Book {
    pages: Mutex<Pages>,
    news: Condvar,
    /// Calls are turned away while nothing can be written, so that each line is worth a wake-up.
    refuses: bool,
    is_failing: AtomicBool,
    written: AtomicU64,
    lost: AtomicU64,
}

#[derive(Default)]
struct Pages {
    lines: Vec<Line>,
    /// Of them, in bytes.
    weight: usize,
    /// Of those that the thread has taken, and not written yet.
    taken: usize,
    /// Lines that there have been, in the order of the file.
    count: u64,
    /// The thread waits to be told.
    is_idle: bool,
    is_closing: bool,
}

impl Book {
    pub(super) fn new(refuses: bool) -> Self {
        Self {
            pages: Mutex::default(),
            news: Condvar::new(),
            refuses,
            is_failing: AtomicBool::new(false),
            written: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        }
    }

    /// Must calls be turned away?
    pub(super) fn refuses_now(&self) -> bool {
        self.refuses && (self.is_failing.load(Ordering::Relaxed) || self.is_full())
    }

    fn is_full(&self) -> bool {
        let pages = self.lock();
        pages.weight + pages.taken > MOST / 2
    }

    pub(super) fn add(&self, mut line: Line) {
        let weight = line.weight();
        let mut pages = self.lock();
        if pages.is_closing || pages.weight + pages.taken + weight > MOST {
            self.lost.fetch_add(1, Ordering::Relaxed);
            return;
        }
        // Here, so that numbers and times stand in the file as they grow.
        pages.count += 1;
        line.seq = pages.count;
        line.time = Timestamp::now();
        pages.weight += weight;
        pages.lines.push(line);
        if pages.is_idle {
            pages.is_idle = false;
            self.news.notify_all();
        }
    }

    pub(super) fn close(&self) {
        self.lock().is_closing = true;
        self.news.notify_all();
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

    /// What the thread does, until the book is closed.
    pub(super) fn write_down(&self, mut file: AuditFile) {
        let mut dirty = None;
        let mut text = Vec::new();
        loop {
            let Some(mut lines) = self.take(&mut dirty, &file) else {
                file.sync();
                return;
            };
            if lines.is_empty() {
                continue;
            }
            text.clear();
            for line in &mut lines {
                line.write_to(&mut text);
            }
            self.write(&mut file, &text);
            self.lock().taken = 0;
            dirty.get_or_insert_with(Instant::now);
        }
    }

    /// The lines there are, after a while in which more may come; nothing when the book is closed.
    fn take(&self, dirty: &mut Option<Instant>, file: &AuditFile) -> Option<Vec<Line>> {
        let mut pages = self.lock();
        if pages.lines.is_empty() {
            if pages.is_closing {
                return None;
            }
            pages.is_idle = true;
            if dirty.is_none() {
                pages = self
                    .news
                    .wait(pages)
                    .unwrap_or_else(PoisonError::into_inner);
            } else {
                pages = self.wait(pages, SYNC);
            }
            pages.is_idle = false;
        }
        if !self.refuses && !pages.lines.is_empty() && !pages.is_closing {
            pages = self.wait(pages, TOGETHER);
        }
        let lines = std::mem::take(&mut pages.lines);
        pages.taken = std::mem::take(&mut pages.weight);
        drop(pages);
        if dirty.is_some_and(|since| since.elapsed() >= SYNC) {
            *dirty = None;
            file.sync();
        }
        Some(lines)
    }

    /// Piece by piece; what cannot be written is tried again until it can, or the book is closed.
    fn write(&self, file: &mut AuditFile, lines: &[u8]) {
        let mut left = lines;
        while !left.is_empty() {
            let (written, result) = file.add(piece(left));
            self.written
                .fetch_add(count(&left[..written]), Ordering::Relaxed);
            left = &left[written..];
            let Err(error) = result else {
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    tracing::warn!("the audit log can be written again");
                }
                continue;
            };
            if !self.is_failing.swap(true, Ordering::Relaxed) {
                let path = file.path().display();
                tracing::error!("the audit log {path} cannot be written: {error}");
            }
            let pages = self.lock();
            if pages.is_closing {
                self.lost.fetch_add(count(left), Ordering::Relaxed);
                return;
            }
            drop(self.wait(pages, AGAIN));
        }
    }

    /// Waits so long, or until the book is closed.
    fn wait<'p>(&self, pages: MutexGuard<'p, Pages>, time: Duration) -> MutexGuard<'p, Pages> {
        let is_idle = pages.is_idle;
        let goes_on = |pages: &mut Pages| !pages.is_closing && pages.is_idle == is_idle;
        let waited = self.news.wait_timeout_while(pages, time, goes_on);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count(lines: &[u8]) -> u64 {
    lines.split_inclusive(|byte| *byte == b'\n').count() as u64
}

/// Whole lines, one at least.
fn piece(lines: &[u8]) -> &[u8] {
    let end = |byte: &u8| *byte == b'\n';
    let within = lines.len().min(PIECE);
    let last = lines[..within].iter().rposition(end);
    let last = last.or_else(|| lines.iter().position(end));
    last.map_or(lines, |at| &lines[..=at])
}
