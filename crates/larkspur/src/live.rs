//! What `larkspur dev` shows of clients: how to connect one, and what they call.

use crate::doors::Plan;
use crate::terminal::{BAD, DIM, GOOD, say, styled};
use crate::variables::TOKEN;
use model::escape_line;
use runtime::{Called, RequestVerdict};
use serde_json::json;
use server::Login;
use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

/// As much of an error as fits beside a call.
const LONGEST: usize = 160;

/// What most clients take as it is, with `mcpServers`.
pub(crate) fn configuration(address: SocketAddr, plan: &Plan) -> String {
    let mut server = json!({"type": "http", "url": format!("http://{address}/mcp")});
    if let Login::Token(token) = &plan.entrance.login {
        // One that lasts stays where it is kept.
        let token =
            if plan.made_token { token.reveal().to_owned() } else { format!("${{{TOKEN}}}") };
        server["headers"] = json!({"Authorization": format!("Bearer {token}")});
    }
    format!("{:#}", json!({"mcpServers": {"larkspur": server}}))
}

pub(crate) fn show(called: &Called) {
    say(&line(called, seconds_of_day()));
}

/// When, which tool, how long, and how it ended; never what it was given or gave.
fn line(called: &Called, time: u64) -> String {
    let end = match called.verdict {
        RequestVerdict::Ok => styled(GOOD, "ok"),
        RequestVerdict::Asks => styled(DIM, "asks its client"),
        RequestVerdict::Error
        | RequestVerdict::Denied
        | RequestVerdict::Limited
        | RequestVerdict::Stopped => {
            let error = called.error.as_deref().unwrap_or_default();
            let first = error.lines().next().unwrap_or_default();
            format!("{} {}", styled(BAD, "error"), cut(first))
        }
    };
    format!(
        "  {}  {}  {:.1} ms  {end}",
        styled(DIM, clock(time)),
        cut(&called.tool),
        called.took.as_secs_f64() * 1000.0
    )
}

fn cut(text: &str) -> String {
    let short = &text[..text.floor_char_boundary(LONGEST)];
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("{}{dots}", escape_line(short))
}

/// In UTC, as logs have it.
fn clock(time: u64) -> String {
    format!("{:02}:{:02}:{:02}Z", time / 3600, time / 60 % 60, time % 60)
}

fn seconds_of_day() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() % 86_400)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_call_is_one_line_whatever_it_said() {
        let long = "ä".repeat(200);
        for (verdict, error, expected) in [
            (RequestVerdict::Ok, None, "ok".to_owned()),
            (RequestVerdict::Asks, None, "asks its client".to_owned()),
            (RequestVerdict::Error, Some("no\nmore".into()), "error no".to_owned()),
            (
                RequestVerdict::Stopped,
                Some("\u{1b}[2Jgone".into()),
                "error \\u{1b}[2Jgone".to_owned(),
            ),
            (RequestVerdict::Error, Some(long), format!("error {}…", "ä".repeat(LONGEST / 2))),
        ] {
            let called = Called {
                tool: "greet.hello".into(),
                took: Duration::from_micros(1250),
                verdict,
                error,
            };
            let line = line(&called, 19 * 3600 + 2 * 60 + 5);
            let line = anstream::adapter::strip_str(&line).to_string();
            assert_eq!(line, format!("  19:02:05Z  greet.hello  1.2 ms  {expected}"));
        }
    }
}
