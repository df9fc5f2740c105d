//! The audit log: one line per call and denial, written by its own thread.

mod entry;
mod line;
mod mask;
mod queue;
mod receipt;

pub(crate) use entry::Entry;
pub use line::Trail;
pub(crate) use receipt::{Receipt, Unwritten};

use crate::audit::line::Line;
use crate::audit::queue::AuditQueue;
use crate::project::ProjectFile;
use crate::quota::Single;
use crate::scopes::Lacking;
use model::Caller;
use parking_lot::Mutex;
use settings::{AuditSettings, OnError, Rate};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use store::AuditFile;

/// A clone shares. Where nobody wants it, it does nothing.
#[derive(Clone, Default)]
pub struct Audit(Option<Arc<Keeper>>);

/// Somebody who was turned away before there was a call.
pub struct Denial<'a> {
    /// As far as he is known.
    pub caller: Option<&'a Caller>,
    pub trail: &'a Trail,
    /// `tools/call`; empty where nobody has read that far.
    pub method: &'a str,
    /// What he wanted, as he named it.
    pub wanted: &'a str,
    /// What that is, where it is known.
    pub of: Option<&'a Lacking>,
    /// One word: `login`, `origin`, `scope`.
    pub kind: &'a str,
    /// A rule or a limit that decided, if one did.
    pub rule: Option<&'a str>,
}

/// Whom nobody knows could push everything else out of the files: he gets so many lines.
const STRANGERS: Rate = Rate { count: 60, per: Duration::from_mins(1) };

struct Keeper {
    queue: Arc<AuditQueue>,
    strangers: Single,
    /// Of theirs, those that were not written since the last that was.
    passed_over: AtomicU64,
    settings: AuditSettings,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Counts for metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditCounts {
    pub written: u64,
    /// Lines for which there was no room while nothing could be written.
    pub lost: u64,
    pub is_failing: bool,
}

impl Audit {
    /// As the project's file has it.
    pub(crate) fn of(project: &ProjectFile) -> Self {
        let Some(settings) = &project.project().audit else {
            return Self::default();
        };
        let path = project.audit_file(settings);
        let mut file = AuditFile::new(path, settings.max_size, settings.keep);
        let is_strict = settings.on_error == OnError::Refuse;
        let queue = Arc::new(AuditQueue::new(is_strict));
        // The log says so before the first call is refused.
        if is_strict && let Err(error) = file.prepare() {
            let path = file.path().display();
            tracing::error!("cannot write the audit log {path}: {error}");
            queue.fail();
        }
        let writer = Arc::clone(&queue);
        let thread = std::thread::Builder::new().name("audit".into());
        let thread = thread.spawn(move || writer.run_writer(file));
        if let Err(error) = &thread {
            tracing::error!("cannot start the thread that writes the audit log: {error}");
            queue.fail();
        }
        Self(Some(Arc::new(Keeper {
            queue,
            strangers: Single::new(STRANGERS),
            passed_over: AtomicU64::new(0),
            settings: settings.clone(),
            thread: Mutex::new(thread.ok()),
        })))
    }

    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Is every call turned away, since nothing can be written?
    pub fn is_refusing(&self) -> bool {
        self.0.as_ref().is_some_and(|keeper| keeper.queue.refuses_now())
    }

    pub fn counts(&self) -> Option<AuditCounts> {
        Some(self.0.as_ref()?.queue.counts())
    }

    /// Writes down that somebody was turned away.
    pub fn denied(&self, denial: &Denial<'_>) {
        self.turned_away("denied", denial);
    }

    /// The same for one who came too often.
    pub fn limited(&self, denial: &Denial<'_>) {
        self.turned_away("limited", denial);
    }

    fn turned_away(&self, verdict: &'static str, denial: &Denial<'_>) {
        let Some(keeper) = &self.0 else { return };
        let mut line = Line::new(line::cut(denial.method).to_owned(), denial.caller, denial.trail);
        line.tool = Some(line::cut(denial.wanted).to_owned()).filter(|name| !name.is_empty());
        if let Some(of) = denial.of {
            line.module = Some(of.module.clone());
            line.version.clone_from(&of.version);
            line.tool = Some(of.name.clone());
        }
        line.verdict = verdict;
        line.kind = Some(denial.kind.to_owned());
        line.rule = denial.rule.map(str::to_owned);
        if denial.caller.is_none() {
            if keeper.strangers.take().is_err() {
                keeper.passed_over.fetch_add(1, Ordering::Relaxed);
                return;
            }
            let more = keeper.passed_over.swap(0, Ordering::Relaxed);
            line.more = (more > 0).then_some(more);
        }
        keeper.queue.add(line);
    }

    /// Waits until all there is has been written, or cannot be.
    pub(crate) fn close(&self) {
        if let Some(keeper) = &self.0 {
            keeper.close();
        }
    }
}

impl Keeper {
    fn close(&self) {
        self.queue.close();
        let thread = self.thread.lock().take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.close();
    }
}
