//! How often each tool was called, how it ended, and how long it took.

use model::{ModuleName, Stop, ToolName};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the buckets, in microseconds.
pub(crate) const BOUNDS: [u64; 12] = [
    100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000,
    30_000_000,
];

#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub(crate) calls: AtomicU64,
    pub(crate) errors: AtomicU64,
    pub(crate) micros: AtomicU64,
    /// Calls that took as long as a bound at most, and longer than the one before.
    pub(crate) buckets: [AtomicU64; BOUNDS.len()],
}

impl Meter {
    pub(crate) fn add(&self, took: Duration, failed: bool) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        if failed {
            self.errors.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(bucket) = BOUNDS.iter().position(|bound| micros <= *bound) {
            self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        }
    }
}

type ByTool = BTreeMap<ToolName, Arc<Meter>>;

/// Of all tools that were ever called: a module that is loaded again goes on counting.
#[derive(Debug, Default)]
pub(crate) struct Meters(RwLock<BTreeMap<ModuleName, ByTool>>);

impl Meters {
    pub(crate) fn of(&self, module: &ModuleName, tool: &ToolName) -> Arc<Meter> {
        let known = self.0.read();
        let found = known.get(module).and_then(|tools| tools.get(tool));
        if let Some(meter) = found {
            return Arc::clone(meter);
        }
        drop(known);
        let mut known = self.0.write();
        let tools = known.entry(module.clone()).or_default();
        Arc::clone(tools.entry(tool.clone()).or_default())
    }

    pub(crate) fn all(&self) -> Vec<(ModuleName, ToolName, Arc<Meter>)> {
        let known = self.0.read();
        let of = |(module, tools): (&ModuleName, &ByTool)| {
            let named =
                tools.iter().map(|(tool, meter)| (module.clone(), tool.clone(), Arc::clone(meter)));
            named.collect::<Vec<_>>()
        };
        known.iter().flat_map(of).collect()
    }
}

/// Calls that were ended from outside, by what ended them.
#[derive(Debug, Default)]
pub(crate) struct Stops([AtomicU64; 5]);

impl Stops {
    const ALL: [(Stop, &str); 5] = [
        (Stop::Cancelled, "cancelled"),
        (Stop::Deadline, "timeout"),
        (Stop::Ticks, "ticks"),
        (Stop::Heap, "heap"),
        (Stop::Memory, "memory"),
    ];

    pub(crate) fn add(&self, stop: Stop) {
        let index = Self::ALL.iter().position(|(known, _)| *known == stop);
        if let Some(counter) = index.and_then(|index| self.0.get(index)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.0.iter().map(|count| count.load(Ordering::Relaxed));
        Self::ALL.iter().map(|(_, name)| *name).zip(counts)
    }
}

/// Calls that were turned away, by the setting that says so.
#[derive(Debug, Default)]
pub(crate) struct TurnedAway([AtomicU64; 8]);

impl TurnedAway {
    const ALL: [&str; 8] = [
        "queue",
        "calls",
        "abandoned_threads",
        "caller_rate",
        "module_rate",
        "rate",
        "caller_calls",
        "module_calls",
    ];

    pub(crate) fn of(&self, limit: &str) -> &AtomicU64 {
        let index = Self::ALL.iter().position(|known| *known == limit);
        &self.0[index.unwrap_or_default()]
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.0.iter().map(|count| count.load(Ordering::Relaxed));
        Self::ALL.into_iter().zip(counts)
    }
}
