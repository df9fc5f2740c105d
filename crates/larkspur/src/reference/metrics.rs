//! The page about metrics.

use super::made;
use runtime::{METRICS, Metric, bucket_ends, limit_labels};

pub(super) fn table() -> String {
    let row = |metric: &Metric| {
        let labels: Vec<String> = metric.labels.iter().map(|l| format!("`{l}`")).collect();
        vec![
            format!("`larkspur_{}`", metric.name),
            metric.kind.name().to_owned(),
            labels.join(", "),
            metric.help.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = METRICS.iter().map(row).collect();
    made::table(&["metric", "kind", "labels", "what it says"], &rows)
}

pub(super) fn limits() -> String {
    let limits: Vec<String> = limit_labels().iter().map(|l| format!("`{l}`")).collect();
    limits.join(", ")
}

pub(super) fn buckets() -> String {
    bucket_ends().join(", ")
}
