//! A call while it runs, recorded when it ends, however it does; in strict mode also before it runs.

use super::line::{BEGUN, Line, cut};
use super::mask::masked;
use super::{Audit, Keeper, Receipt, Trail, Unwritten};
use crate::call::CallError;
use crate::catalog::{Catalog, Module};
use crate::read::ReadError;
use model::{Args, Caller, Output, Stop};
use serde_json::value::to_raw_value;
use std::sync::Arc;
use std::time::Instant;

/// Nothing, where nobody writes.
#[derive(Default)]
pub(crate) struct Entry(Option<Box<Open>>);

struct Open {
    keeper: Arc<Keeper>,
    line: Line,
    caller: Caller,
    begin: Instant,
}

/// How it ended: the verdict, why, and how much came out.
struct Ended {
    verdict: &'static str,
    kind: Option<String>,
    bytes: Option<usize>,
}

impl Audit {
    /// A call begins. `wanted` is what it names, as it names it.
    pub(crate) fn begin(
        &self,
        method: &'static str,
        caller: &Caller,
        trail: &Trail,
        wanted: &str,
        args: Option<&Args>,
    ) -> Result<Entry, Unwritten> {
        let Some(keeper) = &self.0 else {
            return Ok(Entry(None));
        };
        let mut line = Line::new(method, Some(caller), trail);
        line.tool = Some(cut(wanted).to_owned());
        let args = args.filter(|_| keeper.settings.arguments);
        line.arguments = args.and_then(|args| to_raw_value(&masked(args)).ok());
        if keeper.queue.refuses_now() {
            line.verdict = "denied";
            line.kind = Some("audit".into());
            keeper.queue.add(line);
            return Err(Unwritten { has_run: false });
        }
        Ok(Entry(Some(Box::new(Open {
            keeper: Arc::clone(keeper),
            line,
            caller: caller.clone(),
            begin: Instant::now(),
        }))))
    }
}

impl Entry {
    /// It has been found out what is called.
    pub(crate) fn found(&mut self, catalog: &Catalog, module: &Module, name: &str) {
        let Some(open) = &mut self.0 else { return };
        let line = &mut open.line;
        line.module = Some(module.name.to_string());
        line.version = module.version();
        line.tool = Some(cut(name).to_owned());
        let policy = &catalog.rules.policy;
        let roles = policy.roles_of(&open.caller);
        if roles != model::Roles::All {
            let verdict = policy.decide(&roles, module.name.as_str(), name);
            line.rule = Some(verdict.to_string());
        }
    }

    /// It was answered before.
    pub(crate) fn cached(&mut self) {
        if let Some(open) = &mut self.0 {
            open.line.cached = true;
        }
    }

    /// What is not there for this caller: for nobody, or for him.
    pub(crate) fn missing(
        &mut self,
        find: impl FnOnce() -> Option<(Arc<Catalog>, Arc<Module>, String)>,
    ) {
        if self.0.is_none() {
            return;
        }
        if let Some((catalog, module, name)) = find() {
            self.found(&catalog, &module, &name);
        }
    }

    /// Records that the call runs now, where it may not run unrecorded, and waits until that is written.
    pub(crate) async fn start(&mut self) -> Result<(), Unwritten> {
        let Some(receipt) = self.begin_line()? else {
            return Ok(());
        };
        let written = receipt.written().await;
        self.note_begin(written)
    }

    /// The same on a thread that may block.
    pub(crate) fn start_blocking(&mut self) -> Result<(), Unwritten> {
        let Some(receipt) = self.begin_line()? else {
            return Ok(());
        };
        self.note_begin(receipt.wait())
    }

    fn note_begin(&mut self, written: Result<(), Unwritten>) -> Result<(), Unwritten> {
        if written.is_err()
            && let Some(open) = &mut self.0
        {
            open.line.begin = None;
        }
        written
    }

    fn begin_line(&mut self) -> Result<Option<Receipt>, Unwritten> {
        let Some(open) = self.0.as_mut().filter(|open| open.keeper.queue.is_strict) else {
            return Ok(None);
        };
        let mut line = open.line.clone();
        line.verdict = BEGUN;
        let (number, receipt) = open.keeper.queue.add_waiting(line, false)?;
        open.line.begin = Some(number);
        Ok(Some(receipt))
    }

    /// Records the end of a call. In strict mode its result waits for the receipt.
    pub(crate) fn end_call(
        self,
        result: &Result<Output, CallError>,
    ) -> Result<Option<Receipt>, Unwritten> {
        self.end(|open| match result {
            Ok(output) => Ended::answered(output),
            Err(error) => Ended::call(open, error),
        })
    }

    pub(crate) fn end_read<T>(
        self,
        result: &Result<T, ReadError>,
        bytes: impl FnOnce(&T) -> usize,
    ) -> Result<Option<Receipt>, Unwritten> {
        self.end(|open| match result {
            Ok(read) => Ended {
                verdict: "ok",
                kind: None,
                bytes: Some(bytes(read)),
            },
            Err(error) => Ended::read(open, error),
        })
    }

    fn end(mut self, ended: impl FnOnce(&Open) -> Ended) -> Result<Option<Receipt>, Unwritten> {
        let Some(open) = self.0.take() else {
            return Ok(None);
        };
        let ended = ended(&open);
        open.end(ended)
    }
}

impl Drop for Entry {
    /// The caller has disconnected, and the call ends with that.
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            let _ = open.end(Ended::of("stopped", "gone"));
        }
    }
}

impl Open {
    fn end(mut self: Box<Self>, ended: Ended) -> Result<Option<Receipt>, Unwritten> {
        let micros = u32::try_from(self.begin.elapsed().as_micros()).unwrap_or(u32::MAX);
        self.line.duration_ms = Some(f64::from(micros) / 1e3);
        self.line.verdict = ended.verdict;
        self.line.kind = ended.kind;
        self.line.bytes = ended.bytes;
        let queue = &self.keeper.queue;
        // Waiting for the line of a call that was refused for want of one would only take time.
        if !queue.is_strict || self.line.kind.as_deref() == Some("audit") {
            queue.add(self.line);
            return Ok(None);
        }
        let has_run = self.line.begin.is_some();
        let (_, receipt) = queue.add_waiting(self.line, has_run)?;
        Ok(Some(receipt))
    }

    /// One word for what is not there: nobody has it, or it is kept from this one.
    fn absent(&self) -> &'static str {
        match self.line.module {
            Some(_) => "masked",
            None => "unknown",
        }
    }
}

impl Ended {
    fn of(verdict: &'static str, kind: &str) -> Self {
        Self {
            verdict,
            kind: Some(kind.to_owned()),
            bytes: None,
        }
    }

    fn answered(output: &Output) -> Self {
        let (verdict, kind) = if output.is_error {
            ("error", Some("tool_error".to_owned()))
        } else {
            ("ok", None)
        };
        Self {
            verdict,
            kind,
            bytes: Some(output.size()),
        }
    }

    fn stopped(stop: Stop) -> Self {
        Self::of(
            "stopped",
            match stop {
                Stop::Cancelled => "cancelled",
                Stop::Deadline => "timeout",
                Stop::Ticks => "ticks",
                Stop::Heap => "heap",
                Stop::Memory => "memory",
            },
        )
    }

    fn call(open: &Open, error: &CallError) -> Self {
        match error {
            CallError::Unknown { .. } | CallError::Missing { .. } => {
                Self::of("denied", open.absent())
            }
            CallError::Ambiguous { .. } => Self::of("error", "ambiguous"),
            CallError::Rejected { .. } => Self::of("error", "rejected"),
            CallError::Failed { raised, .. } => {
                let kind = raised.as_ref().map_or("failed", |raised| &raised.kind);
                Self::of("error", cut(kind))
            }
            CallError::Stopped { stop, .. } => Self::stopped(*stop),
            CallError::Scope { .. } => Self::of("denied", "scope"),
            CallError::NotReadOnly { .. } => Self::of("denied", "read_only"),
            CallError::Denied(_) => Self::of("denied", "permission"),
            CallError::Unaudited | CallError::Unrecorded => Self::of("denied", "audit"),
            CallError::Asks { .. } => Self::of("ok", "asks"),
            CallError::Limited(limited) => Self::of("limited", limited.limit),
            CallError::Busy(overload) => Self::of("limited", overload.limit()),
        }
    }

    fn read(open: &Open, error: &ReadError) -> Self {
        match error {
            ReadError::UnknownResource { .. } | ReadError::UnknownPrompt { .. } => {
                Self::of("denied", open.absent())
            }
            ReadError::AmbiguousPrompt { .. } => Self::of("error", "ambiguous"),
            ReadError::UnknownArgument { .. } | ReadError::Rejected { .. } => {
                Self::of("error", "rejected")
            }
            ReadError::Failed { raised, .. } => {
                let kind = raised.as_ref().map_or("failed", |raised| &raised.kind);
                Self::of("error", cut(kind))
            }
            ReadError::Stopped { stop, .. } => Self::stopped(*stop),
            ReadError::Scope { .. } => Self::of("denied", "scope"),
            ReadError::Unaudited | ReadError::Unrecorded => Self::of("denied", "audit"),
            ReadError::Asks { .. } => Self::of("ok", "asks"),
            ReadError::Limited(limited) => Self::of("limited", limited.limit),
            ReadError::Busy(overload) => Self::of("limited", overload.limit()),
        }
    }
}
