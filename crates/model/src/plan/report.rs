//! What came of a run, in the shape of the answer.

use super::ended::{Ended, Status};
use super::failure::Failure;
use super::task::{Shown, Task};
use serde_json::{Map, Value, json};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct Report(Vec<(Task, Ended)>);

/// A result that the answer shows.
#[derive(Debug, Clone, Copy)]
pub struct ShownResult<'r> {
    pub task: &'r Task,
    /// As it is: the driver puts it into its form.
    pub value: &'r Arc<Value>,
    /// Of a `foreach`, whose value is a list of results: the places of those that are null because their
    /// item failed.
    pub failed: Option<&'r [usize]>,
}

impl Report {
    pub(super) fn new(tasks: Vec<(Task, Ended)>) -> Self {
        Self(tasks)
    }

    pub fn shown(&self) -> impl Iterator<Item = ShownResult<'_>> {
        let shown = self.0.iter();
        let shown = shown.filter(|(task, _)| task.shown != Shown::Nothing);
        shown.filter_map(|(task, ended)| {
            Some(ShownResult {
                task,
                value: ended.result.as_ref()?,
                failed: task.foreach.is_some().then_some(&ended.failed),
            })
        })
    }

    /// Did nothing come of it, though something was tried?
    pub fn is_error(&self) -> bool {
        let mut all = self.0.iter().map(|(_, ended)| ended.status);
        let tried = |status| matches!(status, Status::Error | Status::Cancelled);
        !all.clone().any(|status| status == Status::Ok) && all.any(tried)
    }

    /// `{"results", "errors", "tasks"}`. `forms` holds results in the form they are shown in, by
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
                Shown::Raw => Some(
                    forms
                        .remove(id)
                        .unwrap_or_else(|| Arc::unwrap_or_clone(result)),
                ),
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
