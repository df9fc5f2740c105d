//! What a module offers, as JSON: names, a line each, or everything there is to know.

use super::listed::listed;
use crate::catalog::Module;
use model::{Prompt, Resource, Tool, summarize};
use serde_json::{Map, Value, json};
use settings::StructuredResults;

/// The longest summary beside a signature.
const LONGEST: usize = 100;

/// How much is said of each tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    Names,
    /// `list_issues(repo: str, limit: int = 30)  List issues, newest first`.
    Signatures,
    Full,
}

impl Detail {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "names" => Some(Self::Names),
            "signatures" => Some(Self::Signatures),
            "full" => Some(Self::Full),
            _ => None,
        }
    }
}

/// All of a module, or these tools of it.
pub(super) fn offered(module: &Module, detail: Detail, tools: Option<&[usize]>) -> Value {
    let mut all = Map::from_iter([("module".to_owned(), json!(module.name.as_str()))]);
    if let Some(about) = module.description() {
        all.insert("description".into(), json!(about));
    }
    let manifest = module.manifest.as_ref();
    if let Some(version) = manifest.and_then(|manifest| manifest.api_version.as_ref()) {
        all.insert("api_version".into(), json!(version));
    }
    let one = |index: usize| tool(&module.tools[index].tool, detail);
    let chosen: Vec<Value> = match tools {
        Some(tools) => tools.iter().copied().map(one).collect(),
        None => (0..module.tools.len()).map(one).collect(),
    };
    all.insert("tools".into(), Value::Array(chosen));
    if tools.is_none() && detail == Detail::Full {
        let resources = module.resources.iter();
        let resources = resources.map(|one| resource(&one.resource));
        some(&mut all, "resources", resources.collect());
        let prompts = module.prompts.iter();
        let prompts = prompts.map(|one| prompt(&one.prompt));
        some(&mut all, "prompts", prompts.collect());
    }
    Value::Object(all)
}

fn some(all: &mut Map<String, Value>, key: &str, items: Vec<Value>) {
    if !items.is_empty() {
        all.insert(key.to_owned(), Value::Array(items));
    }
}

/// Something with what it is for.
fn line(what: &str, description: &str) -> Value {
    match summarize(description, LONGEST) {
        about if about.is_empty() => json!(what),
        about => json!(format!("{what}  {about}")),
    }
}

fn tool(tool: &Tool, detail: Detail) -> Value {
    let name = tool.name.as_str();
    match detail {
        Detail::Names => json!(name),
        Detail::Signatures => line(&tool.signature(), &tool.description),
        Detail::Full => {
            // As `call` takes and gives it, not as a list shows it.
            let mut full = listed(name, tool, StructuredResults::Always);
            full["inputSchema"] = tool.input.to_json().clone();
            if !tool.examples.is_empty() {
                full["examples"] = json!(tool.examples);
            }
            full
        }
    }
}

fn resource(resource: &Resource) -> Value {
    let key = if resource.uri.is_exact() { "uri" } else { "uriTemplate" };
    let mut full = json!({key: resource.uri.as_str(), "name": resource.name});
    if !resource.description.is_empty() {
        full["description"] = json!(resource.description);
    }
    if let Some(mime) = &resource.mime {
        full["mimeType"] = json!(mime);
    }
    full
}

fn prompt(prompt: &Prompt) -> Value {
    let mut full = json!({"name": prompt.name.as_str()});
    if !prompt.description.is_empty() {
        full["description"] = json!(prompt.description);
    }
    let fields = prompt.input.fields().iter();
    let arguments = fields.map(|field| {
        let mut one = json!({"name": field.name, "required": field.required});
        if let Some(about) = &field.description {
            one["description"] = json!(about);
        }
        one
    });
    full["arguments"] = arguments.collect();
    full
}
