//! Every metric there is: what it is called, what it counts, and how it is read.

use crate::meter::{BOUNDS, Meter, Stops, TurnedAway};
use crate::metrics::seconds;
use crate::runtime::Runtime;
use crate::stats::Stats;
use std::sync::Arc;

#[derive(Clone, Copy)]
pub struct Metric {
    /// Without `larkspur_`, which all begin with.
    pub name: &'static str,
    pub kind: MetricKind,
    pub labels: &'static [&'static str],
    pub help: &'static str,
    pub(crate) read: fn(&Runtime) -> Reading,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

impl MetricKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

pub(crate) enum Reading {
    /// There is nothing to count here.
    None,
    One(u64),
    /// By label.
    Several(Vec<(String, u64)>),
    Times(Vec<(String, Arc<Meter>)>),
}

/// In the order of the page.
pub const METRICS: [Metric; 23] = [
    gauge("calls_in_flight", "Calls that run now", |r| one(Stats::get(&r.stats().in_flight))),
    gauge("calls_waiting", "Calls that wait for a place", |r| one(r.waiting() as u64)),
    gauge("threads_stuck", "Threads that ignore their deadline and were abandoned", |r| {
        one(r.abandoned().count() as u64)
    }),
    counter("reloads_total", "Modules loaded again", |r| one(Stats::get(&r.stats().reloads))),
    counter("script_ticks_total", "Loop turns and calls in scripts", |r| {
        one(Stats::get(&r.stats().ticks))
    }),
    gauge("modules", "Modules that are served", |r| one(r.catalog().modules().count() as u64)),
    gauge("tools", "Tools that are served", |r| one(r.catalog().tool_count() as u64)),
    gauge("uptime_seconds", "Since the start", |r| one(r.uptime().as_secs())),
    counter("requests_total", "Calls and reads of every kind", |r| {
        one(Stats::get(&r.stats().calls))
    }),
    counter("requests_failed_total", "Those that ended in an error", |r| {
        one(Stats::get(&r.stats().failed))
    }),
    labelled(
        &["limit"],
        counter(
            "limit_hits_total",
            "Calls ended from outside or turned away, by what did it",
            limits,
        ),
    ),
    counter(
        "cache_hits_total",
        "Calls and reads that were answered with what an earlier one gave",
        |r| one(r.ground().answers.counts().hits),
    ),
    counter("cache_misses_total", "Those that could have been, and ran", |r| {
        one(r.ground().answers.counts().misses)
    }),
    counter("cache_evicted_total", "Answers that went to make room", |r| {
        one(r.ground().answers.counts().evicted)
    }),
    gauge("cache_bytes", "Bytes of answers that are kept", |r| {
        one(r.ground().answers.counts().bytes as u64)
    }),
    gauge("cache_entries", "Answers that are kept", |r| {
        one(r.ground().answers.counts().entries as u64)
    }),
    counter("audit_lines_total", "Lines written about calls and denials", |r| {
        audited(r, |counts| counts.written)
    }),
    counter("audit_lost_total", "Lines that could not be kept until they could be written", |r| {
        audited(r, |counts| counts.lost)
    }),
    gauge("audit_failing", "1 while the audit log cannot be written", |r| {
        audited(r, |counts| counts.is_failing.into())
    }),
    counter(
        "connections_rejected_total",
        "HTTP connections rejected: too many from one address",
        |r| one(Stats::get(&r.stats().connections_rejected)),
    ),
    labelled(
        &["module", "tool"],
        counter("calls_total", "Calls by tool", |r| by_tool(r, |meter| Stats::get(&meter.calls))),
    ),
    labelled(
        &["module", "tool"],
        counter("call_errors_total", "Calls that ended in an error, by tool", |r| {
            by_tool(r, |meter| Stats::get(&meter.errors))
        }),
    ),
    Metric {
        name: "call_duration_seconds",
        kind: MetricKind::Histogram,
        labels: &["module", "tool"],
        help: "How long calls took, by tool",
        read: |r| Reading::Times(meters(r)),
    },
];

/// What `limit` of `limit_hits_total` can be.
pub fn limit_labels() -> Vec<&'static str> {
    let (stops, limited) = (Stops::default(), TurnedAway::default());
    let all = stops.all().chain(limited.all());
    all.map(|(name, _)| name).collect()
}

/// Where the buckets of histograms end, in seconds.
pub fn bucket_ends() -> Vec<String> {
    BOUNDS.map(seconds).into()
}

const fn gauge(name: &'static str, help: &'static str, read: fn(&Runtime) -> Reading) -> Metric {
    Metric { name, kind: MetricKind::Gauge, labels: &[], help, read }
}

const fn counter(name: &'static str, help: &'static str, read: fn(&Runtime) -> Reading) -> Metric {
    Metric { kind: MetricKind::Counter, ..gauge(name, help, read) }
}

const fn labelled(labels: &'static [&'static str], metric: Metric) -> Metric {
    Metric { labels, ..metric }
}

fn one(value: u64) -> Reading {
    Reading::One(value)
}

fn limits(runtime: &Runtime) -> Reading {
    let stats = runtime.stats();
    let all = stats.stops.all().chain(stats.limited.all());
    let labelled = all.map(|(limit, count)| (format!("limit=\"{limit}\""), count));
    Reading::Several(labelled.collect())
}

/// Nothing, where nothing is written down of calls.
fn audited(runtime: &Runtime, count: fn(&crate::AuditCounts) -> u64) -> Reading {
    let counts = runtime.audit().counts();
    counts.map_or(Reading::None, |counts| one(count(&counts)))
}

fn by_tool(runtime: &Runtime, count: fn(&Meter) -> u64) -> Reading {
    let meters = meters(runtime).into_iter();
    Reading::Several(meters.map(|(of, meter)| (of, count(&meter))).collect())
}

fn meters(runtime: &Runtime) -> Vec<(String, Arc<Meter>)> {
    let all = runtime.stats().meters.all().into_iter();
    all.map(|(module, tool, meter)| (format!("module=\"{module}\",tool=\"{tool}\""), meter))
        .collect()
}
