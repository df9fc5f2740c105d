//! GitHub: repositories with issues and pull requests, in pages that the header `link` leads through.

mod repos;
mod search;

use serde_json::{Value, json};

use crate::http::{Answer, Request, escaped};
use crate::shape::{item, put, text};
use crate::standin::Service;
use repos::{README, Repo};

pub(crate) const TOKEN: &str = "github_pat_11TIDEWATER0standin";
const LARGEST_PAGE: usize = 100;

const USER: &str = include_str!("../../../../modules/github/payloads/user.json");
const COMMENT: &str = include_str!("../../../../modules/github/payloads/comment.json");

pub(crate) struct Github {
    repos: Vec<Repo>,
}

impl Github {
    pub(crate) fn new() -> Self {
        let repos = repos::NAMES.iter().map(|name| Repo::new(name));
        Self { repos: repos.collect() }
    }

    fn of_repo(&mut self, request: &Request, name: &str, rest: &[&str]) -> Answer {
        let Some(repo) = self.repos.iter_mut().find(|repo| repo.name == name) else {
            return not_found();
        };
        match (request.method.as_str(), rest) {
            ("GET", []) => Answer::json(200, &repo.shown()),
            ("GET", ["readme"]) => Answer::text(
                200,
                "application/vnd.github.raw+json; charset=utf-8",
                README.to_owned(),
            ),
            ("GET", ["issues"]) => {
                let found = repo.issues.iter().filter(|issue| is_wanted(issue, request));
                listed(found.cloned().collect(), request, None)
            }
            ("POST", ["issues"]) => match text(&request.body, "title") {
                "" => refused(422, "Validation Failed"),
                _ => Answer::json(201, &repo.open_issue(&request.body)),
            },
            ("GET", ["pulls"]) => {
                let found = repo.pulls.iter().filter(|pull| is_wanted(pull, request));
                listed(found.cloned().collect(), request, None)
            }
            ("GET", ["pulls", number]) => numbered(&repo.pulls, number),
            ("GET", ["issues", number]) => numbered(&repo.issues, number),
            ("GET", ["issues", number, "comments"]) => {
                let said = repo.comments.iter().filter(|(on, _)| on == number);
                listed(said.map(|(_, comment)| comment.clone()).collect(), request, None)
            }
            ("POST", ["issues", number, "comments"]) => {
                let comment =
                    comment(&repo.name, number, repo.comments.len(), text(&request.body, "body"));
                repo.comments.push(((*number).to_owned(), comment.clone()));
                Answer::json(201, &comment)
            }
            _ => not_found(),
        }
    }
}

impl Service for Github {
    fn knows(&self, request: &Request) -> bool {
        request.header("authorization") == Some(&format!("Bearer {TOKEN}"))
    }

    fn unauthorized(&self) -> Answer {
        refused(401, "Bad credentials")
    }

    fn too_many(&self) -> Answer {
        let why = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
        refused(429, why)
    }

    fn answer(&mut self, request: &Request) -> Answer {
        match (request.method.as_str(), request.steps().as_slice()) {
            ("GET", ["user"]) => Answer::json(200, &item(USER, &[])),
            ("GET", ["user", "repos"] | ["users", _, "repos"]) => {
                listed(self.repos.iter().map(Repo::shown).collect(), request, None)
            }
            ("GET", ["search", "repositories"]) => {
                let found = search::repositories(&self.repos, request);
                listed(found, request, Some("items"))
            }
            ("GET", ["search", "issues"]) => {
                let found = search::issues(&self.repos, request);
                listed(found, request, Some("items"))
            }
            (_, ["repos", owner, name, rest @ ..]) => {
                self.of_repo(request, &format!("{owner}/{name}"), rest)
            }
            _ => not_found(),
        }
    }
}

fn is_wanted(thing: &Value, request: &Request) -> bool {
    let state = request.asked("state").unwrap_or("open");
    let labels = request.asked("labels").unwrap_or_default();
    let mut labels = labels.split(',').filter(|label| !label.is_empty());
    (state == "all" || text(thing, "state") == state) && labels.all(|label| has_label(thing, label))
}

fn has_label(thing: &Value, wanted: &str) -> bool {
    let mut labels = thing["labels"].as_array().into_iter().flatten();
    labels.any(|label| text(label, "name") == wanted)
}

fn numbered(things: &[Value], number: &str) -> Answer {
    let number = number.parse().ok();
    let found = things.iter().find(|thing| thing["number"].as_u64() == number);
    found.map_or_else(not_found, |thing| Answer::json(200, thing))
}

fn comment(repo: &str, number: &str, before: usize, body: &str) -> Value {
    let mut comment =
        item(COMMENT, &[("acme-garden/plot", repo), ("issues/307", &format!("issues/{number}"))]);
    put(&mut comment, [("id", json!(2_471_103_395 + before)), ("body", json!(body))]);
    comment
}

/// A page of them; where they are counted, they lie under a key.
fn listed(all: Vec<Value>, request: &Request, key: Option<&str>) -> Answer {
    let size = request.number("per_page", 30).clamp(1, LARGEST_PAGE);
    let page = request.number("page", 1).max(1);
    let (total, last) = (all.len(), all.len().div_ceil(size));
    let items: Vec<Value> = all.into_iter().skip((page - 1) * size).take(size).collect();
    let body = match key {
        Some(key) => json!({"total_count": total, "incomplete_results": false, key: items}),
        None => json!(items),
    };
    let answer = Answer::json(200, &body);
    if page < last {
        let links = [("next", page + 1), ("last", last)];
        let links = links.map(|(rel, page)| format!("<{}>; rel=\"{rel}\"", address(request, page)));
        return answer.with("link", links.join(", "));
    }
    answer
}

/// Where another page of the same is.
fn address(request: &Request, page: usize) -> String {
    let kept = request.query.iter().filter(|(name, _)| name != "page");
    let kept = kept.map(|(name, value)| format!("{name}={}", escaped(value)));
    let asked: Vec<String> = kept.chain([format!("page={page}")]).collect();
    let host = request.header("host").unwrap_or_default();
    format!("http://{host}{}?{}", request.path, asked.join("&"))
}

fn not_found() -> Answer {
    refused(404, "Not Found")
}

fn refused(status: u16, message: &str) -> Answer {
    Answer::json(
        status,
        &json!({"message": message, "documentation_url": "https://docs.github.com/rest", "status": status.to_string()}),
    )
}
