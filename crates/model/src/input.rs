//! What a tool takes: checks arguments, gives them their form, fills in defaults.

use crate::accept::{Leniency, Mismatch, accept_fields, unknown_name};
use crate::duplicate_key;
use crate::listed_schema::{list_input, modernize};
use crate::schema::{Field, Schema, object_json};
use jsonschema::Validator;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Arguments of a call, by name.
pub type Args = Map<String, Value>;

/// One thing wrong with a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The argument, with a path into it; empty for the whole.
    pub field: String,
    pub message: String,
}

/// Arguments that were not taken, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected(pub Vec<Problem>);

impl Rejected {
    /// What is wrong with each field; the whole is the field without a name.
    pub fn by_field(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut fields: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for problem in &self.0 {
            let all = fields.entry(&problem.field).or_default();
            all.push(&problem.message);
        }
        fields
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            let join = if i == 0 { "" } else { "; " };
            if problem.field.is_empty() {
                write!(f, "{join}{}", problem.message)?;
            } else {
                write!(f, "{join}`{}` {}", problem.field, problem.message)?;
            }
        }
        Ok(())
    }
}

/// The parameters of a tool; a clone shares.
#[derive(Clone)]
pub struct Input(Arc<Inner>);

struct Inner {
    fields: Vec<Field>,
    /// Are undeclared arguments let through?
    open: bool,
    json: Value,
    /// As tool lists show it, where that is another.
    listed: Option<Value>,
    /// Rules beyond the types are left to a JSON-Schema validator, compiled on first use.
    rules: bool,
    validator: OnceLock<Result<Validator, String>>,
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Input({})", self.0.json)
    }
}

impl Input {
    /// Parameters with types; `open` lets undeclared arguments through.
    pub fn typed(fields: Vec<Field>, open: bool) -> Self {
        let rules = fields.iter().any(|f| !f.rules.is_empty());
        let json = object_json(&fields, open);
        Self(Arc::new(Inner {
            fields,
            open,
            listed: rewritten(&json),
            json,
            rules,
            validator: OnceLock::new(),
        }))
    }

    /// A schema the author wrote by hand, kept word for word.
    pub fn verbatim(json: Value) -> Result<Self, String> {
        if json.get("type").and_then(Value::as_str) != Some("object") {
            return Err("an input schema must have `\"type\": \"object\"`".into());
        }
        let input = Self(Arc::new(Inner {
            fields: Vec::new(),
            open: true,
            listed: rewritten(&json),
            json,
            rules: true,
            validator: OnceLock::new(),
        }));
        match input.validator() {
            Ok(_) => Ok(input),
            Err(why) => Err(why.clone()),
        }
    }

    pub fn to_json(&self) -> &Value {
        &self.0.json
    }

    /// The schema as tool lists show it: without what some clients reject, and what no model needs.
    pub fn listed(&self) -> &Value {
        self.0.listed.as_ref().unwrap_or(&self.0.json)
    }

    pub fn fields(&self) -> &[Field] {
        &self.0.fields
    }

    /// `repo: str, limit: int = 30, labels?: list[str]`.
    pub fn signature(&self) -> String {
        let shown = self.parameters().into_iter().map(|one| one.to_string());
        shown.collect::<Vec<_>>().join(", ")
    }

    /// The same with the names alone of what need not be given: `repo: str, limit?, labels?`.
    pub fn brief_signature(&self) -> String {
        let shown = self.parameters().into_iter().map(|parameter| {
            if parameter.required { parameter.to_string() } else { format!("{}?", parameter.name) }
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    fn parameters(&self) -> Vec<Parameter<'_>> {
        if self.0.fields.is_empty() {
            return verbatim_parameters(self.listed());
        }
        let fields = self.0.fields.iter();
        fields.map(Parameter::of).collect()
    }

    /// Arguments in the form the handler expects, or everything that is wrong with them.
    pub fn accept(&self, args: Args) -> Result<Args, Rejected> {
        let mut wrong = Vec::new();
        let args = self.take(args, &self.0.fields, &mut wrong);
        let mut problems: Vec<Problem> = wrong.into_iter().map(Problem::from).collect();
        if problems.is_empty() && self.0.rules {
            return self.check_rules(args);
        }
        problems.dedup();
        if problems.is_empty() { Ok(args) } else { Err(Rejected(problems)) }
    }

    /// What is wrong with arguments of which some are known by their names alone (`later`). At most
    /// [`MOST_PROBLEMS`] are listed.
    pub fn check_early(&self, known: Args, later: &[&str]) -> Vec<Problem> {
        if later.is_empty() {
            let rejected = self.accept(known).err();
            let problems = rejected.map(|rejected| rejected.0).unwrap_or_default();
            return problems.into_iter().take(MOST_PROBLEMS).collect();
        }
        let given: Vec<&str> =
            known.keys().map(String::as_str).chain(later.iter().copied()).collect();
        let mut problems = self.check_names(&given);
        let fields = self.0.fields.iter();
        let fields: Vec<Field> =
            fields.filter(|field| known.contains_key(&field.name)).cloned().collect();
        let mut wrong = Vec::new();
        let known: Args = {
            let names = self.names();
            let known = known.into_iter().filter(|(name, _)| !names.is_unknown(name));
            known.collect()
        };
        let taken = self.take(known, &fields, &mut wrong);
        problems.extend(wrong.into_iter().map(Problem::from));
        if problems.is_empty() && self.0.rules {
            // What depends on the whole, or on what is not known yet, is checked when all is known.
            let problems_of = self.check_rules(taken).err().map(|rejected| rejected.0);
            let is_known = |problem: &Problem| {
                let top = problem.field.split('.').next().unwrap_or_default();
                !top.is_empty() && !later.contains(&top)
            };
            problems.extend(problems_of.into_iter().flatten().filter(is_known));
        }
        problems.truncate(MOST_PROBLEMS);
        problems
    }

    fn check_names(&self, given: &[&str]) -> Vec<Problem> {
        let names = self.names();
        let problem = |field: &str, message: String| Problem { field: field.to_owned(), message };
        let missing = names.required.iter().filter(|name| !given.contains(name));
        let missing = missing.map(|name| problem(name, "is required".into()));
        let unknown = given.iter().filter(|name| names.is_unknown(name));
        let unknown = unknown.map(|name| problem(name, unknown_name(&names.all, name)));
        missing.chain(unknown).take(MOST_PROBLEMS).collect()
    }

    /// Arguments in the form that these parameters ask for, with defaults filled in.
    fn take(&self, args: Args, fields: &[Field], wrong: &mut Vec<Mismatch>) -> Args {
        let leniency = Leniency::Lenient;
        let args = accept_fields(fields, args, self.0.open, "", leniency, wrong);
        if self.0.fields.is_empty() {
            return self.fill_verbatim(args);
        }
        args
    }

    fn names(&self) -> ParameterNames<'_> {
        let (fields, json) = (&self.0.fields, &self.0.json);
        if !fields.is_empty() || !self.0.open {
            let required = fields.iter().filter(|f| f.required && f.default.is_none());
            return ParameterNames {
                all: fields.iter().map(|f| f.name.as_str()).collect(),
                required: required.map(|f| f.name.as_str()).collect(),
                is_open: self.0.open,
            };
        }
        let properties = json.get("properties").and_then(Value::as_object);
        let has_default = |name: &&str| {
            let property = properties.and_then(|properties| properties.get(*name));
            property.is_some_and(|property| property.get("default").is_some())
        };
        let required = json.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        ParameterNames {
            all: properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect(),
            required: required.filter(|name| !has_default(name)).collect(),
            is_open: json.get("additionalProperties") != Some(&Value::Bool(false))
                || json.get("patternProperties").is_some(),
        }
    }

    /// Arguments that came as text, each read by its parameter's type. Without a type a text stays
    /// what it is, and so does JSON with a key twice in one object; what is no text is left alone.
    pub fn read_text(&self, args: Args) -> Args {
        let read = |(name, value): (String, Value)| {
            let field = self.0.fields.iter().find(|field| field.name == name);
            let value = match (field, value) {
                (Some(field), Value::String(text))
                    if field.schema != Schema::Any && duplicate_key(text.as_bytes()).is_none() =>
                {
                    field.schema.read_text(&text)
                }
                (_, value) => value,
            };
            (name, value)
        };
        args.into_iter().map(read).collect()
    }

    /// Are the rules beyond the types themselves well formed?
    pub fn check_rules_are_valid(&self) -> Result<(), String> {
        if self.0.rules {
            self.validator().as_ref().map(|_| ()).map_err(Clone::clone)
        } else {
            Ok(())
        }
    }

    fn check_rules(&self, args: Args) -> Result<Args, Rejected> {
        let validator = match self.validator() {
            Ok(validator) => validator,
            Err(why) => {
                return Err(Rejected(vec![Problem { field: String::new(), message: why.clone() }]));
            }
        };
        let args = Value::Object(args);
        let problems: Vec<Problem> = validator
            .iter_errors(&args)
            .map(|error| Problem {
                field: error.instance_path().to_string().trim_start_matches('/').replace('/', "."),
                message: error.to_string(),
            })
            .collect();
        match args {
            Value::Object(args) if problems.is_empty() => Ok(args),
            _ => Err(Rejected(problems)),
        }
    }

    fn fill_verbatim(&self, mut args: Args) -> Args {
        let json = &self.0.json;
        let properties = json.get("properties").and_then(Value::as_object);
        let required = json.get("required").and_then(Value::as_array);
        let is_required =
            |name: &String| required.is_some_and(|names| names.iter().any(|one| one == name));
        for (name, property) in properties.into_iter().flatten() {
            let default = property.get("default");
            let may_be_absent = default.is_some() || !is_required(name);
            if let Some(value) = args.get_mut(name) {
                if value.is_null() && may_be_absent && rejects_null(property) {
                    args.shift_remove(name);
                } else if let Some(text) = text_for(property, value) {
                    *value = text;
                }
            }
            if let Some(default) = default
                && !args.contains_key(name)
            {
                args.insert(name.clone(), default.clone());
            }
        }
        args
    }

    fn validator(&self) -> &Result<Validator, String> {
        self.0.validator.get_or_init(|| {
            let json = &self.0.json;
            let validator = jsonschema::validator_for(json);
            // Servers send forms of draft-04 whichever draft they name.
            let validator = validator
                .or_else(|error| jsonschema::validator_for(&modernize(json)).map_err(|_| error));
            validator.map_err(|error| match elsewhere(json) {
                Some(uri) => format!(
                    "the input schema refers to `{uri}`: schemas are not fetched; write it under \
                     `$defs` and refer to `#/$defs/…`"
                ),
                None => format!("the input schema is not valid: {error}"),
            })
        })
    }
}

/// Does a schema name its types, and null is none of them?
fn rejects_null(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only != "null",
        Some(Value::Array(types)) => !types.iter().any(|one| one == "null"),
        _ => false,
    }
}

/// A number or boolean as text, where a schema takes nothing but strings.
fn text_for(schema: &Value, value: &Value) -> Option<Value> {
    let is_plain = value.is_number() || value.is_boolean();
    let wants_text = schema.get("type").is_some_and(|kind| kind == "string");
    (is_plain && wants_text).then(|| Value::from(value.to_string()))
}

fn rewritten(json: &Value) -> Option<Value> {
    let listed = list_input(json);
    (listed != *json).then_some(listed)
}

/// A reference that leads out of its schema.
fn elsewhere(schema: &Value) -> Option<&str> {
    match schema {
        Value::Array(items) => items.iter().find_map(elsewhere),
        Value::Object(map) => {
            let refers = |key: &str| map.get(key).and_then(Value::as_str);
            let refers = refers("$ref").or_else(|| refers("$dynamicRef"));
            refers
                .filter(|uri| uri.contains(':') && !uri.starts_with('#'))
                .or_else(|| map.values().find_map(elsewhere))
        }
        _ => None,
    }
}

impl From<Mismatch> for Problem {
    fn from(mismatch: Mismatch) -> Self {
        Self { field: mismatch.path, message: mismatch.message }
    }
}

/// How many problems with names are listed.
const MOST_PROBLEMS: usize = 20;

/// Which names a tool takes.
struct ParameterNames<'i> {
    all: Vec<&'i str>,
    required: Vec<&'i str>,
    is_open: bool,
}

impl ParameterNames<'_> {
    fn is_unknown(&self, name: &str) -> bool {
        !self.is_open && !self.all.contains(&name)
    }
}

/// A longer default says less than that there is one.
const LONGEST_DEFAULT: usize = 40;

/// A parameter as signatures show it.
struct Parameter<'i> {
    name: &'i str,
    kind: String,
    required: bool,
    /// Shown if it says more than that nothing need be given.
    default: Option<String>,
}

impl<'i> Parameter<'i> {
    fn of(field: &'i Field) -> Self {
        let default = field.default.as_ref();
        let kind = match &field.schema {
            // Null is what a caller leaves out.
            Schema::Union(kinds) if default == Some(&Value::Null) => {
                let kinds = kinds.iter().filter(|kind| **kind != Schema::Null);
                Schema::Union(kinds.cloned().collect()).type_name()
            }
            schema => schema.type_name(),
        };
        Self {
            name: &field.name,
            kind,
            required: field.required && default.is_none(),
            default: default.and_then(shown_default),
        }
    }
}

impl fmt::Display for Parameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.default {
            Some(default) => write!(f, "{}: {} = {default}", self.name, self.kind),
            None if self.required => write!(f, "{}: {}", self.name, self.kind),
            None => write!(f, "{}?: {}", self.name, self.kind),
        }
    }
}

fn shown_default(default: &Value) -> Option<String> {
    let is_empty = match default {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    };
    let text = (!is_empty).then(|| default.to_string());
    text.filter(|text| text.len() <= LONGEST_DEFAULT)
}

fn verbatim_parameters(json: &Value) -> Vec<Parameter<'_>> {
    let required = json.get("required").and_then(Value::as_array);
    let required = |name: &str| required.into_iter().flatten().any(|one| one == name);
    let properties = json.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    properties
        .map(|(name, schema)| {
            let default = schema.get("default");
            Parameter {
                name,
                kind: crate::schema::type_of_json(schema),
                required: default.is_none() && required(name),
                default: default.and_then(shown_default),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Args {
        match value {
            Value::Object(map) => map,
            other => panic!("not an object: {other}"),
        }
    }

    #[track_caller]
    fn check(input: &Input, args: Value, expected: Result<Value, &str>) {
        let got = input.accept(object(args)).map(Value::Object).map_err(|e| e.to_string());
        assert_eq!(got, expected.map_err(str::to_owned));
    }

    fn issues() -> Input {
        let mut limit = Field::optional("limit", Schema::Int, Some(json!(30)));
        limit.rules.insert("maximum".into(), json!(100));
        Input::typed(vec![Field::required("repo", Schema::Str), limit], false)
    }

    #[test]
    fn typed_parameters() {
        check(&issues(), json!({"repo": "a/b"}), Ok(json!({"repo": "a/b", "limit": 30})));
        check(
            &issues(),
            json!({"rep": "a/b", "limit": "x"}),
            Err(
                "`repo` is required; `limit` expected an integer, got the string \"x\"; `rep` is not a parameter; did you mean `repo`?",
            ),
        );
        check(
            &issues(),
            json!({"repo": "a", "limit": 101}),
            Err("`limit` 101 is greater than the maximum of 100"),
        );
        assert_eq!(issues().signature(), "repo: str, limit: int = 30");
        assert_eq!(issues().brief_signature(), "repo: str, limit?");
    }

    #[test]
    fn empty_defaults_are_not_shown() {
        let text_or_null = Schema::Union(vec![Schema::Str, Schema::Null]);
        let optional =
            |name: &str, schema: Schema, default| Field::optional(name, schema, Some(default));
        let fields = vec![
            optional("text", Schema::Str, json!("")),
            optional("list", Schema::List(Box::new(Schema::Str)), json!([])),
            optional("flag", Schema::Bool, json!(false)),
            optional("on", Schema::Bool, json!(true)),
            optional("zero", Schema::Number, json!(0)),
            optional("null", text_or_null, Value::Null),
            optional("long", Schema::Str, json!("x".repeat(50))),
        ];
        let expected = "text?: str, list?: list[str], flag?: bool, on: bool = true, \
                        zero: number = 0, null?: str, long?: str";
        assert_eq!(Input::typed(fields, false).signature(), expected);
    }

    #[test]
    fn names_are_checked_without_values() {
        let check = |input: &Input, names: &[&str], expected: &str| {
            let problems = Rejected(input.check_early(Args::new(), names));
            assert_eq!(problems.to_string(), expected, "{names:?}");
        };
        check(&issues(), &["repo"], "");
        let unknown = "`repo` is required; `rep` is not a parameter; did you mean `repo`?";
        check(&issues(), &["rep"], unknown);
        check(&Input::typed(Vec::new(), false), &["a"], "`a` is not a parameter; there are none");
        let open = Input::typed(vec![Field::required("a", Schema::Int)], true);
        check(&open, &["b"], "`a` is required");
        let properties = json!({"n": {"default": 2}, "s": {}});
        let mut schema =
            json!({"type": "object", "properties": properties, "required": ["n", "s"]});
        let written = Input::verbatim(schema.clone()).unwrap();
        check(&written, &["x"], "`s` is required");
        schema["additionalProperties"] = json!(false);
        let closed = Input::verbatim(schema.clone()).unwrap();
        check(&closed, &["s", "x"], "`x` is not a parameter; there are n, s");
        schema["patternProperties"] = json!({"^x": {}});
        check(&Input::verbatim(schema).unwrap(), &["s", "x"], "");
        let many = vec!["x"; 1000];
        assert_eq!(closed.check_early(Args::new(), &many).len(), MOST_PROBLEMS);
    }

    #[test]
    fn known_values_are_checked_before_others_are_known() {
        let check = |input: &Input, known: Value, later: &[&str], expected: &str| {
            let problems = Rejected(input.check_early(object(known), later));
            assert_eq!(problems.to_string(), expected, "{later:?}");
        };
        check(&issues(), json!({"limit": 5}), &["repo"], "");
        check(&issues(), json!({"limit": 5}), &[], "`repo` is required");
        check(
            &issues(),
            json!({"limit": "x", "rep": 1}),
            &["repo"],
            "`rep` is not a parameter; did you mean `repo`?; `limit` expected an integer, got the string \"x\"",
        );
        check(
            &issues(),
            json!({"limit": 101}),
            &["repo"],
            "`limit` 101 is greater than the maximum of 100",
        );
        let schema = json!({"type": "object", "required": ["a", "b"], "properties": {
            "a": {"type": "integer"}, "b": {"type": "string"}}, "minProperties": 2});
        let written = Input::verbatim(schema).unwrap();
        check(&written, json!({"a": 1}), &["b"], "");
        check(&written, json!({"a": "x"}), &["b"], "`a` \"x\" is not of type \"integer\"");
    }

    #[test]
    fn plain_slips_of_callers_are_taken_as_they_are_meant() {
        let state = Schema::OneOf(vec![json!("open"), json!("1")]);
        let fields = vec![
            Field::required("text", Schema::Str),
            Field::optional("limit", Schema::Int, Some(json!(30))),
            Field::optional("state", state, None),
            Field::optional("tags", Schema::List(Box::new(Schema::Str)), None),
            Field::optional("either", Schema::Union(vec![Schema::Str, Schema::Int]), None),
            Field::optional("none", Schema::Union(vec![Schema::Str, Schema::Null]), None),
        ];
        let typed = Input::typed(fields, false);
        let large = serde_json::from_str::<Value>("{\"text\": 12345678901234567890}").unwrap();
        check(&typed, large, Ok(json!({"text": "12345678901234567890", "limit": 30})));
        check(
            &typed,
            json!({"text": true, "limit": null, "state": 1, "tags": ["a", 2], "either": 2.0, "none": null}),
            Ok(
                json!({"text": "true", "limit": 30, "state": "1", "tags": ["a", "2"], "either": 2, "none": null}),
            ),
        );
        check(
            &typed,
            json!({"text": null, "state": 2, "tags": null}),
            Err(
                "`text` expected a string, got null; `state` expected one of \"open\", \"1\", got the number 2",
            ),
        );
        let schema = json!({"type": "object", "required": ["s"], "properties": {
            "s": {"type": "string"}, "n": {"type": "integer"}, "z": {"type": ["string", "null"]}}});
        let written = Input::verbatim(schema).unwrap();
        check(
            &written,
            json!({"s": 1.5, "n": null, "z": null}),
            Ok(json!({"s": "1.5", "z": null})),
        );
        check(&written, json!({"s": null}), Err("`s` null is not of type \"string\""));
    }

    #[test]
    fn open_parameters_let_others_through() {
        let input = Input::typed(vec![Field::optional("a", Schema::Int, None)], true);
        check(&input, json!({"b": [1]}), Ok(json!({"b": [1]})));
        check(
            &input,
            json!({"a": "x", "b": 1}),
            Err("`a` expected an integer, got the string \"x\""),
        );
        assert_eq!(input.signature(), "a?: int");
    }

    #[test]
    fn texts_are_read_by_type() {
        let fields = vec![
            Field::required("n", Schema::Int),
            Field::required("s", Schema::Str),
            Field::required("any", Schema::Any),
            Field::required("d", Schema::Dict(Box::new(Schema::Int))),
        ];
        let input = Input::typed(fields, false);
        let given = json!({"n": "5", "s": "5", "any": "5", "d": "{\"a\": 1}"});
        let expected = json!({"n": 5, "s": "5", "any": "5", "d": {"a": 1}});
        assert_eq!(input.read_text(object(given)), object(expected));
        let unclear = object(json!({"d": "{\"a\": 1, \"a\": 2}"}));
        assert_eq!(input.read_text(unclear.clone()), unclear);
        let given = object(json!({"n": 5, "other": "5"}));
        assert_eq!(input.read_text(given.clone()), given);
    }

    #[test]
    fn a_schema_written_by_hand_is_kept_and_holds() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "default": 2}, "s": {"pattern": "^a"}}});
        let input = Input::verbatim(schema.clone()).unwrap();
        assert_eq!(input.to_json(), &schema);
        check(&input, json!({"s": "abc"}), Ok(json!({"s": "abc", "n": 2})));
        check(&input, json!({"s": "b"}), Err("`s` \"b\" does not match \"^a\""));
        assert!(Input::verbatim(json!({"type": "object", "properties": 3})).is_err());
        assert!(Input::verbatim(json!({"type": "array"})).is_err());
    }
}
