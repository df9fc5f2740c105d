//! What is said about a tool, and how much each part of it counts.

use super::words::{indexed_words, words};
use model::{ModuleName, Tool, first_sentence};
use serde_json::Value;

/// What is known about one tool.
#[derive(Debug, Clone, Copy)]
pub struct Findable<'f> {
    pub module: &'f str,
    pub module_description: &'f str,
    /// The module's own words.
    pub keywords: &'f [String],
    pub name: &'f str,
    pub description: &'f str,
    /// JSON Schema.
    pub input: &'f Value,
    pub examples: &'f [Value],
    /// Requests in plain language that the tool answers.
    pub questions: &'f [String],
}

/// How much a word counts by where it stands. Names are chosen with care; what is said about a parameter
/// is said about many.
const NAME: f32 = 3.0;
const MODULE: f32 = 2.0;
const MODULE_DESCRIPTION: f32 = 0.5;
const KEYWORDS: f32 = 2.0;
const SUMMARY: f32 = 2.0;
const DESCRIPTION: f32 = 1.0;
const EXAMPLES: f32 = 1.0;
const QUESTIONS: f32 = 1.0;
const PARAMETERS: f32 = 1.0;
const ABOUT_PARAMETERS: f32 = 0.5;
pub(super) const FIELDS: usize = 10;

/// What is said about one tool: words, and how much they count.
pub(super) type Fields = [(f32, Vec<String>); FIELDS];

impl<'f> Findable<'f> {
    pub fn of(
        module: &'f ModuleName,
        module_description: &'f str,
        keywords: &'f [String],
        tool: &'f Tool,
    ) -> Self {
        Self {
            module: module.as_str(),
            module_description,
            keywords,
            name: tool.name.as_str(),
            description: &tool.description,
            input: tool.input.to_json(),
            examples: &tool.examples,
            questions: &tool.questions,
        }
    }

    /// Words of the module's name and of the tool's own.
    pub(super) fn names(&self) -> (Box<str>, Box<str>) {
        let joined = |name: &str| words(name).join(" ").into();
        (joined(self.module), joined(self.name))
    }

    pub(super) fn fields(&self) -> Fields {
        let parameters = self.input.get("properties").and_then(Value::as_object);
        let parameters = || parameters.into_iter().flatten();
        let about = parameters().filter_map(|(_, schema)| schema.get("description")?.as_str());
        let texts = |texts: Vec<&str>| indexed_words(&texts.join("\n"));
        let mut examples = Vec::new();
        self.examples.iter().for_each(|e| gather(e, &mut examples));
        [
            (NAME, indexed_words(self.name)),
            (MODULE, indexed_words(self.module)),
            (MODULE_DESCRIPTION, indexed_words(self.module_description)),
            (KEYWORDS, texts(self.keywords.iter().map(String::as_str).collect())),
            (SUMMARY, indexed_words(first_sentence(self.description))),
            (DESCRIPTION, indexed_words(self.description)),
            (EXAMPLES, texts(examples)),
            (QUESTIONS, texts(self.questions.iter().map(String::as_str).collect())),
            (PARAMETERS, texts(parameters().map(|(name, _)| name.as_str()).collect())),
            (ABOUT_PARAMETERS, texts(about.collect())),
        ]
    }
}

/// All texts in an example, which may be a sentence or arguments.
fn gather<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| gather(item, texts)),
        Value::Object(map) => map.values().for_each(|value| gather(value, texts)),
        _ => {}
    }
}
