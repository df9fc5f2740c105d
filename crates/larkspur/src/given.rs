//! What was typed, held against what is there: folders of `--modules`, modules of `--set`.

use crate::args::Global;
use crate::compose;
use crate::exit::wrong_usage;
use crate::terminal::{no_such_module, note};
use model::ModuleName;
use runtime::{Folder, Runtime, Survey};
use settings::{ConfigSchema, near_misses};
use std::io::ErrorKind;

/// Folders that were named can be looked into, and so can the usual ones that are there. A server
/// waits for one that is not; of nothing there is nothing to tell.
pub(crate) fn folders(global: &Global) -> anyhow::Result<()> {
    let is_named = !global.modules.is_empty();
    for folder in compose::wanted_folders(global) {
        let shown = folder.display();
        let why = match Folder::new(&folder).trouble() {
            None => continue,
            Some(why) if why.kind() == ErrorKind::NotFound => {
                if !is_named {
                    continue;
                }
                format!("there is no folder {shown}")
            }
            Some(why) => format!("the folder {shown} cannot be read: {why}"),
        };
        if is_named {
            return Err(wrong_usage(why));
        }
        anyhow::bail!(why);
    }
    Ok(())
}

/// Every `--set` names a module that is there.
pub(crate) fn settings(global: &Global, runtime: &Runtime) -> anyhow::Result<()> {
    if global.set.is_empty() {
        return Ok(());
    }
    let survey = runtime.survey();
    // Whose name is not known may be the one.
    if survey.nameless().next().is_some() {
        return Ok(());
    }
    for (key, _) in &global.set {
        let name = key.split_once('.').map_or(key.as_str(), |(name, _)| name);
        if !survey.named().any(|(known, _)| known.as_str() == name) {
            let why = no_such_module(name, &survey);
            return Err(wrong_usage(format!("--set {key}: {why}")));
        }
    }
    Ok(())
}

/// Says which variables look as if they were for a module, and are for none.
pub(crate) fn tell_stray_variables(runtime: &Runtime) {
    for text in stray(&runtime.survey()) {
        note(&format!("note: {text}"));
    }
}

fn stray(survey: &Survey) -> Vec<String> {
    let open = ConfigSchema::open();
    let modules = survey.named().map(|(name, module)| {
        let manifest = module.manifest.as_ref();
        (name, manifest.map_or(&open, |manifest| &manifest.config))
    });
    let modules: Vec<(&ModuleName, &ConfigSchema)> = modules.collect();
    near_misses(&modules, &compose::environment())
}
