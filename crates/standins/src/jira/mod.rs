//! Jira: a project with issues, found by a query and in pages that go on by a token.

mod issues;
mod jql;

use serde_json::{Value, json};

use crate::base64;
use crate::http::{Answer, Request};
use crate::shape::{put, text};
use crate::standin::Service;
use issues::{COMMENT, MYSELF, PROJECT, PROJECT_DETAILS, TRANSITIONS, issue, of_ours, status};

pub(crate) const TOKEN: &str = "ATATT3xTidewaterStandIn";
pub(crate) const EMAIL: &str = "mia@example.com";
const KEY: &str = issues::KEY;
const LARGEST_PAGE: usize = 100;

pub(crate) struct Jira {
    /// An issue that others are made of.
    pattern: Value,
    /// By number.
    issues: Vec<Value>,
    /// With the key of the issue.
    comments: Vec<(String, Value)>,
}

impl Jira {
    pub(crate) fn new() -> Self {
        let said = ("TIDE-1".to_owned(), of_ours(COMMENT));
        let pattern = issues::pattern();
        Self { issues: issues::all(&pattern), pattern, comments: vec![said] }
    }

    fn search(&self, request: &Request) -> Answer {
        let jql = match jql::read(request.asked("jql").unwrap_or_default()) {
            Ok(jql) => jql,
            Err(why) => return refused(400, &why),
        };
        let found = self.issues.iter().rev().filter(|issue| jql::fits(&jql, issue));
        let size = request.number("maxResults", 50).clamp(1, LARGEST_PAGE);
        let token = request.asked("nextPageToken").unwrap_or("page0");
        let Some(start) = token.strip_prefix("page").and_then(|start| start.parse::<usize>().ok())
        else {
            return refused(400, "The provided next page token is invalid or expired.");
        };
        let mut found = found.skip(start);
        let fields = request.asked("fields").unwrap_or("id");
        let page: Vec<Value> =
            found.by_ref().take(size).map(|issue| narrowed(issue, fields)).collect();
        let mut body = json!({"issues": page});
        if found.next().is_some() {
            body["nextPageToken"] = json!(format!("page{}", start + size));
        } else {
            body["isLast"] = json!(true);
        }
        Answer::json(200, &body)
    }

    fn create(&mut self, body: &Value) -> Answer {
        let fields = &body["fields"];
        if text(&fields["project"], "key") != KEY {
            let errors =
                json!({"errorMessages": [], "errors": {"project": "valid project is required"}});
            return Answer::json(400, &errors);
        }
        let kind = text(&fields["issuetype"], "name");
        let mut issue =
            issue(&self.pattern, self.issues.len() + 1, text(fields, "summary"), "To Do", kind);
        for name in ["description", "labels"] {
            issue["fields"][name] = fields[name].clone();
        }
        let made = json!({"id": issue["id"], "key": issue["key"], "self": issue["self"]});
        self.issues.push(issue);
        Answer::json(201, &made)
    }

    fn of_issue(&mut self, request: &Request, key: &str, rest: &[&str]) -> Answer {
        let found = |issue: &&mut Value| text(issue, "key") == key || text(issue, "id") == key;
        let Some(issue) = self.issues.iter_mut().find(found) else {
            return refused(404, "Issue does not exist or you do not have permission to see it.");
        };
        match (request.method.as_str(), rest) {
            ("GET", []) => {
                Answer::json(200, &narrowed(issue, request.asked("fields").unwrap_or("*all")))
            }
            ("GET", ["transitions"]) => Answer::json(200, &of_ours(TRANSITIONS)),
            ("POST", ["transitions"]) => {
                let there = of_ours(TRANSITIONS);
                let mut there = there["transitions"].as_array().into_iter().flatten();
                let wanted = there.find(|one| one["id"] == request.body["transition"]["id"]);
                match wanted {
                    Some(one) => {
                        issue["fields"]["status"] = status(&self.pattern, text(&one["to"], "name"));
                        Answer::text(204, "application/json", String::new())
                    }
                    None => refused(400, "Transition id is not valid for this issue."),
                }
            }
            ("GET", ["comment"]) => self.said(request, key),
            ("POST", ["comment"]) => self.comment(key, &request.body),
            _ => refused(404, "null for uri"),
        }
    }

    fn said(&self, request: &Request, key: &str) -> Answer {
        let mut said: Vec<&Value> =
            self.comments.iter().filter(|(on, _)| on == key).map(|(_, comment)| comment).collect();
        if request.asked("orderBy") == Some("-created") {
            said.reverse();
        }
        let (start, size) =
            (request.number("startAt", 0), request.number("maxResults", LARGEST_PAGE));
        let total = said.len();
        let page: Vec<&Value> = said.into_iter().skip(start).take(size).collect();
        Answer::json(
            200,
            &json!({"startAt": start, "maxResults": size, "total": total, "comments": page}),
        )
    }

    fn comment(&mut self, key: &str, body: &Value) -> Answer {
        let mut comment = of_ours(COMMENT);
        let id = (10_200 + self.comments.len()).to_string();
        put(&mut comment, [("id", json!(id)), ("body", body["body"].clone())]);
        self.comments.push((key.to_owned(), comment.clone()));
        Answer::json(201, &comment)
    }
}

impl Service for Jira {
    fn knows(&self, request: &Request) -> bool {
        let basic = format!("Basic {}", base64::encode(&format!("{EMAIL}:{TOKEN}")));
        request.header("authorization") == Some(&basic)
    }

    fn unauthorized(&self) -> Answer {
        refused(401, "Client must be authenticated to access this resource.")
            .with("x-seraph-loginreason", "AUTHENTICATED_FAILED")
    }

    fn too_many(&self) -> Answer {
        refused(429, "Rate limit exceeded.")
    }

    fn answer(&mut self, request: &Request) -> Answer {
        let steps = request.steps();
        let ["rest", "api", "3", steps @ ..] = steps.as_slice() else {
            return refused(404, "null for uri");
        };
        match (request.method.as_str(), steps) {
            ("GET", ["myself"]) => Answer::json(200, &of_ours(MYSELF)),
            ("GET", ["project", "search"]) => Answer::json(
                200,
                &json!({"startAt": 0, "maxResults": 50, "total": 1, "isLast": true, "values": [of_ours(PROJECT)]}),
            ),
            ("GET", ["project", KEY]) => Answer::json(200, &of_ours(PROJECT_DETAILS)),
            ("GET", ["project", key]) => {
                refused(404, &format!("No project could be found with key '{key}'."))
            }
            ("GET", ["search", "jql"]) => self.search(request),
            ("POST", ["issue"]) => self.create(&request.body),
            (_, ["issue", key, rest @ ..]) => self.of_issue(request, key, rest),
            _ => refused(404, "null for uri"),
        }
    }
}

/// The service gives the fields that were asked for, and no others.
fn narrowed(issue: &Value, fields: &str) -> Value {
    let mut issue = issue.clone();
    if let Some(all) = issue["fields"].as_object_mut() {
        all.retain(|name, _| fields == "*all" || fields.split(',').any(|field| field == name));
    }
    issue
}

fn refused(status: u16, message: &str) -> Answer {
    Answer::json(status, &json!({"errorMessages": [message], "errors": {}}))
}
