//! The repositories of the invented company, and what people opened in them.

use serde_json::{Value, json};

use crate::shape::{item, put, text};

const REPO: &str = include_str!("../../../../modules/github/payloads/repo.json");
const ISSUE: &str = include_str!("../../../../modules/github/payloads/issue.json");
const PULL: &str = include_str!("../../../../modules/github/payloads/pr.json");

pub(super) const NAMES: [&str; 2] = ["tidewater/ticketing", "tidewater/timetable"];

pub(super) const README: &str = "# ticketing\n\nSells tickets, and opens gates.\n\n- `gate/` runs on the pier\n- `shop/` runs in the cloud\n";

/// What goes wrong, and which label it has besides `bug`.
const TROUBLES: [(&str, &str); 8] = [
    ("Gate rejects tickets when its clock is behind", "offline"),
    ("Seats are counted twice after a refund", "shop"),
    ("Keys are not renewed over the weekend", "offline"),
    ("QR code is too dark on old phones", "phone"),
    ("Gate forgets what it saw when it restarts", "offline"),
    ("Receipt shows the wrong time zone", "shop"),
    ("Scanner takes a second to wake up", "gate"),
    ("Ticket of a cancelled crossing still opens", "offline"),
];

/// Each trouble is seen at these places.
const PLACES: [&str; 17] = [
    "pier 1",
    "pier 2",
    "pier 3",
    "pier 4",
    "pier 5",
    "pier 6",
    "pier 7",
    "the fort",
    "the market",
    "the mill",
    "North Island",
    "South Island",
    "the lighthouse",
    "the old harbour",
    "the new harbour",
    "the yard",
    "the depot",
];

const PEOPLE: [&str; 4] = ["jonquil", "sam-okoye", "lena-frost", "tomas-rey"];

const CHANGES: [(&str, &str); 3] = [
    ("Renew the keys every six hours", "renew-keys"),
    ("Write what a gate saw to disk", "gate-journal"),
    ("Brighter codes", "bright-codes"),
];

pub(super) struct Repo {
    pub(super) name: String,
    /// The newest first; pull requests among them, as GitHub has it.
    pub(super) issues: Vec<Value>,
    pub(super) pulls: Vec<Value>,
    /// By the number of the issue.
    pub(super) comments: Vec<(String, Value)>,
}

impl Repo {
    pub(super) fn new(name: &str) -> Self {
        let mut repo = Self {
            name: name.to_owned(),
            issues: Vec::new(),
            pulls: Vec::new(),
            comments: Vec::new(),
        };
        for place in PLACES.iter().rev() {
            for (trouble, label) in TROUBLES.iter().rev() {
                let labels = json!(["bug", label]);
                repo.open_issue(
                    &json!({"title": format!("{trouble} ({place})"), "labels": labels}),
                );
                // One of eight is done.
                if *label == "gate" {
                    repo.issues[0]["state"] = json!("closed");
                }
            }
        }
        for (title, branch) in CHANGES {
            repo.open_pull(title, branch);
        }
        repo
    }

    pub(super) fn shown(&self) -> Value {
        let mut repo = item(REPO, &[("acme-garden/plot", &self.name)]);
        let short = self.name.rsplit('/').next().unwrap_or_default();
        let open = self.issues.iter().filter(|issue| text(issue, "state") == "open").count();
        put(
            &mut repo,
            [
                ("name", json!(short)),
                ("description", json!(format!("Tidewater Ferries: {short}"))),
                ("open_issues_count", json!(open)),
            ],
        );
        repo
    }

    pub(super) fn open_issue(&mut self, body: &Value) -> Value {
        let number = self.issues.len() + 1;
        let mut issue = self.issue(number);
        let labels = body["labels"].as_array().into_iter().flatten();
        let labels: Vec<Value> = labels.map(|name| label(&issue, name)).collect();
        put(
            &mut issue,
            [("title", body["title"].clone()), ("labels", json!(labels)), ("comments", json!(0))],
        );
        if let Some(words) = body.get("body") {
            issue["body"] = words.clone();
        }
        self.issues.insert(0, issue.clone());
        issue
    }

    fn open_pull(&mut self, title: &str, branch: &str) {
        let number = self.issues.len() + 1;
        let mut pull = item(PULL, &[("acme-garden/plot", &self.name)]);
        put(
            &mut pull,
            [("number", json!(number)), ("title", json!(title)), ("state", json!("open"))],
        );
        put(
            &mut pull["head"],
            [("ref", json!(branch)), ("label", json!(format!("tidewater:{branch}")))],
        );
        self.pulls.insert(0, pull);
        let mut issue = self.issue(number);
        let url = format!("https://api.github.com/repos/{}/pulls/{number}", self.name);
        put(
            &mut issue,
            [("title", json!(title)), ("pull_request", json!({"url": url, "merged_at": null}))],
        );
        self.issues.insert(0, issue);
    }

    /// Later numbers are of later days, and by other people.
    fn issue(&self, number: usize) -> Value {
        let names = [
            ("acme-garden/plot", self.name.as_str()),
            ("issues/307", &format!("issues/{number}")),
            ("jonquil", PEOPLE[number % PEOPLE.len()]),
        ];
        let mut issue = item(ISSUE, &names);
        let (month, day) = (1 + number / 14, 1 + number % 14 * 2);
        put(
            &mut issue,
            [
                ("number", json!(number)),
                ("id", json!(2_655_310_000 + number)),
                ("created_at", json!(format!("2026-{month:02}-{day:02}T07:15:42Z"))),
            ],
        );
        issue
    }
}

/// Like the one that the issue has, by another name.
fn label(issue: &Value, name: &Value) -> Value {
    let mut label = issue["labels"][1].clone();
    let url = text(&label, "url").replace("planner", name.as_str().unwrap_or_default());
    put(&mut label, [("name", name.clone()), ("url", json!(url))]);
    label
}
