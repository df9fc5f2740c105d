//! Searches: words of the title, and the qualifiers `repo:`, `is:`, `state:` and `label:`.

use serde_json::Value;

use super::has_label;
use super::repos::Repo;
use crate::http::Request;
use crate::shape::text;

pub(super) fn issues(repos: &[Repo], request: &Request) -> Vec<Value> {
    let query = request.asked("q").unwrap_or_default();
    let all = repos.iter().flat_map(|repo| repo.issues.iter().map(move |issue| (repo, issue)));
    let found = all.filter(|(repo, issue)| query.split(' ').all(|word| fits(word, repo, issue)));
    found.map(|(_, issue)| issue.clone()).collect()
}

pub(super) fn repositories(repos: &[Repo], request: &Request) -> Vec<Value> {
    let query = request.asked("q").unwrap_or_default();
    let words = || query.split(' ').filter(|word| !word.contains(':'));
    let found = repos.iter().filter(|repo| words().all(|word| repo.name.contains(word)));
    found.map(Repo::shown).collect()
}

fn fits(word: &str, repo: &Repo, issue: &Value) -> bool {
    match word.split_once(':') {
        Some(("repo", name)) => repo.name == name,
        Some(("label", name)) => has_label(issue, name),
        Some(("is", "issue")) => issue.get("pull_request").is_none(),
        Some(("is", "pr")) => issue.get("pull_request").is_some(),
        Some(("is" | "state", state)) => text(issue, "state") == state,
        _ => text(issue, "title").to_lowercase().contains(&word.to_lowercase()),
    }
}
