//! Trying again: after how long.

use model::HttpResponse;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, SystemTime};

const FIRST_WAIT: Duration = Duration::from_millis(200);

/// How long a busy server wants us to wait.
pub(crate) fn wait(response: &HttpResponse, now: SystemTime) -> Option<Duration> {
    let header = response.headers.iter().find(|(name, _)| name == "retry-after");
    let text = header?.1.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    Some(until.duration_since(now).unwrap_or_default())
}

/// Doubles with each try; by chance up to half of it less, so that those who failed together do not
/// come back together.
pub(crate) fn backoff(tried: u32) -> Duration {
    let whole = FIRST_WAIT.saturating_mul(2u32.saturating_pow(tried - 1));
    let chance = RandomState::new().build_hasher().finish() % 512;
    whole * (1024 - u32::try_from(chance).unwrap_or(0)) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_when_to_come_back() {
        let check = |value: &str, expected: Option<u64>| {
            let response = HttpResponse {
                status: 503,
                url: String::new(),
                headers: vec![("retry-after".into(), value.into())],
                body: Vec::new(),
            };
            let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
            let seconds = wait(&response, now).map(|wait| wait.as_secs());
            assert_eq!(seconds, expected, "{value}");
        };
        check("7", Some(7));
        check(" 0 ", Some(0));
        check("Sun, 06 Nov 1994 08:49:47 GMT", Some(10));
        check("Sun, 06 Nov 1994 08:00:00 GMT", Some(0));
        check("soon", None);
        check("-1", None);
    }

    #[test]
    fn waits_grow_and_differ() {
        for (tried, most) in [(1, 200), (2, 400)] {
            let waits: Vec<Duration> = (0..64).map(|_| backoff(tried)).collect();
            let (least, most) = (most / 2, Duration::from_millis(most));
            let least = Duration::from_millis(least);
            assert!(waits.iter().all(|w| (least..=most).contains(w)), "{waits:?}");
            assert!(waits.iter().any(|w| *w != waits[0]));
        }
    }
}
