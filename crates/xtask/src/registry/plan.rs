//! A plan as people read it: which task calls what, and waits for whom.

use anyhow::{Context, Result};
use serde_json::Value;

pub(super) struct Task {
    pub(super) id: String,
    pub(super) module: String,
    tool: String,
    /// In the order of the plan.
    waits_for: Vec<String>,
}

/// One that is sound: larkspur itself looks closer.
pub(super) fn read(plan: &str) -> Result<Vec<Task>> {
    let mut tasks: Vec<Task> = Vec::new();
    for line in plan.lines().filter(|line| !line.trim().is_empty()) {
        let task: Value = serde_json::from_str(line)?;
        let word = |name: &str| task[name].as_str().map(str::to_owned).context(line.to_owned());
        let after = task["after"].as_array().into_iter().flatten();
        let after: Vec<&str> = after.filter_map(Value::as_str).collect();
        let params = task["params"].to_string();
        let earlier = tasks.iter().map(|task| task.id.clone());
        let is_awaited =
            |id: &String| after.contains(&id.as_str()) || params.contains(&format!("${{{id}."));
        tasks.push(Task {
            waits_for: earlier.filter(is_awaited).collect(),
            id: word("id")?,
            module: word("module")?,
            tool: word("tool")?,
        });
    }
    Ok(tasks)
}

/// A line a task.
pub(super) fn picture(tasks: &[Task]) -> String {
    let lines = tasks.iter().map(|task| {
        let tool = format!("{}.{}", task.module, task.tool);
        let waits = match task.waits_for.as_slice() {
            [] => String::new(),
            those => format!("← {}", those.join(", ")),
        };
        format!("  {:<11}{tool:<26}{waits}", task.id).trim_end().to_owned()
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// How each task ended, as the command draws it on a terminal.
pub(super) fn ended(answer: &Value) -> String {
    let tasks = answer["tasks"].as_object().into_iter().flatten();
    let lines = tasks.map(|(id, task)| match task["status"].as_str() {
        Some("ok") => format!("● {id}"),
        other => format!("✗ {id}  {}", other.unwrap_or_default()),
    });
    lines.collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_wait_for_whom_they_name() {
        let plan = r#"
{"id": "find", "module": "notion", "tool": "search"}
{"id": "other", "module": "jira", "tool": "search"}
{"id": "page", "module": "notion", "tool": "get_page", "params": {"page_id": "${find.results[0].id}"}, "after": ["other"]}
"#;
        let picture = picture(&read(plan).unwrap());
        assert_eq!(
            picture,
            "  find       notion.search\n  other      jira.search\n  page       notion.get_page           ← find, other"
        );
    }

    #[test]
    fn what_failed_is_marked() {
        let answer = r#"{"tasks": {"a": {"status": "ok"}, "b": {"status": "skipped"}}}"#;
        let answer = serde_json::from_str(answer).unwrap();
        assert_eq!(ended(&answer), "● a\n✗ b  skipped");
    }
}
