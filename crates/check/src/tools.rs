//! Tools as a model sees them: by their names, words, parameters and price.

use crate::inspection::Inspection;
use crate::{Finding, hidden, schemas};
use compact::count_tokens;
use model::{Fault, ModuleName, Place, Tool};
use runtime::Surveyed;
use script::{DeclaredTool, SourceFacts};
use serde_json::{Value, json};

/// Characters of a description that says something.
const SHORTEST: usize = 20;
/// Characters of a listed name: some clients put the server's name before it and cut the rest at 63.
const LONGEST_NAME: usize = 40;
/// Tokens of one tool: every conversation pays them.
const DEAREST: usize = 1_000;

pub(super) fn check(
    inspection: &Inspection<'_>,
    name: &ModuleName,
    module: &Surveyed,
    findings: &mut Vec<Finding>,
) {
    let Some(script) = &module.script else {
        return;
    };
    let rules = &inspection.catalog.rules;
    for tool in &script.tools {
        let of_tool = tool.tool.name.as_str();
        let (file, place) = place(inspection, module, of_tool);
        let listed = rules.listed_name(name, module.manifest.as_deref(), of_tool);
        let long = (listed.len() > LONGEST_NAME).then(|| long_name(name, &listed));
        for fault in seen(name, &tool.tool, tool.is_typed()).into_iter().chain(long) {
            findings.push(Finding::new(&file, Fault { place: place.clone(), ..fault }));
        }
    }
    let file = Inspection::entry_path(module);
    let untyped = inspection.entry(module).map(|entry| untyped(&entry.facts));
    let faults = hidden::faults(module).into_iter().chain(untyped.into_iter().flatten());
    findings.extend(faults.map(|fault| Finding::new(&file, fault)));
}

fn untyped(facts: &SourceFacts) -> Vec<Fault> {
    let of_tool = |tool: &DeclaredTool| {
        let function = tool.function.as_ref().and_then(|name| facts.function(name));
        let untyped = function.into_iter().flat_map(|function| &function.untyped);
        let faults = untyped.map(|parameter| {
            let (tool, name, guess) = (&tool.name, &parameter.name, parameter.guess);
            Fault::new(format!("`{name}` of `{tool}` has no type: a model may send anything"))
                .code("W0107")
                .at(parameter.place.clone())
                .help(format!("write `{name}: {guess}`"))
        });
        faults.collect::<Vec<_>>()
    };
    facts.tools.iter().flat_map(of_tool).collect()
}

fn long_name(module: &ModuleName, listed: &str) -> Fault {
    let length = listed.len();
    Fault::new(format!("the listed name `{listed}` has {length} characters: some clients cut it"))
        .code("W0504")
        .help(format!(
            "give `{module}` a shorter `prefix`, or the tool a shorter name: up to {LONGEST_NAME} \
             characters"
        ))
}

fn seen(module: &ModuleName, tool: &Tool, typed: bool) -> Vec<Fault> {
    let name = &tool.name;
    let mut faults = Vec::new();
    let mut add = |code, says: String, help: String| {
        faults.push(Fault::new(says).code(code).help(help));
    };
    let about = tool.description.trim();
    if about.is_empty() {
        add(
            "W0601",
            format!("`{name}` has no description: a model cannot know when to use it"),
            described(typed),
        );
    } else if about.chars().count() < SHORTEST {
        add(
            "W0602",
            format!("the description of `{name}` says little: \"{about}\""),
            "say what it does, and when somebody would want it".to_owned(),
        );
    }
    let bare = undescribed(tool);
    if !bare.is_empty() {
        let them = bare.join("`, `");
        add(
            "W0603",
            format!("a model is not told what `{them}` of `{name}` means"),
            documented(typed, &bare[0]),
        );
    }
    if typed && tool.examples.is_empty() && !properties(tool).is_empty() {
        add(
            "W0604",
            format!("`{name}` has no examples"),
            format!("write tool({name}, examples = [{{…}}]): one good call saves many bad ones"),
        );
    }
    if typed && tool.questions.is_empty() {
        add(
            "W0610",
            format!(
                "`{name}` has no questions: tool search knows only the words of its description"
            ),
            format!(
                "write tool({name}, questions = [\"…\"]): requests as users word them, in each of their languages"
            ),
        );
    }
    for says in schemas::rejected(module, tool, typed) {
        let help = "clients that refuse it leave out the tool, or all of them".to_owned();
        add("W0606", says, help);
    }
    let tokens = price(tool);
    if tokens > DEAREST {
        add(
            "W0607",
            format!("`{name}` costs {tokens} tokens in every list it is in"),
            "shorten its words, or take parameters away".to_owned(),
        );
    }
    faults
}

fn described(typed: bool) -> String {
    if typed {
        "write a docstring: \"\"\"List the open issues of a repository, newest first.\"\"\"".into()
    } else {
        "write description = \"List the open issues of a repository, newest first\"".into()
    }
}

fn documented(typed: bool, parameter: &str) -> String {
    if typed {
        format!("add to the docstring, below `Args:`, the line `{parameter}: …`")
    } else {
        format!("write ToolParameter(name = \"{parameter}\", description = \"…\", …)")
    }
}

fn properties(tool: &Tool) -> Vec<(&String, &Value)> {
    let properties = tool.input.to_json()["properties"].as_object();
    properties.into_iter().flatten().collect()
}

fn undescribed(tool: &Tool) -> Vec<String> {
    let has_words = |schema: &Value| {
        let words = schema["description"].as_str().unwrap_or_default();
        !words.trim().is_empty()
    };
    let bare = properties(tool).into_iter();
    let bare = bare.filter(|(_, schema)| !has_words(schema));
    bare.map(|(name, _)| name.clone()).collect()
}

pub(super) fn price(tool: &Tool) -> usize {
    let listed = json!({
        "name": tool.name.as_str(),
        "description": tool.description,
        "inputSchema": tool.input.listed(),
        "outputSchema": tool.output,
    });
    count_tokens(&listed.to_string())
}

/// The file and the place of a tool.
pub(super) fn place(
    inspection: &Inspection<'_>,
    module: &Surveyed,
    tool: &str,
) -> (String, Option<Place>) {
    let mut tools = inspection.entry(module).into_iter().flat_map(|entry| &entry.facts.tools);
    let place = tools.find(|one| one.name == tool).map(|one| one.place.clone());
    (Inspection::entry_path(module), place)
}
