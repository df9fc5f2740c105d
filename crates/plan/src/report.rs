//! Result of a run: how each task ended.

use super::ended::{Ended, Status};
use super::failure::Failure;
use super::task::{Shown, Task};
use serde_json::{Map, Value, json};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct Report(Vec<(Task, Ended)>);

/// How one task ended.
#[derive(Debug, Clone, Copy)]
pub struct EndedTask<'r> {
    pub task: &'r Task,
    pub status: Status,
    /// Of the task, or of single items of its `foreach`.
    pub failures: &'r [(Option<usize>, Failure)],
    /// The whole result, if the answer shows it: the driver puts it into its form.
    pub value: Option<&'r Arc<Value>>,
    /// Of a `foreach`, whose value is a list of results: the places of those that are null because their
    /// item failed.
    pub failed: Option<&'r [usize]>,
}

impl EndedTask<'_> {
    /// What went wrong, a line each; empty if nothing did.
    pub fn describe_failures(&self) -> String {
        let (id, status) = (&self.task.id, self.status.as_str());
        let line = |(item, failure): &(Option<usize>, Failure)| {
            let (code, message) = (&failure.code, &failure.message);
            match (item, self.status) {
                (Some(item), _) => format!("{id}[{item}]: error ({code}): {message}\n"),
                (None, Status::Skipped) => format!("{id}: {message}\n"),
                (None, _) => format!("{id}: {status} ({code}): {message}\n"),
            }
        };
        if self.status == Status::Skipped && self.failures.is_empty() {
            return format!("{id}: skipped because its `when` does not hold\n");
        }
        self.failures.iter().map(line).collect()
    }
}

impl Report {
    pub(super) fn new(tasks: Vec<(Task, Ended)>) -> Self {
        Self(tasks)
    }

    /// All tasks, in the plan's order.
    pub fn tasks(&self) -> impl Iterator<Item = EndedTask<'_>> {
        self.0.iter().map(|(task, ended)| EndedTask {
            task,
            status: ended.status,
            failures: &ended.errors,
            value: ended.result.as_ref().filter(|_| task.shown != Shown::Nothing),
            failed: task.foreach.is_some().then_some(&ended.failed),
        })
    }

    /// Did nothing come of it, though something was tried?
    pub fn is_error(&self) -> bool {
        let mut all = self.0.iter().map(|(_, ended)| ended.status);
        let tried = |status| matches!(status, Status::Error | Status::Cancelled);
        !all.clone().any(|status| status == Status::Ok) && all.any(tried)
    }

    /// `{"results", "errors", "tasks"}`, for programs. `forms` holds results in the form they are shown in, by
    /// id; one that is not there is shown as JSON.
    pub fn answer(self, mut forms: Map<String, Value>) -> Value {
        let (mut results, mut errors, mut tasks) = (Map::new(), Map::new(), Map::new());
        for (task, ended) in self.0 {
            let id = task.id.as_str();
            for (item, failure) in &ended.errors {
                let name = item.map_or(id.to_owned(), |item| format!("{id}[{item}]"));
                errors.insert(name, error(failure));
            }
            let ms = u64::try_from(ended.took.as_millis()).unwrap_or(u64::MAX);
            let status = ended.status.as_str();
            tasks.insert(id.to_owned(), json!({"status": status, "ms": ms}));
            let form = ended.result.and_then(|result| match task.shown {
                Shown::Nothing => None,
                Shown::Raw => {
                    Some(forms.remove(id).unwrap_or_else(|| Arc::unwrap_or_clone(result)))
                }
                Shown::As(_) => {
                    let text = || Value::String(result.to_string());
                    Some(forms.remove(id).unwrap_or_else(text))
                }
            });
            if let Some(form) = form {
                results.insert(id.to_owned(), form);
            }
        }
        json!({"results": results, "errors": errors, "tasks": tasks})
    }
}

fn error(failure: &Failure) -> Value {
    json!({"code": failure.code, "message": failure.message})
}
