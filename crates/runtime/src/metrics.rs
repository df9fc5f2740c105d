//! Counts in the form that Prometheus reads.

use crate::meter::{BOUNDS, Meter};
use crate::runtime::Runtime;
use crate::stats::Stats;
use std::fmt::{Display, Write as _};
use std::sync::atomic::Ordering;

impl Runtime {
    /// The whole page.
    pub fn metrics(&self) -> String {
        let (stats, catalog) = (self.stats(), self.catalog());
        let get = Stats::get;
        let mut page = Page::default();
        page.single(
            "calls_in_flight",
            "gauge",
            "Calls that run now",
            get(&stats.in_flight),
        );
        page.single(
            "calls_waiting",
            "gauge",
            "Calls that wait for a place",
            self.waiting(),
        );
        page.single(
            "threads_stuck",
            "gauge",
            "Threads that did not come back",
            get(&stats.stuck),
        );
        page.single(
            "reloads_total",
            "counter",
            "Modules loaded again",
            get(&stats.reloads),
        );
        page.single(
            "script_ticks_total",
            "counter",
            "Loop turns and calls in scripts",
            get(&stats.ticks),
        );
        page.single(
            "modules",
            "gauge",
            "Modules that are served",
            catalog.modules().count(),
        );
        page.single(
            "tools",
            "gauge",
            "Tools that are served",
            catalog.tool_count(),
        );
        page.single(
            "uptime_seconds",
            "gauge",
            "Since the start",
            self.uptime().as_secs(),
        );
        page.single(
            "requests_total",
            "counter",
            "Calls and reads of every kind",
            get(&stats.calls),
        );
        page.single(
            "requests_failed_total",
            "counter",
            "Those that ended in an error",
            get(&stats.failed),
        );
        page.head(
            "limit_hits_total",
            "counter",
            "Calls ended from outside or turned away, by what did it",
        );
        for (limit, count) in stats.stops.all().chain(stats.limited.all()) {
            page.line("limit_hits_total", &format!("limit=\"{limit}\""), count);
        }
        self.kept_answers(&mut page);
        self.audit_lines(&mut page);
        self.by_tool(&mut page);
        page.0
    }

    fn kept_answers(&self, page: &mut Page) {
        let counts = self.ground().answers.counts();
        page.single(
            "cache_hits_total",
            "counter",
            "Calls and reads that were answered with what an earlier one gave",
            counts.hits,
        );
        page.single(
            "cache_misses_total",
            "counter",
            "Those that could have been, and ran",
            counts.misses,
        );
        page.single(
            "cache_evicted_total",
            "counter",
            "Answers that went to make room",
            counts.evicted,
        );
        page.single(
            "cache_bytes",
            "gauge",
            "Bytes of answers that are kept",
            counts.bytes,
        );
        page.single(
            "cache_entries",
            "gauge",
            "Answers that are kept",
            counts.entries,
        );
    }

    fn audit_lines(&self, page: &mut Page) {
        let Some(counts) = self.audit().counts() else {
            return;
        };
        page.single(
            "audit_lines_total",
            "counter",
            "Lines written about calls and denials",
            counts.written,
        );
        page.single(
            "audit_lost_total",
            "counter",
            "Lines that could not be kept until they could be written",
            counts.lost,
        );
        page.single(
            "audit_failing",
            "gauge",
            "1 while the audit log cannot be written",
            u8::from(counts.is_failing),
        );
    }

    fn by_tool(&self, page: &mut Page) {
        let meters: Vec<(String, _)> = self
            .stats()
            .meters
            .all()
            .into_iter()
            .map(|(module, tool, meter)| (format!("module=\"{module}\",tool=\"{tool}\""), meter))
            .collect();
        page.head("calls_total", "counter", "Calls by tool");
        for (labels, meter) in &meters {
            page.line("calls_total", labels, Stats::get(&meter.calls));
        }
        page.head(
            "call_errors_total",
            "counter",
            "Calls that ended in an error, by tool",
        );
        for (labels, meter) in &meters {
            page.line("call_errors_total", labels, Stats::get(&meter.errors));
        }
        page.head(
            "call_duration_seconds",
            "histogram",
            "How long calls took, by tool",
        );
        for (labels, meter) in &meters {
            page.histogram("call_duration_seconds", labels, meter);
        }
    }
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(
            self.0,
            "# HELP larkspur_{name} {help}\n# TYPE larkspur_{name} {kind}"
        );
    }

    fn line(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "larkspur_{name}{{{labels}}} {value}");
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.head(name, kind, help);
        let _ = writeln!(self.0, "larkspur_{name} {value}");
    }

    fn histogram(&mut self, name: &str, labels: &str, meter: &Meter) {
        let mut so_far = 0;
        for (bound, bucket) in BOUNDS.iter().zip(&meter.buckets) {
            so_far += bucket.load(Ordering::Relaxed);
            let le = seconds(*bound);
            self.line(
                &format!("{name}_bucket"),
                &format!("{labels},le=\"{le}\""),
                so_far,
            );
        }
        // Read once: the parts must not contradict each other.
        let calls = Stats::get(&meter.calls).max(so_far);
        self.line(
            &format!("{name}_bucket"),
            &format!("{labels},le=\"+Inf\""),
            calls,
        );
        self.line(
            &format!("{name}_sum"),
            labels,
            seconds(Stats::get(&meter.micros)),
        );
        self.line(&format!("{name}_count"), labels, calls);
    }
}

/// Microseconds as seconds, in digits.
fn seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
