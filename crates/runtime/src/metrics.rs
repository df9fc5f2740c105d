//! Counts in the form that Prometheus reads.

use crate::runtime::Runtime;
use crate::stats::Stats;
use std::fmt::Write as _;

impl Runtime {
    /// The whole page.
    pub fn metrics(&self) -> String {
        let stats = self.stats();
        let get = Stats::get;
        let catalog = self.catalog();
        let mut page = String::new();
        let mut line = |name: &str, kind: &str, help: &str, value: u64| {
            let _ = write!(
                page,
                "# HELP larkspur_{name} {help}\n# TYPE larkspur_{name} {kind}\nlarkspur_{name} {value}\n"
            );
        };
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        line(
            "calls_total",
            "counter",
            "Calls of tools.",
            get(&stats.calls),
        );
        line(
            "calls_failed_total",
            "counter",
            "Calls that ended in an error.",
            get(&stats.failed),
        );
        line(
            "calls_stopped_total",
            "counter",
            "Calls that a limit ended.",
            get(&stats.stopped),
        );
        line(
            "calls_in_flight",
            "gauge",
            "Calls that run now.",
            get(&stats.in_flight),
        );
        line(
            "threads_stuck",
            "gauge",
            "Threads that did not come back.",
            get(&stats.stuck),
        );
        line(
            "reloads_total",
            "counter",
            "Modules loaded again.",
            get(&stats.reloads),
        );
        line(
            "modules",
            "gauge",
            "Modules that are served.",
            count(catalog.modules().count()),
        );
        line(
            "tools",
            "gauge",
            "Tools that are served.",
            count(catalog.tool_count()),
        );
        page
    }
}
