//! A task as far as it can be read, with a note of everything that cannot.

use super::condition::Condition;
use super::fields::Fields;
use super::follow::kind;
use super::limits::PlanLimits;
use super::problem::PlanProblem;
use super::retry::{On, Retry};
use super::scope::is_of_item;
use super::source::Entry;
use super::task::{Format, Need, OnError, Shown, Task, TaskId, When};
use super::template::{Findings, Mention, Template};
use crate::{ModuleName, ToolName, ToolPath};
use serde_json::{Map, Value};
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
    select: Option<Vec<String>>,
    when: Option<When>,
    foreach: Option<Template>,
    timeout: Duration,
    on_error: OnError,
}

impl Draft {
    pub(super) fn read(
        entry: &Entry<'_>,
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
        let mut findings = Findings::default();
        let draft = Self {
            place: entry.place.clone(),
            written_id: written_id.map(str::to_owned),
            id: read_id(&mut fields),
            tool: read_tool(&mut fields),
            after: fields
                .texts("after", "a list of ids, such as [\"search\"]")
                .unwrap_or_default(),
            params: read_params(&mut fields, &mut findings),
            shown: read_shown(&mut fields),
            select: fields.texts(
                "select",
                "a list of fields, such as [\"id\", \"user.login\"]",
            ),
            foreach: read_foreach(&mut fields, &mut findings, limits),
            when: read_when(&mut fields, &mut findings),
            timeout: read_timeout(&mut fields, limits),
            retry: read_retry(&mut fields, limits),
            on_error: fields.word("on_error", &ON_ERROR).unwrap_or_default(),
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

    /// How reports call it.
    pub(super) fn name(&self) -> String {
        name(self.written_id.as_deref(), &self.place)
    }

    /// The task, if all of it could be read.
    pub(super) fn finish(self, needs: Vec<Need>) -> Option<Task> {
        Some(Task {
            id: self.id?,
            tool: self.tool?,
            shown: self.shown,
            select: self.select,
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

const ON_ERROR: [(&str, OnError); 2] = [("fail", OnError::Fail), ("continue", OnError::Continue)];

fn name(id: Option<&str>, place: &str) -> String {
    let task = |id: &str| format!("task `{}`", crate::accept::shorten(id));
    id.filter(|id| !id.is_empty())
        .map_or(place.to_owned(), task)
}

fn read_id(fields: &mut Fields<'_>) -> Option<TaskId> {
    let id = TaskId::read(fields.required_text("id")?);
    id.map_err(|why| fields.wrong("id", why)).ok()
}

fn read_tool(fields: &mut Fields<'_>) -> Option<ToolPath> {
    let module = fields.required_text("module").map(str::parse::<ModuleName>);
    let tool = fields.required_text("tool").map(str::parse::<ToolName>);
    let mut noted = |error: &dyn ToString| {
        let problem = PlanProblem::task(&fields.task, error.to_string());
        fields.problems.push(problem);
    };
    let module = module.and_then(|name| name.map_err(|error| noted(&error)).ok());
    let tool = tool.and_then(|name| name.map_err(|error| noted(&error)).ok());
    Some(ToolPath {
        module: module?,
        tool: tool?,
    })
}

fn read_params(fields: &mut Fields<'_>, findings: &mut Findings) -> Template {
    match fields.get("params") {
        None => Template::Plain(Value::Object(Map::new())),
        Some(params) => {
            if !params.is_object() {
                fields.must("params", "an object", params);
            }
            Template::read(params, "params", findings)
        }
    }
}

fn read_shown(fields: &mut Fields<'_>) -> Shown {
    let raw = fields.flag("raw_output");
    let shown = match fields.get("output") {
        Some(Value::Bool(true)) => Shown::As(Format::Compact),
        Some(Value::String(_)) => {
            let format = fields.word("output", &Format::NAMES);
            format.map(Shown::As).unwrap_or_default()
        }
        None | Some(Value::Bool(false)) => Shown::Nothing,
        Some(other) => {
            fields.must("output", "true, false or a format", other);
            Shown::Nothing
        }
    };
    if raw { Shown::Raw } else { shown }
}

fn read_foreach(
    fields: &mut Fields<'_>,
    findings: &mut Findings,
    limits: &PlanLimits,
) -> Option<Template> {
    let value = fields.get("foreach")?;
    let slips = findings.slips.len();
    let template = Template::read(value, "foreach", findings);
    let is_list = match (&template, value) {
        (_, Value::Array(items)) => {
            if items.len() > limits.items {
                fields.wrong("foreach", too_many(items.len(), limits));
            }
            true
        }
        (Template::Whole(reference), _) => !reference.json,
        // That it could not be read is said already.
        _ => findings.slips.len() > slips,
    };
    if !is_list {
        fields.must(
            "foreach",
            "one reference, such as \"${search.results}\", or a list",
            value,
        );
    }
    Some(template)
}

/// Of a list that is longer than a `foreach` may be.
pub(super) fn too_many(items: usize, limits: &PlanLimits) -> String {
    format!("may have {} items, and this has {items}", limits.items)
}

fn read_when(fields: &mut Fields<'_>, findings: &mut Findings) -> Option<When> {
    let value = fields.get("when")?;
    let Some(text) = value.as_str() else {
        let be = "a comparison as text, such as \"${search.total} > 0\"";
        fields.wrong("when", format!("must be {be}, not {}", kind(value)));
        return None;
    };
    Some(When {
        condition: Condition::read(text, findings)?,
        of_item: false,
    })
}

fn read_timeout(fields: &mut Fields<'_>, limits: &PlanLimits) -> Duration {
    let most = u64::try_from(limits.task_time.as_millis()).unwrap_or(u64::MAX);
    let timeout = fields.whole("timeout_ms", most);
    timeout.map_or(limits.task_time, Duration::from_millis)
}

fn read_retry(fields: &mut Fields<'_>, limits: &PlanLimits) -> Option<Retry> {
    let value = fields.get("retry")?;
    let Some(map) = value.as_object() else {
        fields.must("retry", "an object, such as {\"max\": 2}", value);
        return None;
    };
    let mut inner = Fields {
        map,
        task: fields.task.clone(),
        above: "retry.",
        problems: fields.problems,
    };
    inner.none_but(&["max", "on"]);
    if inner.get("max").is_none() {
        inner.wrong("max", "is required");
    }
    let max = inner.whole("max", limits.retries);
    let on = read_on(&mut inner);
    Some(Retry { max: max?, on: on? })
}

fn read_on(fields: &mut Fields<'_>) -> Option<Vec<On>> {
    let Some(value) = fields.get("on") else {
        return Some(On::ALL.to_vec());
    };
    let on = match value {
        Value::Array(items) => items.iter().map(On::read).collect(),
        one => On::read(one).map(|on| vec![on]),
    };
    if on.is_none() {
        let be = "a list of 429, \"5xx\", a status from 500 to 599 and \"timeout\"";
        fields.must("on", be, value);
    }
    on
}
