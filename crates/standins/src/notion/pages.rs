//! The pages of the invented company, a ferry line that sells tickets.

use serde_json::{Value, json};

use super::blocks::rich;
use crate::shape::{item, put, text};

const NOTE: &str = include_str!("../../../../modules/notion/payloads/note.json");

/// Titles, and what stands there; the first is the one that has more to say.
pub(super) const PAGES: &[(&str, &str)] = &[
    ("Offline tickets: design", ""),
    ("Timetable design: winter season", "Fewer crossings, and the last one an hour earlier."),
    ("Design principles", "A passenger with wet hands and no signal comes first."),
    ("Fares and discounts", "Children below six travel free, bicycles do not."),
    ("Onboarding", "Ask for a key to the pier, then for one to the repository."),
    ("On call: what to do when the gates close", "Open them by hand, then look at the board."),
    ("Partners: harbour authority", "They own the gates, we own what opens them."),
    ("Meeting notes, June", "The scanners of pier 3 lose their clocks."),
    ("Release checklist", "Nothing is released on a Friday before a holiday."),
    ("Glossary", "A crossing is one ferry on one route at one time."),
    ("Incident: two boats, one ticket", "A ticket was scanned twice, an hour apart."),
    ("Roadmap", "Offline tickets, then seats, then the islands in the north."),
];

pub(super) fn page(id: &str, title: &str, parent: &Value) -> Value {
    let mut page = of_ours(NOTE);
    let path = title.replace(|c: char| !c.is_alphanumeric(), "-");
    put(
        &mut page,
        [
            ("id", json!(id)),
            ("parent", parent.clone()),
            ("url", json!(format!("https://www.notion.so/{path}-{}", id.replace('-', "")))),
        ],
    );
    page["properties"]["title"]["title"] = rich(title);
    page
}

pub(super) fn title(page: &Value) -> String {
    let words = page["properties"]["title"]["title"].as_array();
    words.into_iter().flatten().map(|run| text(run, "plain_text")).collect()
}

pub(super) fn of_ours(payload: &str) -> Value {
    item(payload, &[("Holt Farm", "Tidewater Ferries")])
}
