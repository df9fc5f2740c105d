//! A call while it runs, recorded when it ends, however it does; in strict mode also before it runs.

use super::line::{BEGUN, Line, cut};
use super::mask::masked;
use super::{Audit, Keeper, Receipt, Trail, Unwritten};
use crate::catalog::{Catalog, Module};
use crate::request::{RequestError, RequestReply, RequestVerdict};
use model::{Args, Caller};
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
        if roles != settings::Roles::All {
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

    pub(crate) fn is_open(&self) -> bool {
        self.0.is_some()
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

    /// Records the end. In strict mode the result waits for the receipt.
    pub(crate) fn end<T: RequestReply>(
        mut self,
        result: &Result<T, RequestError>,
    ) -> Result<Option<Receipt>, Unwritten> {
        let Some(mut open) = self.0.take() else {
            return Ok(None);
        };
        let line = &mut open.line;
        line.verdict = RequestVerdict::of(result).word();
        match result {
            Ok(reply) => {
                line.kind = reply.is_error().then(|| "tool_error".to_owned());
                line.bytes = Some(reply.bytes());
            }
            // It exists, but is hidden from this caller.
            Err(error) if error.code() == "unknown" && line.module.is_some() => {
                line.kind = Some("masked".to_owned());
            }
            Err(error) => line.kind = Some(cut(error.code()).to_owned()),
        }
        open.end()
    }
}

impl Drop for Entry {
    /// The caller has disconnected, and the call ends with that.
    fn drop(&mut self) {
        if let Some(mut open) = self.0.take() {
            open.line.verdict = RequestVerdict::Stopped.word();
            open.line.kind = Some("gone".to_owned());
            let _ = open.end();
        }
    }
}

impl Open {
    fn end(mut self: Box<Self>) -> Result<Option<Receipt>, Unwritten> {
        let micros = u32::try_from(self.begin.elapsed().as_micros()).unwrap_or(u32::MAX);
        self.line.duration_ms = Some(f64::from(micros) / 1e3);
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
}
