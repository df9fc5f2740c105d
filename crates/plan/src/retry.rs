//! Which failures are tried again, how often, and after how long.

use super::failure::{Failure, Passing};
use serde_json::Value;
use std::time::Duration;

/// Before the second try; doubled before each after it.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// Tries after the first.
    pub max: u64,
    pub on: Vec<On>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// 429, or one of 500 to 599.
    Status(u16),
    /// Every status from 500 to 599.
    ServerErrors,
    Timeout,
}

impl On {
    pub(super) const ALL: [Self; 3] = [Self::Status(429), Self::ServerErrors, Self::Timeout];

    pub(super) fn read(value: &Value) -> Option<Self> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        match text.as_str() {
            "5xx" => Some(Self::ServerErrors),
            "timeout" => Some(Self::Timeout),
            text => {
                let status = text.parse().ok()?;
                let may_pass = status == 429 || is_of_server(status);
                may_pass.then_some(Self::Status(status))
            }
        }
    }

    fn covers(self, passing: Passing) -> bool {
        match (self, passing) {
            (Self::Status(wanted), Passing::Status(status)) => wanted == status,
            (Self::ServerErrors, Passing::Status(status)) => is_of_server(status),
            (Self::Timeout, Passing::Timeout) => true,
            _ => false,
        }
    }
}

fn is_of_server(status: u16) -> bool {
    (500..600).contains(&status)
}

impl Retry {
    /// How long to wait before the next try, if there is one; nobody waits longer than `patience`.
    pub(super) fn pause(
        &self,
        failure: &Failure,
        tries: u64,
        patience: Duration,
    ) -> Option<Duration> {
        let passing = failure.passing?;
        if tries > self.max || !self.on.iter().any(|on| on.covers(passing)) {
            return None;
        }
        let doubled = 1 << tries.saturating_sub(1).min(16);
        let pause = failure.retry_after.unwrap_or(FIRST_PAUSE * doubled);
        (pause <= patience).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn what_may_be_tried_again() {
        for (given, expected) in [
            (json!(429), Some(On::Status(429))),
            (json!("429"), Some(On::Status(429))),
            (json!(503), Some(On::Status(503))),
            (json!("599"), Some(On::Status(599))),
            (json!("5xx"), Some(On::ServerErrors)),
            (json!("timeout"), Some(On::Timeout)),
            (json!(404), None),
            (json!(600), None),
            (json!(429.0), None),
            (json!("4xx"), None),
            (json!(-500), None),
            (json!(true), None),
        ] {
            assert_eq!(On::read(&given), expected, "{given}");
        }
    }

    #[test]
    fn failures_that_qualify() {
        let check = |on: &[On], passing: Option<Passing>, expected: bool| {
            let retry = Retry { max: 1, on: on.to_vec() };
            let mut failure = Failure::new("x", "x");
            failure.passing = passing;
            let got = retry.pause(&failure, 1, PATIENCE).is_some();
            assert_eq!(got, expected, "{on:?} {passing:?}");
        };
        let status = |status| Some(Passing::Status(status));
        for qualifies in [status(429), status(500), status(599), Some(Passing::Timeout)] {
            check(&On::ALL, qualifies, true);
            check(&[], qualifies, false);
        }
        for final_one in [status(400), status(404), status(600), status(200), None] {
            check(&On::ALL, final_one, false);
        }
        check(&[On::Status(429)], status(503), false);
        check(&[On::Status(503)], status(503), true);
        check(&[On::Status(503)], status(502), false);
        check(&[On::ServerErrors], Some(Passing::Timeout), false);
        check(&[On::Timeout], status(429), false);
    }

    #[test]
    fn pauses_double_and_end() {
        let retry = Retry { max: 3, on: On::ALL.to_vec() };
        let failure = Failure::new("timeout", "x").passing(Passing::Timeout);
        let pauses = (1..=4).map(|tries| retry.pause(&failure, tries, PATIENCE));
        let pauses: Vec<_> = pauses.map(|pause| pause.map(|p| p.as_millis())).collect();
        assert_eq!(pauses, [Some(250), Some(500), Some(1000), None]);
        let asked = |seconds| {
            let time = Some(Duration::from_secs(seconds));
            retry.pause(&failure.clone().retry_after(time), 1, PATIENCE)
        };
        assert_eq!(asked(7), Some(Duration::from_secs(7)));
        assert_eq!(asked(31), None);
    }
}
