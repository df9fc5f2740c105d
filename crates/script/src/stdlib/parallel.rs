//! `parallel`: one function over many items, on several threads. Each item has a heap of its own, so
//! items and results pass as data, and nobody waits for anybody's values.

use super::Patterns;
use super::checked::size::{gauge, items};
use crate::convert::write_json;
use crate::gauge::{Gauge, Share};
use crate::stdlib::prelude::*;
use model::Host;
use parking_lot::Mutex;
use serde_json::Value as Json;
use starlark::environment::Module;
use starlark::values::FrozenValue;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads of one `parallel`, the caller's own among them.
pub(crate) const MOST_THREADS: usize = 8;
const STACK: usize = 64 << 20;
/// Bytes of all results together.
const MOST_RESULTS: usize = 64 << 20;
const MOST_ITEMS: usize = 10_000;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

/// What the threads share.
struct Work<'a> {
    function: FrozenValue,
    items: &'a [Json],
    host: &'a dyn Host,
    base: &'a str,
    share: Share,
    next: AtomicUsize,
    done: Mutex<Done>,
}

#[derive(Default)]
struct Done {
    /// As JSON.
    results: Vec<Option<String>>,
    /// Bytes of these.
    bytes: usize,
    /// What went wrong first.
    failed: Option<starlark::Error>,
}

impl Done {
    fn keep(&mut self, place: usize, json: String, work: &Work<'_>) {
        self.bytes += json.len();
        if self.bytes > MOST_RESULTS {
            let error =
                anyhow::anyhow!("parallel: the results have more than {MOST_RESULTS} bytes");
            self.failed = Some(error.into());
            work.share.cancel.cancel();
        }
        self.results[place] = Some(json);
    }
}

impl Work<'_> {
    /// Takes items until there are none, or one has failed.
    fn work(&self) {
        while !self.share.cancel.is_cancelled() {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = self.items.get(place) else {
                return;
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| self.one(item)));
            let outcome = outcome
                .unwrap_or_else(|_| Err(anyhow::anyhow!("the engine gave up on this item").into()));
            let mut done = self.done.lock();
            match outcome {
                Ok(json) => done.keep(place, json, self),
                // Whoever was told to stop has not failed by himself.
                Err(_) if self.share.cancel.is_cancelled() => return,
                Err(error) => {
                    self.share.cancel.cancel();
                    done.failed = Some(error);
                }
            }
        }
    }

    /// One item, on a heap of its own.
    fn one(&self, item: &Json) -> starlark::Result<String> {
        Module::with_temp_heap(|module| {
            let gauge = Rc::new(Gauge::sharing(&self.share));
            let cx = Cx {
                host: self.host,
                gauge: Rc::clone(&gauge),
                base: self.base,
                loading: None,
                patterns: Patterns::default(),
                parallel: true,
                stage: None,
                sources: None,
            };
            let mut eval = Evaluator::new(&module);
            eval.extra = Some(&cx);
            gauge.install(&mut eval)?;
            let outcome = self.call(item, &mut eval);
            self.share.spend(eval.get_total_tick_count());
            let outcome = outcome.map_err(|error| gauge.explain(error, &eval));
            drop(eval);
            outcome
        })
    }

    fn call(&self, item: &Json, eval: &mut Evaluator<'_, '_, '_>) -> starlark::Result<String> {
        let heap = eval.heap();
        let item = from_json(item, heap).map_err(anyhow::Error::from)?;
        let value = eval.eval_function(self.function.to_value(), &[item], &[])?;
        let budget = Budget::from(&self.share.limits);
        Ok(write_json(value, heap, budget).map_err(anyhow::Error::from)?)
    }
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// `fn` of each item, on up to eight threads at once; a list of the results, in the items' order.
    ///
    /// `fn` is a function at the top of a file: one that was made during the call belongs to the
    /// thread it was made on. Items and results pass as data, as through JSON, so that `ctx` is not
    /// among them; libraries such as `http` and `log` can be used. The first failure ends it all.
    /// The call's time and steps hold for the whole, an eighth of its memory for each item. Up to
    /// 10,000 items, and 64 MiB of results.
    ///
    /// Examples:
    /// ```python
    /// >>> parallel(math.sqrt, [1, 4, 9])
    /// [1.0, 2.0, 3.0]
    /// >>> parallel(lambda x: x, [1])
    /// error: parallel: this function was made during the call; give it a `def` from the top of a file
    /// ```
    fn parallel<'v>(
        #[starlark(require = pos)] r#fn: Value<'v>,
        #[starlark(require = pos)] items: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let cx = Cx::of(eval)?;
        cx.gauge.leave_trial()?;
        let function = callable(r#fn, cx)?;
        let items = self::items(items, "parallel", eval)?;
        if items.len() > MOST_ITEMS {
            let count = items.len();
            return Err(anyhow::anyhow!("parallel: {count} items; it takes {MOST_ITEMS}").into());
        }
        let jsons = passed(&items, eval)?;
        let work = Work {
            function,
            items: &jsons,
            host: cx.host,
            base: cx.base,
            share: cx.gauge.share(eval, MOST_THREADS),
            next: AtomicUsize::new(0),
            done: Mutex::new(Done { results: vec![None; jsons.len()], bytes: 0, failed: None }),
        };
        run(&work);
        results(work, eval)
    }
}

/// The items as data: all together within what one text may have.
fn passed<'v>(items: &[Value<'v>], eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<Vec<Json>> {
    let heap = eval.heap();
    let together = heap.alloc(AllocList(items.iter().copied()));
    match to_json(together, heap, super::json::budget(eval)?)? {
        Json::Array(jsons) => Ok(jsons),
        _ => Ok(Vec::new()),
    }
}

/// The results on the heap of whoever waited for them, or why there are none.
fn results<'v>(work: Work<'_>, eval: &Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
    let gauge = gauge(eval)?;
    gauge.take_back(&work.share);
    let done = work.done.into_inner();
    // Asked first, since it notes which limit it was that ended an item.
    let in_time = gauge.in_time();
    if let Some(error) = done.failed {
        return Err(error);
    }
    in_time?;
    let heap = eval.heap();
    let mut results = Vec::with_capacity(done.results.len());
    let mut receiver = Receiver::new(heap);
    for text in done.results.iter().flatten() {
        super::json::room(text, eval)?;
        let json: Json = serde_json::from_str(text).map_err(anyhow::Error::from)?;
        results.push(receiver.list_item(&json).map_err(anyhow::Error::from)?);
        gauge.memory(eval)?;
    }
    Ok(heap.alloc(AllocList(results)))
}

/// The function as other threads may hold it.
fn callable(function: Value<'_>, cx: &Cx<'_>) -> anyhow::Result<FrozenValue> {
    if cx.parallel {
        bail!("parallel: a function that runs in parallel cannot call parallel itself");
    }
    if cx.loading.is_some() {
        bail!("parallel works in calls, not while a file loads");
    }
    match function.unpack_frozen() {
        Some(frozen) if matches!(function.get_type(), "function" | "native_function") => Ok(frozen),
        None if function.get_type() == "function" => bail!(
            "parallel: this function was made during the call; give it a `def` from the top of a file"
        ),
        _ => bail!("parallel: the first argument is a function, not a {}", function.get_type()),
    }
}

/// The caller's thread works as well, so that it goes on where no other can be had.
fn run(work: &Work<'_>) {
    std::thread::scope(|scope| {
        for _ in 1..work.items.len().min(MOST_THREADS) {
            let thread = std::thread::Builder::new().name("parallel".into()).stack_size(STACK);
            if thread.spawn_scoped(scope, || work.work()).is_err() {
                break;
            }
        }
        work.work();
    });
}
