//! Counts in the form that Prometheus reads.

use crate::meter::{BOUNDS, Meter};
use crate::metric::{METRICS, Metric, Reading};
use crate::runtime::Runtime;
use crate::stats::Stats;
use std::fmt::{Display, Write as _};
use std::sync::atomic::Ordering;

impl Runtime {
    /// The whole page.
    pub fn metrics(&self) -> String {
        let mut page = Page::default();
        for metric in &METRICS {
            page.metric(metric, &(metric.read)(self));
        }
        page.0
    }
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn metric(&mut self, metric: &Metric, reading: &Reading) {
        match reading {
            Reading::None => {}
            Reading::One(value) => {
                self.head(metric);
                let _ = writeln!(self.0, "larkspur_{} {value}", metric.name);
            }
            Reading::Several(values) => {
                self.head(metric);
                for (labels, value) in values {
                    self.line(metric.name, labels, value);
                }
            }
            Reading::Times(meters) => {
                self.head(metric);
                for (labels, meter) in meters {
                    self.histogram(metric.name, labels, meter);
                }
            }
        }
    }

    fn head(&mut self, metric: &Metric) {
        let (name, kind, help) = (metric.name, metric.kind.name(), metric.help);
        let _ = writeln!(self.0, "# HELP larkspur_{name} {help}\n# TYPE larkspur_{name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "larkspur_{name}{{{labels}}} {value}");
    }

    fn histogram(&mut self, name: &str, labels: &str, meter: &Meter) {
        let mut so_far = 0;
        for (bound, bucket) in BOUNDS.iter().zip(&meter.buckets) {
            so_far += bucket.load(Ordering::Relaxed);
            let le = seconds(*bound);
            self.line(&format!("{name}_bucket"), &format!("{labels},le=\"{le}\""), so_far);
        }
        // Read once: the parts must not contradict each other.
        let calls = Stats::get(&meter.calls).max(so_far);
        self.line(&format!("{name}_bucket"), &format!("{labels},le=\"+Inf\""), calls);
        self.line(&format!("{name}_sum"), labels, seconds(Stats::get(&meter.micros)));
        self.line(&format!("{name}_count"), labels, calls);
    }
}

/// Microseconds as seconds, in digits.
pub(crate) fn seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
