//! Everything that is wrong with a configuration, in one report.

use super::Origin;
use super::environment::variable;
use super::merged::Merged;
use super::path::{Path, below, names};
use super::schema::{ConfigKey, ConfigSchema};
use crate::ModuleSettings;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use model::shorten;
use model::{Fault, ModuleName, Place, did_you_mean};
use serde_json::Value;
use std::fmt::Write;

pub(super) struct Problems(Vec<Problem>);

struct Problem {
    path: Path,
    /// The value and who said it; `None` for a value that nobody said.
    said: Option<(Value, Origin)>,
    message: String,
    place: Option<Place>,
}

impl Problems {
    pub(super) fn of(
        schema: &ConfigSchema,
        merged: &Merged,
        file: Option<&ModuleSettings>,
    ) -> Self {
        let finder = Finder { merged, file };
        let known = schema.keys().iter().flat_map(|key| finder.of_key(key));
        let unknown = merged.values().keys();
        let unknown = unknown.filter(|name| !schema.is_open() && schema.key(name).is_none());
        let names: Vec<&str> = schema.keys().iter().map(|key| key.name.as_str()).collect();
        let unknown = unknown.map(|name| finder.not_a_key(vec![name.clone()], &names));
        Self(known.chain(unknown).collect())
    }

    /// One fault for all; it points at the first that stands in a file.
    pub(super) fn fault(&self, module: &ModuleName) -> Option<Fault> {
        let first = self.0.first()?;
        let mut message = format!("configuration of module `{module}` is not right");
        for problem in &self.0 {
            let _ = write!(message, "\n  {}", problem.line());
        }
        let missing = self.0.iter().find(|problem| problem.said.is_none());
        let mut fault = Fault::new(message);
        fault.place = self.0.iter().find_map(|problem| problem.place.clone());
        fault.help = missing.unwrap_or(first).way_out(module);
        Some(fault)
    }
}

impl Problem {
    fn line(&self) -> String {
        let field = self.field();
        match &self.said {
            Some((value, origin)) => {
                let value = shorten(&value.to_string());
                format!("{field} = {value} ({origin}): {}", self.message)
            }
            None => format!("{field}: {}", self.message),
        }
    }

    /// `rounds`, `server.port`, `tags[2]`.
    fn field(&self) -> String {
        let mut field = String::new();
        for (i, step) in self.path.iter().enumerate() {
            let _ = match step.parse::<usize>() {
                Ok(index) if i > 0 => write!(field, "[{index}]"),
                _ if i > 0 => write!(field, ".{step}"),
                _ => write!(field, "{step}"),
            };
        }
        field
    }

    fn way_out(&self, module: &ModuleName) -> Option<String> {
        match &self.said {
            None => {
                let key = self.field();
                let variable = variable(module, &key);
                Some(format!(
                    "set `{key}` in larkspur.toml under [module.{module}.config], \
                     as {variable}, or with --set {module}.{key}=…"
                ))
            }
            Some((_, Origin::Environment(variable))) => Some(format!("change or unset {variable}")),
            Some((_, Origin::CommandLine)) => {
                Some(format!("change --set {module}.{}=…", self.path.join(".")))
            }
            Some((_, Origin::Test)) => {
                Some(format!("change t.config(\"{}\", …)", self.path.join(".")))
            }
            // The place says it.
            Some((_, Origin::File { .. } | Origin::Default { .. })) => None,
        }
    }
}

struct Finder<'a> {
    merged: &'a Merged,
    file: Option<&'a ModuleSettings>,
}

impl Finder<'_> {
    fn of_key(&self, key: &ConfigKey) -> Vec<Problem> {
        let Some(value) = self.merged.values().get(&key.name) else {
            return key.required.then(|| missing(key)).into_iter().collect();
        };
        let Ok(validator) = jsonschema::validator_for(&key.schema) else {
            // The manifest would not have been read with such a schema.
            return Vec::new();
        };
        let errors: Vec<_> = validator.iter_errors(value).collect();
        let telling = errors.iter().filter(|error| !is_noise(error, &errors));
        telling.flat_map(|error| self.misfits(key, error)).collect()
    }

    fn misfits(&self, key: &ConfigKey, error: &ValidationError<'_>) -> Vec<Problem> {
        let path = path_of(key, error);
        if let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind() {
            let names = names(below(&key.schema, &path[1..]), None);
            let inner = |name: &String| path.iter().chain([name]).cloned().collect();
            let inner = unexpected.iter().map(inner);
            return inner.map(|path| self.not_a_key(path, &names)).collect();
        }
        let origin = self.merged.origin(&path).cloned();
        let place = self.file_of(origin.as_ref()).and_then(|file| file.place(&path));
        let value = error.instance().clone().into_owned();
        vec![Problem {
            path,
            said: origin.map(|origin| (value, origin)),
            message: message(error),
            place,
        }]
    }

    fn not_a_key(&self, path: Path, names: &[&str]) -> Problem {
        let given = path.last().map(String::as_str).unwrap_or_default();
        let help = match did_you_mean(given, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "there are none".to_owned(),
            None => format!("there are {}", names.join(", ")),
        };
        let origin = self.merged.origin(&path).cloned();
        let place = self.file_of(origin.as_ref()).and_then(|file| file.key_place(&path));
        Problem {
            said: self.merged.get(&path).cloned().zip(origin),
            path,
            message: format!("is not a key; {help}"),
            place,
        }
    }

    fn file_of(&self, origin: Option<&Origin>) -> Option<&ModuleSettings> {
        let from_file = matches!(origin, Some(Origin::File { .. }));
        self.file.filter(|_| from_file)
    }
}

/// The validator's words, except where they name only the first of what would be right.
fn message(error: &ValidationError<'_>) -> String {
    let ValidationErrorKind::Enum { options } = error.kind() else {
        return error.to_string();
    };
    let given = error.instance();
    let options = options.as_array().into_iter().flatten();
    let options: Vec<String> = options.map(Value::to_string).collect();
    match options.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("{given} is not one of {} or {last}", others.join(", "))
        }
        _ => error.to_string(),
    }
}

fn missing(key: &ConfigKey) -> Problem {
    Problem {
        path: vec![key.name.clone()],
        said: None,
        message: "is required".to_owned(),
        place: None,
    }
}

/// Of a value of the wrong type, nothing else is worth saying.
fn is_noise(error: &ValidationError<'_>, all: &[ValidationError<'_>]) -> bool {
    let of_type =
        |error: &ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::Type { .. });
    let same = |other: &&ValidationError<'_>| other.instance_path() == error.instance_path();
    !of_type(error) && all.iter().filter(same).any(of_type)
}

fn path_of(key: &ConfigKey, error: &ValidationError<'_>) -> Path {
    let pointer = error.instance_path().to_string();
    let steps = pointer.split('/').skip(1);
    let steps = steps.map(|step| step.replace("~1", "/").replace("~0", "~"));
    std::iter::once(key.name.clone()).chain(steps).collect()
}
