//! The project of the invented company, and its issues.

use serde_json::{Value, json};

use crate::shape::{item, put, text};

pub(super) const KEY: &str = "TIDE";

/// What every issue is made of.
const ISSUE: &str = include_str!("../../../../modules/jira/payloads/issue.json");
pub(super) const COMMENT: &str = include_str!("../../../../modules/jira/payloads/comment.json");
pub(super) const MYSELF: &str = include_str!("../../../../modules/jira/payloads/myself.json");
pub(super) const PROJECT: &str = include_str!("../../../../modules/jira/payloads/project.json");
pub(super) const PROJECT_DETAILS: &str =
    include_str!("../../../../modules/jira/payloads/project_details.json");
pub(super) const TRANSITIONS: &str =
    include_str!("../../../../modules/jira/payloads/transitions.json");

/// What is to be done, and how it stands.
const WORK: [(&str, &str, &str); 6] = [
    ("Sign tickets when they are bought", "Done", "Story"),
    ("Check signatures at the gate", "In Progress", "Story"),
    ("Renew keys without a line", "To Do", "Task"),
    ("Set clocks of the scanners", "In Progress", "Bug"),
    ("Count tickets that two gates saw", "To Do", "Task"),
    ("Teach the crew what to do with a flat phone", "To Do", "Task"),
];

const PEOPLE: [&str; 3] = ["Mia Krystof", "Lea Onwu", "Sam Okoye"];
const PRIORITIES: [&str; 4] = ["High", "Medium", "Low", "Medium"];

/// Where, from the first pier to open to the last; only the first are about being offline.
const PIERS: usize = 20;
const OFFLINE_PIERS: usize = 3;

pub(super) fn pattern() -> Value {
    of_ours(ISSUE)
}

pub(super) fn all(pattern: &Value) -> Vec<Value> {
    let mut issues = Vec::new();
    for pier in (1..=PIERS).rev() {
        for (summary, state, kind) in WORK {
            let mut issue =
                issue(pattern, issues.len() + 1, &format!("{summary}, pier {pier}"), state, kind);
            let label = if pier <= OFFLINE_PIERS { "offline" } else { "later" };
            issue["fields"]["labels"] = json!([label]);
            issues.push(issue);
        }
    }
    issues
}

pub(super) fn issue(
    pattern: &Value,
    number: usize,
    summary: &str,
    state: &str,
    kind: &str,
) -> Value {
    let mut issue = pattern.clone();
    let (key, id) = (format!("{KEY}-{number}"), (10_000 + number).to_string());
    let address = format!("https://tidewater.atlassian.net/rest/api/3/issue/{id}");
    put(&mut issue, [("key", json!(key)), ("id", json!(id)), ("self", json!(address))]);
    put(&mut issue["fields"], [("summary", json!(summary)), ("status", status(pattern, state))]);
    let fields = &mut issue["fields"];
    fields["issuetype"]["name"] = json!(kind);
    fields["assignee"]["displayName"] = json!(PEOPLE[number % PEOPLE.len()]);
    fields["priority"]["name"] = json!(PRIORITIES[number % PRIORITIES.len()]);
    let day = 1 + number % 28;
    fields["updated"] = json!(format!("2026-07-{day:02}T23:23:00.000+0000"));
    issue
}

pub(super) fn status(pattern: &Value, name: &str) -> Value {
    let mut status = pattern["fields"]["status"].clone();
    let category = match name {
        "To Do" => json!({"id": 2, "key": "new", "colorName": "blue-gray", "name": name}),
        "Done" => json!({"id": 3, "key": "done", "colorName": "green", "name": name}),
        _ => json!({"id": 4, "key": "indeterminate", "colorName": "yellow", "name": "In Progress"}),
    };
    put(&mut status, [("name", json!(name)), ("statusCategory", category)]);
    status
}

/// What one of the words of a query asks about.
pub(super) fn field(issue: &Value, name: &str) -> Option<Vec<String>> {
    let fields = &issue["fields"];
    let one = |value: &str| Some(vec![value.to_owned()]);
    match name {
        "project" => one(KEY),
        "key" | "issuekey" => one(text(issue, "key")),
        "summary" | "text" => one(text(fields, "summary")),
        "status" => one(text(&fields["status"], "name")),
        "statuscategory" => one(text(&fields["status"]["statusCategory"], "name")),
        "issuetype" | "type" => one(text(&fields["issuetype"], "name")),
        "priority" => one(text(&fields["priority"], "name")),
        "labels" => {
            let labels = fields["labels"].as_array().into_iter().flatten();
            Some(labels.filter_map(|label| label.as_str().map(str::to_owned)).collect())
        }
        _ => None,
    }
}

pub(super) fn of_ours(payload: &str) -> Value {
    let names = [
        ("https://acme.atlassian.net", "https://tidewater.atlassian.net"),
        ("\"ED\"", "\"TIDE\""),
        ("\"Edison\"", "\"Tidewater\""),
        ("ED-", "TIDE-"),
    ];
    item(payload, &names)
}
