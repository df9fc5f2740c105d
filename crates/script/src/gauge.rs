//! Watches one evaluation: deadline, cancelling, ticks and memory, and which of them ended it.

use crate::depth::DepthWatch;
use model::{Cancel, Leash, Limits, MemoryShare, Stop, share_core, while_waiting};
use starlark::codemap::{CodeMap, FileSpan, FileSpanRef, Span};
use starlark::eval::{BeforeStmtFunc, BeforeStmtFuncDyn, Evaluator};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

pub(crate) struct Gauge {
    pub(crate) limits: Limits,
    deadline: Instant,
    pub(crate) cancel: Cancel,
    /// Pauses the evaluation while the whole process has too little memory.
    memory: Option<MemoryShare>,
    stop: Cell<Option<Stop>>,
    /// Bytes that values hold outside the heap.
    outside: Cell<usize>,
    /// A trial on a thread that must not be held: leave at the first host call or long loop.
    trial: bool,
    left_trial: Cell<bool>,
    /// The client has to answer before the call can be made to its end.
    handed_over: Cell<bool>,
    /// The statement being run, since a limit's own error has no position.
    last: RefCell<Option<(CodeMap, Span)>>,
    depth: DepthWatch,
}

/// A trial may take so many ticks, and touch values of so many elements or bytes.
const TRIAL_TICKS: u64 = 1_000;
const TRIAL_SIZE: usize = 10_000;

/// Bound on what one operation may produce, in elements or bytes.
const LARGEST_SEQUENCE: usize = 8_000_000;
const LARGEST_TEXT: usize = 64 << 20;

impl Gauge {
    pub(crate) fn new(
        limits: &Limits,
        cancel: Cancel,
        memory: Option<MemoryShare>,
        trial: bool,
    ) -> Rc<Self> {
        Rc::new(Self {
            limits: limits.clone(),
            deadline: Instant::now() + limits.time,
            cancel,
            memory,
            stop: Cell::new(None),
            outside: Cell::new(0),
            trial,
            left_trial: Cell::new(false),
            handed_over: Cell::new(false),
            last: RefCell::new(None),
            depth: DepthWatch::default(),
        })
    }

    /// Puts every limit on the evaluator.
    pub(crate) fn install(self: &Rc<Self>, eval: &mut Evaluator<'_, '_, '_>) -> anyhow::Result<()> {
        let ticks = if self.trial { TRIAL_TICKS } else { self.limits.ticks };
        eval.set_max_tick_count(ticks)?;
        eval.set_max_heap_size(self.limits.heap_bytes)?;
        eval.set_max_callstack_size(self.limits.call_depth)?;
        eval.disable_gc();
        let gauge = Rc::clone(self);
        eval.set_check_cancelled(Box::new(move || gauge.out_of_time().is_some()));
        eval.before_stmt_for_dap(BeforeStmtFunc::from_dyn(Box::new(EachStatement(Rc::clone(
            self,
        )))));
        Ok(())
    }

    fn out_of_time(&self) -> Option<Stop> {
        share_core();
        let stop = if self.is_out_of_memory() {
            Stop::Memory
        } else if self.cancel.is_cancelled() {
            Stop::Cancelled
        } else if Instant::now() >= self.deadline {
            Stop::Deadline
        } else {
            return None;
        };
        self.stop.set(Some(stop));
        Some(stop)
    }

    /// Waits while the process has too little memory for all calls; true if that takes too long.
    fn is_out_of_memory(&self) -> bool {
        let Some(share) = self.memory.as_ref().filter(|share| share.is_tight()) else {
            return false;
        };
        // The rest of the time is for reporting the reason.
        let reserve = self.limits.time / 10;
        let leash = Leash {
            until: self.deadline.checked_sub(reserve).unwrap_or(self.deadline),
            cancel: self.cancel.clone(),
        };
        !while_waiting(|| share.wait(&leash)) && !self.cancel.is_cancelled()
    }

    /// May an operation make this many elements?
    pub(crate) fn elements(&self, count: usize, what: &str) -> anyhow::Result<()> {
        self.size(count, TRIAL_SIZE)?;
        if count > LARGEST_SEQUENCE {
            anyhow::bail!("{what} of {count} elements; one value may have {LARGEST_SEQUENCE}");
        }
        Ok(())
    }

    /// May an operation make this many bytes of text?
    pub(crate) fn text(&self, bytes: usize, what: &str) -> anyhow::Result<()> {
        self.size(bytes, TRIAL_SIZE)?;
        if bytes > LARGEST_TEXT {
            anyhow::bail!("{what} of {bytes} bytes; one text may have {LARGEST_TEXT}");
        }
        Ok(())
    }

    fn size(&self, size: usize, trial: usize) -> anyhow::Result<()> {
        if self.trial && size > trial { self.leave_trial() } else { Ok(()) }
    }

    /// Counts what a value holds outside the heap.
    pub(crate) fn outside_heap(&self, bytes: usize) {
        self.outside.set(self.outside.get().saturating_add(bytes));
    }

    /// Is there memory left?
    pub(crate) fn memory(&self, eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<()> {
        self.room(0, eval)
    }

    /// Is there memory for so many bytes more, which are given back soon?
    pub(crate) fn room(&self, bytes: usize, eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<()> {
        self.fits(eval.heap().allocated_bytes().saturating_add(bytes))
    }

    /// Does this much fit beside what values hold outside the heap?
    fn fits(&self, heap: usize) -> anyhow::Result<()> {
        if heap.saturating_add(self.outside.get()) > self.limits.heap_bytes {
            self.stop.set(Some(Stop::Heap));
            anyhow::bail!("out of memory");
        }
        Ok(())
    }

    /// Has the caller taken the call back? The deadline's clock would cost more than most statements.
    fn go_on(&self) -> anyhow::Result<()> {
        if self.cancel.is_cancelled() {
            self.stop.set(Some(Stop::Cancelled));
            anyhow::bail!("the call was cancelled");
        }
        Ok(())
    }

    /// What holds work outside to this evaluation.
    pub(crate) fn leash(&self) -> Leash {
        Leash { until: self.deadline, cancel: self.cancel.clone() }
    }

    /// May a native that goes round in circles take another turn?
    pub(crate) fn in_time(&self) -> anyhow::Result<()> {
        match self.out_of_time() {
            Some(_) => anyhow::bail!("the time is up"),
            None => Ok(()),
        }
    }

    /// Ends a trial before anything has happened that could not be done again.
    pub(crate) fn leave_trial(&self) -> anyhow::Result<()> {
        if self.trial {
            self.left_trial.set(true);
            anyhow::bail!("this call needs a thread of its own");
        }
        Ok(())
    }

    /// How many bytes of text may still be made from this evaluation's budget.
    pub(crate) fn text_budget(&self) -> usize {
        if self.trial { TRIAL_SIZE } else { LARGEST_TEXT }
    }

    /// Was the trial given up, so that the call must be made again elsewhere?
    pub(crate) fn trial_failed(&self, eval: &Evaluator<'_, '_, '_>) -> bool {
        self.trial && (self.left_trial.get() || eval.get_total_tick_count() >= TRIAL_TICKS)
    }

    /// The client's turn has come: the call is made again when it has answered.
    pub(crate) fn hand_over(&self) {
        self.handed_over.set(true);
    }

    pub(crate) fn is_handed_over(&self) -> bool {
        self.handed_over.get()
    }

    /// Which limit ended the evaluation, if one did.
    pub(crate) fn stopped(&self, eval: &Evaluator<'_, '_, '_>) -> Option<Stop> {
        if let Some(stop) = self.stop.get() {
            return Some(stop);
        }
        if eval.heap().allocated_bytes() > self.limits.heap_bytes {
            return Some(Stop::Heap);
        }
        (eval.get_total_tick_count() >= self.limits.ticks).then_some(Stop::Ticks)
    }

    pub(crate) fn last_statement(&self) -> Option<FileSpan> {
        self.last.borrow().as_ref().map(|(file, span)| file.file_span(*span))
    }

    fn note(&self, at: FileSpanRef<'_>) {
        let mut last = self.last.borrow_mut();
        match &mut *last {
            Some((file, span)) if file.id() == at.file.id() => *span = at.span,
            other => *other = Some((at.file.clone(), at.span)),
        }
    }
}

/// Ticks are looked at every thousand; a statement can double a value, nest it or take a while, so
/// memory, depth and cancelling are looked at here.
struct EachStatement(Rc<Gauge>);

impl<'e> BeforeStmtFuncDyn<'e> for EachStatement {
    fn call<'v>(
        &mut self,
        at: FileSpanRef<'_>,
        _continued: bool,
        eval: &mut Evaluator<'v, '_, 'e>,
    ) -> starlark::Result<()> {
        self.0.note(at);
        self.0.go_on()?;
        if self.0.is_out_of_memory() {
            self.0.stop.set(Some(Stop::Memory));
            return Err(anyhow::anyhow!("the server has no memory left").into());
        }
        let heap = eval.heap().allocated_bytes();
        self.0.fits(heap)?;
        Ok(self.0.depth.statement(heap, eval)?)
    }
}
