//! A task as far as it can be read, with a note of everything that cannot.

use super::fields::Fields;
use super::limits::PlanLimits;
use super::misspelt::Names;
use super::problem::PlanProblem;
use super::reading;
use super::retry::Retry;
use super::scope::is_of_item;
use super::source::Entry;
use super::task::{Need, OnError, Shown, Task, TaskId, When};
use super::template::{Findings, Mention, Template};
use model::{Args, Selection, ToolPath};
use serde_json::Value;
use std::time::Duration;

const FIELDS: [&str; 13] = [
    "id",
    "module",
    "tool",
    "params",
    "after",
    "output",
    "raw_output",
    "select",
    "when",
    "foreach",
    "timeout_ms",
    "retry",
    "on_error",
];

pub(super) struct Draft {
    pub(super) place: String,
    /// As it was written, so that others can be held to it even if it is not well formed.
    pub(super) written_id: Option<String>,
    pub(super) tool: Option<ToolPath>,
    pub(super) after: Vec<String>,
    /// References to other tasks.
    pub(super) mentions: Vec<Mention>,
    pub(super) retry: Option<Retry>,
    id: Option<TaskId>,
    params: Template,
    shown: Shown,
    select: Option<Selection>,
    when: Option<When>,
    foreach: Option<Template>,
    timeout: Duration,
    on_error: OnError,
}

impl Draft {
    pub(super) fn read(
        entry: &Entry<'_>,
        ids: &[&str],
        limits: &PlanLimits,
        problems: &mut Vec<PlanProblem>,
    ) -> Self {
        let written_id = entry.fields.get("id").and_then(Value::as_str);
        let mut fields = Fields {
            map: &entry.fields,
            task: name(written_id, &entry.place),
            above: "",
            problems,
        };
        fields.none_but(&FIELDS);
        let mut findings = Findings::new(Names { ids, of_item: fields.get("foreach").is_some() });
        let draft = Self {
            place: entry.place.clone(),
            written_id: written_id.map(str::to_owned),
            id: reading::id(&mut fields),
            tool: reading::tool(&mut fields),
            after: fields.ids("after").unwrap_or_default(),
            params: reading::params(&mut fields, &mut findings),
            shown: reading::shown(&mut fields),
            select: reading::select(&mut fields, &findings.names),
            foreach: reading::foreach(&mut fields, &mut findings, limits),
            when: reading::when(&mut fields, &mut findings),
            timeout: reading::timeout(&mut fields, limits),
            retry: reading::retry(&mut fields, limits),
            on_error: reading::on_error(&mut fields),
            mentions: Vec::new(),
        };
        for (field, slip) in findings.slips {
            let problem = PlanProblem::slip(&fields.task, &field, slip);
            fields.problems.push(problem);
        }
        draft.with_mentions(findings.mentions, fields.get("foreach").is_some())
    }

    /// `item` and `index` are no tasks where a `foreach` gives them a meaning.
    fn with_mentions(mut self, mut mentions: Vec<Mention>, has_foreach: bool) -> Self {
        let of_item = |mention: &Mention| {
            has_foreach && is_of_item(&mention.root) && !mention.field.starts_with("foreach")
        };
        let in_when = |mention: &Mention| mention.field == "when" && of_item(mention);
        if let Some(when) = &mut self.when {
            when.of_item = mentions.iter().any(in_when);
        }
        mentions.retain(|mention| !of_item(mention));
        self.mentions = mentions;
        self
    }

    /// The params whose values are known, and the names of the others; absent if `params` is no object.
    pub(super) fn known_params(&self) -> Option<(Args, Vec<&str>)> {
        self.params.known_fields()
    }

    /// How reports call it.
    pub(super) fn name(&self) -> String {
        name(self.written_id.as_deref(), &self.place)
    }

    /// The task, if all of it could be read.
    pub(super) fn finish(self, needs: Vec<Need>, declared: Option<Selection>) -> Option<Task> {
        Some(Task {
            id: self.id?,
            tool: self.tool?,
            shown: self.shown,
            select: self.select,
            declared,
            timeout: self.timeout,
            retry: self.retry,
            on_error: self.on_error,
            params: self.params,
            when: self.when,
            foreach: self.foreach,
            needs,
        })
    }
}

fn name(id: Option<&str>, place: &str) -> String {
    let task = |id: &str| format!("task `{}`", model::shorten(id));
    id.filter(|id| !id.is_empty()).map_or(place.to_owned(), task)
}
