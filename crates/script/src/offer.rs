//! Reads what a file has declared: its tools, in both forms, its resources and prompts, and what it
//! says about itself.

use crate::compactor::{Compactor, selection};
use crate::engine::Evaluated;
use crate::error::SourceMap;
use crate::loader::FileId;
use crate::nesting::place;
use crate::permissions;
use crate::prompt::{self, ScriptPrompt};
use crate::questions::read_questions;
use crate::resource::{self, ScriptResource};
use crate::script::{Binding, Declared, Script, ScriptTool, ToolChange};
use crate::signature::{Signature, Types, get};
use crate::stdlib::show;
use model::{
    Cache, DeclaredRead, Fault, Field, Hints, Input, Schema, TaskUse, Tool, ToolName,
    parse_duration,
};
use serde_json::Value as Json;
use starlark::environment::{FrozenModule, Module};
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::{OwnedFrozenValue, Value};
use std::time::Duration;

/// All that a file has declared.
#[derive(Default)]
pub(crate) struct Offer {
    pub(crate) declared: Declared,
    pub(crate) tools: Vec<ScriptTool>,
    pub(crate) resources: Vec<ScriptResource>,
    pub(crate) prompts: Vec<ScriptPrompt>,
}

impl Offer {
    /// Itself, unless nothing is left beside the tools that are invalid.
    fn or_fault(self) -> Result<Self, Fault> {
        let is_empty =
            self.tools.is_empty() && self.resources.is_empty() && self.prompts.is_empty();
        match self.declared.invalid.first() {
            Some(fault) if is_empty => Err(fault.clone()),
            _ => Ok(self),
        }
    }

    /// Is this function behind something on offer?
    pub(crate) fn has(&self, function: Value<'_>) -> bool {
        let tools = self.tools.iter().map(|tool| &tool.handler);
        let resources = self.resources.iter().map(|r| &r.handler.function);
        let prompts = self.prompts.iter().map(|p| &p.handler.function);
        let mut all = tools.chain(resources).chain(prompts);
        all.any(|handler| handler.value().ptr_eq(function))
    }
}

pub(crate) fn read(file: &FileId, evaluated: &Evaluated) -> Result<Offer, Fault> {
    let Some(ledger) = evaluated.frozen.owned_extra_value() else {
        return Ok(Offer::default());
    };
    Module::with_temp_heap(|module| {
        let heap = module.heap();
        let types = Types::new(&evaluated.ledgers, heap);
        let mut reader = Reader {
            file,
            sources: &evaluated.sources,
            types: &types,
            owner: &ledger,
            declared: Declared::default(),
        };
        let entries = entries(heap.access_owned_frozen_value(&ledger));
        let of_kind = |kind: &str| {
            entries
                .iter()
                .copied()
                .filter(move |e| get(*e, "kind").and_then(Value::unpack_str) == Some(kind))
                .collect::<Vec<_>>()
        };
        let mut tools = Vec::new();
        let (mut resources, mut prompts) = (of_kind("resource"), of_kind("prompt"));
        for entry in of_kind("extension") {
            reader.declared.is_module = true;
            reader.extension(entry, &mut tools)?;
            let extension = get(entry, "extension").unwrap_or_else(Value::new_none);
            resources.splice(0..0, reader.listed(extension, "resources", &resources)?);
            prompts.splice(0..0, reader.listed(extension, "prompts", &prompts)?);
        }
        for entry in of_kind("tool") {
            reader.declared.is_module = true;
            match reader.typed(entry) {
                Ok(tool) => replace(&mut tools, tool),
                Err(fault) => reader.declared.invalid.push(fault),
            }
        }
        reader.declared.is_module |= !resources.is_empty() || !prompts.is_empty();
        let uses_tool = !of_kind("tool").is_empty();
        reader.permissions(of_kind("permissions").first().copied(), uses_tool)?;
        let mut offer = Offer { tools, ..Offer::default() };
        for entry in resources {
            resource::replace(&mut offer.resources, reader.resource(entry)?);
        }
        for entry in prompts {
            prompt::replace(&mut offer.prompts, reader.prompt(entry)?);
        }
        offer.declared = reader.declared;
        offer.or_fault()
    })
}

/// What an evaluation did to its module's tools.
pub(crate) fn changes(script: &Script, frozen: &FrozenModule) -> Result<Vec<ToolChange>, Fault> {
    let Some(ledger) = frozen.owned_extra_value() else {
        return Ok(Vec::new());
    };
    Module::with_temp_heap(|module| {
        let heap = module.heap();
        let types = Types::new(&script.ledgers, heap);
        let mut reader = Reader {
            file: &script.file,
            sources: &script.sources,
            types: &types,
            owner: &ledger,
            declared: Declared::default(),
        };
        let mut changes = Vec::new();
        for entry in entries(heap.access_owned_frozen_value(&ledger)) {
            match get(entry, "kind").and_then(Value::unpack_str) {
                Some("tool") => changes.push(ToolChange::Add(Box::new(reader.typed(entry)?))),
                Some("remove") => {
                    let name = get(entry, "name").and_then(Value::unpack_str);
                    let name = name.unwrap_or_default().parse();
                    changes.push(ToolChange::Remove(
                        name.map_err(|why| Fault::new(format!("{why}")))?,
                    ));
                }
                _ => {}
            }
        }
        Ok(changes)
    })
}

fn entries(ledger: Value<'_>) -> Vec<Value<'_>> {
    DictRef::from_value(ledger).iter().flat_map(|d| d.values().collect::<Vec<_>>()).collect()
}

/// Declaring a name again replaces it, in its old place.
fn replace(tools: &mut Vec<ScriptTool>, new: ScriptTool) {
    match tools.iter_mut().find(|old| old.tool.name == new.tool.name) {
        Some(old) => *old = new,
        None => tools.push(new),
    }
}

pub(crate) struct Reader<'a, 'v> {
    file: &'a FileId,
    sources: &'a SourceMap,
    pub(crate) types: &'a Types<'v>,
    owner: &'a OwnedFrozenValue,
    declared: Declared,
}

impl<'v> Reader<'_, 'v> {
    /// A fault at the function's `def`, or at the file when it is not there.
    pub(crate) fn fault(&self, function: &str, message: String) -> Fault {
        let fault = Fault::new(message);
        let Some(source) = self.sources.0.get(self.file) else {
            return fault;
        };
        let source = &source.text;
        match source.find(&format!("def {function}(")) {
            Some(at) => fault.at(place(self.file, source, at + 4, at + 4 + function.len())),
            None => fault.at(place(self.file, source, 0, 0)),
        }
    }

    /// A fault at the `tool(…)` that declares it.
    fn fault_in(&self, entry: Value<'v>, message: String) -> Fault {
        let number = |key: &str| usize::try_from(get(entry, key)?.unpack_i32()?).ok();
        let file = get(entry, "file").and_then(Value::unpack_str);
        let place = file.zip(number("begin")).zip(number("end"));
        let place = place.and_then(|((file, begin), end)| self.sources.place_at(file, begin, end));
        Fault { place, ..Fault::new(message) }
    }

    pub(crate) fn frozen(&self, value: Value<'v>) -> Result<OwnedFrozenValue, Fault> {
        match value.unpack_frozen() {
            Some(frozen) => Ok(self.owner.map(|_| frozen)),
            None => Err(Fault::new("a handler did not survive loading")),
        }
    }

    /// What the file declares to reach, and in which form it is.
    fn permissions(&mut self, entry: Option<Value<'v>>, uses_tool: bool) -> Result<(), Fault> {
        let source = self.sources.text(self.file);
        let is_ours = uses_tool || entry.is_some();
        self.declared.is_extension = !is_ours && permissions::is_extension(self.file, source);
        self.declared.permissions = entry.and_then(permissions::declared);
        if entry.is_none() || self.declared.is_module {
            return Ok(());
        }
        let begin = source.find("permissions(").unwrap_or_default();
        let end = begin + "permissions".len();
        let fault = Fault::new("permissions() has no effect here: this file offers no tools");
        Err(fault
            .help("a file that is loaded has the permissions of the module that loads it: declare them there")
            .at(place(self.file, source, begin, end)))
    }

    fn typed(&mut self, entry: Value<'v>) -> Result<ScriptTool, Fault> {
        let function = get(entry, "fn").unwrap_or_else(Value::new_none);
        let function_name = function_name(function);
        let fail = |message: String| self.fault(&function_name, message);
        let signature = self
            .types
            .signature(function)
            .map_err(|why| fail(format!("tool `{function_name}`: {why}")))?;
        let text = |key: &str| get(entry, key).and_then(Value::unpack_str).map(str::to_owned);
        let flag = |key: &str| get(entry, key).and_then(Value::unpack_bool);
        let json =
            |key: &str| get(entry, key).filter(|v| !v.is_none()).and_then(|v| self.types.json(v));
        let name = text("name").unwrap_or_else(|| function_name.clone());
        if name == "lambda" && text("name").is_none() {
            return Err(fail("a lambda has no name; write tool(fn, name = \"my_tool\")".into()));
        }
        let name: ToolName = name.parse().map_err(|e| fail(format!("{e}")))?;
        let wrong = |why: String| self.fault_in(entry, format!("tool `{name}`: {why}"));
        let given = |key: &str| get(entry, key).filter(|value| !value.is_none());
        let output = match given("output_schema") {
            Some(schema) => Some(self.output_schema(schema).map_err(wrong)?),
            None => signature.output.as_ref().map(Schema::to_json),
        };
        let select = given("select").map(|select| selection(self, select));
        let select = select.transpose().map_err(wrong)?;
        let compact = given("compact").map(|function| Compactor::read(self, function));
        let compact = compact.transpose().map_err(wrong)?;
        // What a `compact` function makes of the result has a shape of its own.
        if let (Some(select), Some(output), None) = (&select, &output, &compact) {
            select.check_matches(output).map_err(wrong)?;
        }
        let cache = self.cache(entry).map_err(wrong)?;
        if cache.is_some() && flag("destructive") == Some(true) {
            return Err(wrong(
                "a destructive tool must run each time it is called; take `cache` away".into(),
            ));
        }
        let tool = Tool {
            input: self.input(entry, &signature).map_err(wrong)?,
            title: text("title"),
            description: text("description").unwrap_or_else(|| signature.description.clone()),
            hints: Hints {
                read_only: flag("read_only"),
                destructive: flag("destructive"),
                idempotent: flag("idempotent"),
                open_world: flag("open_world"),
            },
            reads: declared_reads(json("reads").as_ref(), flag("read_only")).map_err(wrong)?,
            icons: json("icons"),
            examples: json("examples").and_then(|e| e.as_array().cloned()).unwrap_or_default(),
            questions: read_questions(get(entry, "questions")).map_err(wrong)?,
            timeout: timeout(entry).map_err(wrong)?,
            task: task(entry).map_err(wrong)?,
            always: flag("always") == Some(true),
            cache,
            select,
            has_compact: compact.is_some(),
            name,
            output,
        };
        let binding = Binding::Typed {
            ctx: signature.takes_ctx,
            kinds: signature.fields.iter().map(|f| f.name.clone()).zip(signature.kinds).collect(),
            positional: signature.positional,
            output: tool.output.is_some(),
        };
        Ok(ScriptTool { tool, handler: self.frozen(function)?, binding, compact })
    }

    fn input(&self, entry: Value<'v>, signature: &Signature) -> Result<Input, String> {
        if let Some(schema) = get(entry, "input_schema").filter(|v| !v.is_none()) {
            let schema = self.types.json(schema).ok_or("input_schema is not JSON")?;
            return Input::verbatim(schema);
        }
        let mut fields = signature.fields.clone();
        let rules = get(entry, "params").and_then(DictRef::from_value);
        for (name, rules) in rules.iter().flat_map(|d| d.iter().collect::<Vec<_>>()) {
            let name = show::plain(name);
            let names: Vec<String> = fields.iter().map(|f| f.name.clone()).collect();
            let Some(field) = fields.iter_mut().find(|f| f.name == name) else {
                let near = model::did_you_mean(&name, names.iter().map(String::as_str));
                let hint = near.map_or_else(
                    || format!("there are {}", names.join(", ")),
                    |n| format!("did you mean `{n}`?"),
                );
                return Err(format!("params names `{name}`, which is not a parameter; {hint}"));
            };
            let Some(Json::Object(mut rules)) = self.types.json(rules) else {
                return Err(format!("params[\"{name}\"] must be param(…)"));
            };
            if let Some(Json::String(text)) = rules.shift_remove("description") {
                field.description = Some(text);
            }
            field.rules = rules;
        }
        let input = Input::typed(fields, signature.open);
        input.check_rules_are_valid()?;
        Ok(input)
    }

    fn extension(&mut self, entry: Value<'v>, tools: &mut Vec<ScriptTool>) -> Result<(), Fault> {
        let extension = get(entry, "extension").unwrap_or_else(Value::new_none);
        let fault = |message: String| self.fault("describe_extension", message);
        let Some(Json::String(name)) = get(extension, "name").and_then(|v| self.types.json(v))
        else {
            return Err(fault(format!(
                "describe_extension() must return Extension(name = …, …), not a {}",
                extension.get_type()
            )));
        };
        let name = name.parse().map_err(|e| fault(format!("{e}")))?;
        let text = |key: &str| get(extension, key).and_then(Value::unpack_str).map(str::to_owned);
        self.declared.version = text("version");
        self.declared.description = text("description").filter(|d| !d.is_empty());
        self.declared.allowed_exec = strings(get(extension, "allowed_exec"));
        self.declared.name = Some(name);
        let listed = get(extension, "tools").and_then(ListRef::from_value);
        for tool in listed.into_iter().flat_map(ListRef::iter) {
            match self.described(tool) {
                Ok(tool) => replace(tools, tool),
                Err(fault) => self.declared.invalid.push(fault),
            }
        }
        Ok(())
    }

    fn described(&mut self, tool: Value<'v>) -> Result<ScriptTool, Fault> {
        let fault = |message: String| self.fault("describe_extension", message);
        let text = |key: &str| get(tool, key).and_then(Value::unpack_str).map(str::to_owned);
        let Some(name) = text("name") else {
            return Err(fault(format!("tools must hold Tool(…), not a {}", tool.get_type())));
        };
        let name: ToolName = name.parse().map_err(|e| fault(format!("{e}")))?;
        let questions = read_questions(get(tool, "questions"))
            .map_err(|why| fault(format!("tool `{name}`: {why}")))?;
        let mut fields = Vec::new();
        let parameters = get(tool, "parameters").and_then(ListRef::from_value);
        for parameter in parameters.into_iter().flat_map(ListRef::iter) {
            let field = self.parameter(&name, parameter)?;
            fields.push(field);
        }
        let Some(handler) = get(tool, "handler") else {
            return Err(self.fault("describe_extension", format!("tool `{name}` has no handler")));
        };
        let annotations =
            get(tool, "annotations").and_then(|v| self.types.json(v)).unwrap_or(Json::Null);
        let hint = |camel: &str, snake: &str| {
            annotations.get(camel).or_else(|| annotations.get(snake)).and_then(Json::as_bool)
        };
        let read_only = hint("readOnlyHint", "read_only");
        let mut reads = declared_reads(annotations.get("reads"), read_only)
            .map_err(|why| self.fault("describe_extension", format!("tool `{name}`: {why}")))?;
        // The author lists the commands once, for all tools.
        let commands = self.declared.allowed_exec.iter().cloned();
        reads.extend(commands.map(DeclaredRead::Command));
        let tool = Tool {
            title: text("title")
                .or_else(|| annotations.get("title").and_then(Json::as_str).map(str::to_owned)),
            description: text("description").unwrap_or_default(),
            input: Input::typed(fields, true),
            output: get(tool, "output_schema")
                .and_then(|v| self.types.json(v))
                .filter(Json::is_object),
            hints: Hints {
                read_only,
                destructive: hint("destructiveHint", "destructive"),
                idempotent: hint("idempotentHint", "idempotent"),
                open_world: hint("openWorldHint", "open_world"),
            },
            reads,
            icons: None,
            examples: Vec::new(),
            questions,
            timeout: None,
            task: TaskUse::Never,
            select: None,
            has_compact: false,
            cache: None,
            always: false,
            name,
        };
        let ctx = handler.parameters_spec().is_some_and(|spec| spec.len() > 1);
        Ok(ScriptTool {
            tool,
            handler: self.frozen(handler)?,
            binding: Binding::Dict { ctx },
            compact: None,
        })
    }

    fn parameter(&mut self, tool: &ToolName, parameter: Value<'v>) -> Result<Field, Fault> {
        let text = |key: &str| get(parameter, key).and_then(Value::unpack_str).map(str::to_owned);
        let (Some(name), Some(kind)) = (text("name"), text("param_type")) else {
            return Err(self.fault(
                "describe_extension",
                format!(
                    "parameters of `{tool}` must be ToolParameter(…), not a {}",
                    parameter.get_type()
                ),
            ));
        };
        let schema = schema_of(&kind);
        let required = get(parameter, "required").is_some_and(Value::to_bool);
        let given =
            get(parameter, "default").filter(|v| !v.is_none()).and_then(|v| self.types.json(v));
        let default = given.and_then(|given| {
            let fitted = fit_default(&schema, &given);
            if fitted.is_none() {
                self.declared.notes.push(format!(
                    "the default {given} of `{tool}({name})` is not a {kind}; left out"
                ));
            }
            fitted
        });
        let mut field = if required {
            Field::required(name, schema)
        } else {
            Field::optional(name, schema, default)
        };
        field.description = text("description").filter(|d| !d.is_empty());
        Ok(field)
    }
}

impl<'v> Reader<'_, 'v> {
    pub(crate) fn cache(&self, entry: Value<'v>) -> Result<Option<Cache>, String> {
        match get(entry, "cache").filter(|value| !value.is_none()) {
            None => Ok(None),
            Some(value) => {
                let json = self.types.json(value).unwrap_or_default();
                Cache::read(&json).map(Some)
            }
        }
    }
}

pub(crate) fn function_name(function: Value<'_>) -> String {
    let shown = show::plain(function);
    shown.rsplit('.').next().unwrap_or(&shown).trim_matches(['<', '>']).to_owned()
}

/// The requests and commands that a read-only tool declares to be reads.
fn declared_reads(
    given: Option<&Json>,
    read_only: Option<bool>,
) -> Result<Vec<DeclaredRead>, String> {
    let Some(given) = given else {
        return Ok(Vec::new());
    };
    if read_only != Some(true) {
        return Err("`reads` belongs to read-only tools; add read_only = True".to_owned());
    }
    let texts = given.as_array().and_then(|all| {
        let texts = all.iter().map(Json::as_str);
        texts.collect::<Option<Vec<&str>>>()
    });
    let texts = texts.ok_or("`reads` takes a list of texts, such as [\"exec git\"]")?;
    texts.into_iter().map(str::parse).collect()
}

fn timeout(entry: Value<'_>) -> Result<Option<Duration>, String> {
    match get(entry, "timeout").filter(|v| !v.is_none()) {
        None => Ok(None),
        Some(value) => parse_duration(&show::plain(value)).map(Some),
    }
}

fn task(entry: Value<'_>) -> Result<TaskUse, String> {
    let Some(value) = get(entry, "task").filter(|v| !v.is_none()) else {
        return Ok(TaskUse::Never);
    };
    match (value.unpack_bool(), value.unpack_str()) {
        (Some(false), _) => Ok(TaskUse::Never),
        (Some(true), _) => Ok(TaskUse::Welcome),
        (_, Some("required")) => Ok(TaskUse::Required),
        _ => Err(format!("`task` is True, False or \"required\", not {}", show::quoted(value))),
    }
}

fn strings(list: Option<Value<'_>>) -> Vec<String> {
    let list = list.and_then(ListRef::from_value);
    list.into_iter()
        .flat_map(ListRef::iter)
        .filter_map(Value::unpack_str)
        .map(str::to_owned)
        .collect()
}

fn schema_of(param_type: &str) -> Schema {
    match param_type {
        "integer" | "int" => Schema::Int,
        "number" | "float" => Schema::Number,
        "boolean" | "bool" => Schema::Bool,
        "array" | "list" => Schema::List(Box::new(Schema::Any)),
        "object" | "dict" => Schema::Dict(Box::new(Schema::Any)),
        _ => Schema::Str,
    }
}

/// The original kept defaults as text: `"10"` and `"True"` become what the type says.
fn fit_default(schema: &Schema, given: &Json) -> Option<Json> {
    let fits = |value: &Json| {
        let mut wrong = Vec::new();
        let taken = schema.accept(value.clone(), "", &mut wrong);
        wrong.is_empty().then_some(taken)
    };
    if let Some(taken) = fits(given) {
        return Some(taken);
    }
    match (given, schema) {
        (Json::String(text), _) => {
            serde_json::from_str(&text.to_lowercase()).ok().and_then(|v| fits(&v))
        }
        (other, Schema::Str) => Some(Json::String(other.to_string())),
        _ => None,
    }
}
