//! Which headers of an answer are kept: those that say what it is, not when, by whom or for whom it
//! was made.

use model::is_credential;

const VOLATILE: [&str; 25] = [
    "age",
    "alt-svc",
    "connection",
    // What stands in for a secret has another length.
    "content-length",
    "date",
    "etag",
    "expires",
    "keep-alive",
    "last-modified",
    "nel",
    "report-to",
    "reporting-endpoints",
    "server",
    "server-timing",
    "strict-transport-security",
    "traceparent",
    "tracestate",
    "transfer-encoding",
    "via",
    "x-powered-by",
    "x-response-time",
    "x-runtime",
    "x-served-by",
    "x-timer",
    "x-varnish",
];
const BEGINNINGS: [&str; 8] =
    ["cf-", "ratelimit", "x-amz", "x-b3-", "x-cache", "x-rate-limit", "x-ratelimit", "x-trace"];
const ENDINGS: [&str; 3] = ["request-id", "correlation-id", "trace-id"];

pub(super) fn lasting(headers: &[(String, String)]) -> Vec<(String, String)> {
    let lasts = |(name, _): &&(String, String)| !is_volatile(name) && !is_credential(name);
    headers.iter().filter(lasts).cloned().collect()
}

fn is_volatile(name: &str) -> bool {
    VOLATILE.contains(&name)
        || BEGINNINGS.iter().any(|begin| name.starts_with(begin))
        || ENDINGS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_is_stays() {
        let all = [
            "content-type",
            "date",
            "link",
            "set-cookie",
            "authorization",
            "location",
            "etag",
            "server",
            "x-request-id",
            "x-github-request-id",
            "cf-ray",
            "x-ratelimit-remaining",
            "ratelimit-reset",
            "x-total-count",
            "retry-after",
            "x-csrf-token",
        ];
        let headers = all.map(|name| (name.to_owned(), String::new()));
        let kept = lasting(&headers);
        let kept: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(kept, ["content-type", "link", "location", "x-total-count", "retry-after"]);
    }
}
