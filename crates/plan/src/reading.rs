//! The fields of a task, one by one.

use super::condition::Condition;
use super::fields::{Fields, as_flag};
use super::limits::PlanLimits;
use super::misspelt::{Misspelling, Names};
use super::problem::PlanProblem;
use super::retry::{On, Retry};
use super::task::{OnError, Shown, TaskId, When};
use super::template::{Findings, Template};
use compact::Format;
use model::{BadName, Selection, ToolPath, kind_of, shorten};
use serde_json::{Map, Value};
use std::time::Duration;

pub(super) fn id(fields: &mut Fields<'_>) -> Option<TaskId> {
    let id = TaskId::read(fields.required_text("id")?);
    id.map_err(|why| fields.wrong("id", why)).ok()
}

pub(super) fn tool(fields: &mut Fields<'_>) -> Option<ToolPath> {
    let (module, tool) = (fields.required_text("module"), fields.required_text("tool"));
    if let (Some(module), Some(tool)) = (module, tool)
        && let Some((other, inner)) = tool.split_once('.')
    {
        let (other, inner, module) = (shorten(other), shorten(inner), shorten(module));
        let message = format!(
            "names module `{other}`, and `module` is `{module}`; write \"module\": \"{other}\", \
             \"tool\": \"{inner}\""
        );
        fields.wrong("tool", message);
        return None;
    }
    let mut noted = |error: &dyn ToString| {
        let problem = PlanProblem::task(&fields.task, error.to_string());
        fields.problems.push(problem);
    };
    let module = module.and_then(|name| name.parse().map_err(|e: BadName| noted(&e)).ok());
    let tool = tool.and_then(|name| name.parse().map_err(|e: BadName| noted(&e)).ok());
    Some(ToolPath { module: module?, tool: tool? })
}

pub(super) fn params(fields: &mut Fields<'_>, findings: &mut Findings<'_>) -> Template {
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

const FORMATS: [(&str, Option<Format>); 4] = [
    ("compact", None),
    ("json", Some(Format::Json)),
    ("toon", Some(Format::Toon)),
    ("markdown", Some(Format::Markdown)),
];

pub(super) fn select(fields: &mut Fields<'_>, names: &Names<'_>) -> Option<Selection> {
    if let Some(text) = reference_in(fields.get("select")?, names) {
        let message = format!("names fields of the task's own result, and cannot hold `{text}`");
        fields.wrong("select", message);
        return None;
    }
    match Selection::parse(fields.get("select")?) {
        Ok(selection) => Some(selection),
        Err(why) => {
            let problem = PlanProblem::task(&fields.task, why.to_string());
            fields.problems.push(problem);
            None
        }
    }
}

/// A reference among the entries of a `select`, in whatever notation.
fn reference_in(select: &Value, names: &Names<'_>) -> Option<String> {
    let text = match select {
        Value::Array(entries) => return entries.iter().find_map(|e| reference_in(e, names)),
        Value::String(text) => text,
        _ => return None,
    };
    let misspelt = names.find(text);
    let written = text.contains("${").then_some(text.as_str());
    let written = written.or_else(|| misspelt.as_ref().map(Misspelling::written));
    written.map(shorten)
}

pub(super) fn shown(fields: &mut Fields<'_>) -> Shown {
    let raw = fields.flag("raw_output");
    let shown = match fields.get("output") {
        None => Shown::Nothing,
        Some(value) => match (as_flag(value), value) {
            (Some(true), _) => Shown::As(None),
            (Some(false), _) => Shown::Nothing,
            (None, Value::String(_)) => {
                let format = fields.word("output", &FORMATS);
                format.map(Shown::As).unwrap_or_default()
            }
            (None, other) => {
                fields.must("output", "true, false or a format", other);
                Shown::Nothing
            }
        },
    };
    if raw { Shown::Raw } else { shown }
}

pub(super) fn foreach(
    fields: &mut Fields<'_>,
    findings: &mut Findings<'_>,
    limits: &PlanLimits,
) -> Option<Template> {
    let value = fields.get("foreach")?;
    let slips = findings.slips.len();
    let names = findings.names;
    // The list is there before its items are.
    findings.names.of_item = false;
    let template = Template::read(value, "foreach", findings);
    findings.names = names;
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
        fields.must("foreach", "one reference, such as \"${search.results}\", or a list", value);
    }
    Some(template)
}

/// Of a list that is longer than a `foreach` may be.
pub(super) fn too_many(items: usize, limits: &PlanLimits) -> String {
    format!("may have {} items, and this has {items}", limits.items)
}

pub(super) fn when(fields: &mut Fields<'_>, findings: &mut Findings<'_>) -> Option<When> {
    let value = fields.get("when")?;
    let Some(text) = value.as_str() else {
        let be = "a comparison as text, such as \"${search.total} > 0\"";
        fields.wrong("when", format!("must be {be}, not {}", kind_of(value)));
        return None;
    };
    Some(When { condition: Condition::read(text, findings)?, of_item: false })
}

pub(super) fn timeout(fields: &mut Fields<'_>, limits: &PlanLimits) -> Duration {
    let most = u64::try_from(limits.task_time.as_millis()).unwrap_or(u64::MAX);
    let timeout = fields.whole("timeout_ms", most);
    timeout.map_or(limits.task_time, Duration::from_millis)
}

pub(super) fn retry(fields: &mut Fields<'_>, limits: &PlanLimits) -> Option<Retry> {
    let value = fields.get("retry")?;
    if value.is_number() {
        let max = fields.whole("retry", limits.retries)?;
        return Some(Retry { max, on: On::ALL.to_vec() });
    }
    let Some(map) = value.as_object() else {
        fields.must("retry", "an object, such as {\"max\": 2}", value);
        return None;
    };
    let mut inner =
        Fields { map, task: fields.task.clone(), above: "retry.", problems: fields.problems };
    inner.none_but(&["max", "on"]);
    if inner.get("max").is_none() {
        inner.wrong("max", "is required");
    }
    let max = inner.whole("max", limits.retries);
    let on = on(&mut inner);
    Some(Retry { max: max?, on: on? })
}

fn on(fields: &mut Fields<'_>) -> Option<Vec<On>> {
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

pub(super) fn on_error(fields: &mut Fields<'_>) -> OnError {
    let words = [("fail", OnError::Fail), ("continue", OnError::Continue)];
    fields.word("on_error", &words).unwrap_or_default()
}
