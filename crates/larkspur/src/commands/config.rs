//! `larkspur config show`: what modules are told, from every layer, without starting any.

use crate::args::{ConfigShow, Global};
use crate::compose;
use crate::exit::USAGE;
use crate::terminal::{
    DIM, STRONG, error, no_modules, no_such_module, note, print, say, styled, tell_nameless,
};
use model::ModuleName;
use runtime::{Survey, Surveyed};
use serde_json::{Map, Value, json};
use settings::{Config, Origin, Setting};
use std::process::ExitCode;

/// One long value does not push all origins to the right.
const WIDEST: usize = 48;

pub(crate) fn run(global: &Global, args: &ConfigShow) -> anyhow::Result<ExitCode> {
    let runtime = compose::look(global)?;
    let survey = runtime.survey();
    let chosen = chosen(&survey, args.module.as_deref());
    for text in &runtime.catalog().notes {
        note(&format!("note: {text}"));
    }
    if let (Some(name), true) = (&args.module, chosen.is_empty()) {
        error(&no_such_module(name, &survey));
        tell_nameless(&survey);
        return Ok(ExitCode::from(USAGE));
    }
    let text = || chosen.iter().for_each(|(name, module)| show(name, module, args.origin));
    print(args.format, || as_json(&chosen, args.origin), text)?;
    if survey.modules.is_empty() {
        note(&no_modules(&runtime));
    } else if chosen.is_empty() && survey.named().next().is_some() {
        note("`enable` leaves out every module");
    }
    let faults = chosen.iter().filter_map(|(_, m)| m.config.as_ref().err());
    let faults: Vec<_> = faults.collect();
    for fault in &faults {
        error(&fault.to_string());
    }
    let untold = args.module.is_none() && tell_nameless(&survey);
    Ok(ExitCode::from(u8::from(untold || !faults.is_empty())))
}

/// The module that was named, or all that are not left out.
fn chosen<'s>(survey: &'s Survey, name: Option<&str>) -> Vec<(&'s ModuleName, &'s Surveyed)> {
    let is_chosen = |own: &ModuleName, module: &Surveyed| match name {
        Some(name) => own.as_str() == name,
        None => !module.disabled,
    };
    let mut chosen: Vec<_> = survey.named().collect();
    chosen.retain(|(own, module)| is_chosen(own, module));
    chosen.sort_by_key(|(name, _)| *name);
    chosen
}

fn show(name: &ModuleName, module: &Surveyed, origin: bool) {
    let left_out =
        if module.disabled { styled(DIM, "  left out by `enable`") } else { String::new() };
    say(&format!("{}{left_out}", styled(STRONG, name)));
    let aside = |text: &str| say(&format!("  {}", styled(DIM, text)));
    let Ok(config) = &module.config else {
        return aside("is not right");
    };
    let unset = unset(module, config);
    match (&module.manifest, config.settings.is_empty() && unset.is_empty()) {
        (Some(_), true) => aside("takes no configuration"),
        (None, true) => aside("nothing is set"),
        (_, false) if origin => show_origins(&config.settings),
        (_, false) => config.settings.iter().map(line).for_each(|line| say(&line)),
    }
    for key in unset {
        say(&format!("  {key} {}", styled(DIM, "is unset")));
    }
}

/// In two columns.
fn show_origins(settings: &[Setting]) {
    let longest = settings.iter().map(|s| line(s).chars().count()).max();
    let width = longest.unwrap_or_default().min(WIDEST);
    for setting in settings {
        let parts = setting.parts.iter();
        let parts = parts.map(|(part, origin)| (format!("    {part}"), origin));
        for (said, origin) in std::iter::once((line(setting), &setting.origin)).chain(parts) {
            say(&format!("{said:<width$}  {}", styled(DIM, origin)));
        }
    }
}

fn line(setting: &Setting) -> String {
    format!("  {} = {}", setting.key, setting.value)
}

/// Keys that the module knows and nobody has said.
fn unset<'m>(module: &'m Surveyed, config: &Config) -> Vec<&'m str> {
    let keys = module.manifest.iter().flat_map(|m| m.config.keys());
    let names = keys.map(|key| key.name.as_str());
    let is_said = |name: &str| config.settings.iter().any(|setting| setting.key == name);
    names.filter(|name| !is_said(name)).collect()
}

fn as_json(chosen: &[(&ModuleName, &Surveyed)], origin: bool) -> Value {
    let modules = chosen.iter().map(|(name, module)| {
        let mut json = json!({"module": name.as_str(), "file": module.file});
        match &module.config {
            Err(fault) => json["error"] = json!(fault),
            Ok(config) => {
                json["config"] = Value::Object(config.to_json());
                json["unset"] = json!(unset(module, config));
                if origin {
                    json["origin"] = Value::Object(origins(config));
                }
            }
        }
        json
    });
    json!({"modules": modules.collect::<Vec<_>>()})
}

/// Who said each key; of an object said in parts, also who said each part.
fn origins(config: &Config) -> Map<String, Value> {
    let mut origins = Map::new();
    for setting in &config.settings {
        origins.insert(setting.key.clone(), origin_json(&setting.origin));
        for (part, origin) in &setting.parts {
            origins.insert(format!("{}.{part}", setting.key), origin_json(origin));
        }
    }
    origins
}

fn origin_json(origin: &Origin) -> Value {
    match origin {
        Origin::Default { file, line } => json!({"layer": "default", "file": file, "line": line}),
        Origin::File { file, line } => json!({"layer": "file", "file": file, "line": line}),
        Origin::Environment(variable) => json!({"layer": "environment", "variable": variable}),
        Origin::CommandLine => json!({"layer": "command line"}),
        Origin::Test => json!({"layer": "test"}),
    }
}
