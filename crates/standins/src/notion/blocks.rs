//! What stands on pages: blocks and the rich text in them.

use serde_json::{Value, json};

use super::pages::of_ours;
use crate::shape::{put, text};

const CHILD: &str = include_str!("../../../../modules/notion/payloads/child.json");

/// The page that somebody looks for: how deep, what, and the words.
pub(super) const DESIGN: &[(usize, &str, &str)] = &[
    (0, "heading_1", "Offline tickets"),
    (
        0,
        "paragraph",
        "Half of our passengers have no signal on the pier. A ticket has to open the gate without asking anybody.",
    ),
    (0, "heading_2", "How it works"),
    (0, "numbered_list_item", "The phone gets a signed ticket when it is bought"),
    (0, "numbered_list_item", "The gate checks the signature by itself"),
    (1, "bulleted_list_item", "it has the keys of the last two days"),
    (1, "bulleted_list_item", "it has the list of what was given back, as of an hour ago"),
    (0, "numbered_list_item", "The gate tells what it has seen as soon as it has a line"),
    (0, "heading_2", "What a ticket says"),
    (
        0,
        "code",
        "{\"crossing\": \"N3-0815\", \"seats\": 2, \"until\": \"2026-07-01T09:00\", \"sig\": \"…\"}",
    ),
    (
        0,
        "quote",
        "Two gates may see the same ticket before they can tell each other. We accept that, and count it.",
    ),
    (0, "heading_2", "Open"),
    (0, "to_do", "How long may a gate be without a line?"),
    (0, "to_do", "Clocks of the scanners on pier 3"),
    (0, "to_do", "What does the crew do when a phone is flat?"),
];

pub(super) fn block(id: &str, parent: &str, is_page: bool, kind: &str, words: &Value) -> Value {
    let mut block = of_ours(CHILD);
    let before = block["type"].as_str().unwrap_or_default().to_owned();
    if let Some(fields) = block.as_object_mut() {
        fields.remove(&before);
    }
    let above = if is_page { "page_id" } else { "block_id" };
    let mut inner = json!({"rich_text": words, "color": "default"});
    match kind {
        "to_do" => inner["checked"] = json!(false),
        "code" => inner["language"] = json!("json"),
        "heading_1" | "heading_2" | "heading_3" => inner["is_toggleable"] = json!(false),
        _ => {}
    }
    put(
        &mut block,
        [
            ("id", json!(id)),
            ("parent", json!({"type": above, above: parent})),
            ("type", json!(kind)),
            (kind, inner),
        ],
    );
    block
}

pub(super) fn rich(words: &str) -> Value {
    completed(&json!([{"type": "text", "text": {"content": words}}]))
}

/// Runs of text as somebody sends them, with all that the service knows of them.
pub(super) fn completed(runs: &Value) -> Value {
    let plain = json!({"bold": false, "italic": false, "strikethrough": false, "underline": false, "code": false, "color": "default"});
    let runs = runs.as_array().into_iter().flatten().map(|run| {
        let mut annotations = plain.clone();
        for (name, value) in run["annotations"].as_object().into_iter().flatten() {
            annotations[name] = value.clone();
        }
        let (content, link) = (text(&run["text"], "content"), &run["text"]["link"]);
        json!({
            "type": "text",
            "text": {"content": content, "link": link},
            "annotations": annotations,
            "plain_text": content,
            "href": link["url"],
        })
    });
    runs.collect()
}
