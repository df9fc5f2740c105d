//! The prompts of a catalog, named as tools are: by their own name where it is the only one.

use crate::catalog::Module;
use model::{PromptName, PromptPath, near_names};
use script::ScriptPrompt;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A prompt together with the module version it belongs to.
#[derive(Clone)]
pub struct PromptHandle {
    pub module: Arc<Module>,
    index: usize,
}

impl PromptHandle {
    pub fn prompt(&self) -> &ScriptPrompt {
        &self.module.prompts[self.index]
    }

    pub fn path(&self) -> PromptPath {
        PromptPath { module: self.module.name.clone(), prompt: self.prompt().prompt.name.clone() }
    }
}

/// What a prompt's name stands for.
pub enum PromptLookup {
    Found(PromptHandle),
    /// Several modules have a prompt of this name.
    Ambiguous(Vec<PromptPath>),
    /// Nothing; similar names.
    Unknown(Vec<String>),
}

#[derive(Default)]
pub struct Prompts {
    /// Listed name → prompt, in the order of the alphabet.
    listed: BTreeMap<String, PromptHandle>,
    /// `module.prompt` → prompt.
    paths: BTreeMap<String, PromptHandle>,
    ambiguous: BTreeMap<String, Vec<PromptPath>>,
    /// Changes when what clients see changes.
    pub fingerprint: u64,
}

impl Prompts {
    pub(crate) fn of<'a>(
        modules: impl Iterator<Item = &'a Arc<Module>>,
        notes: &mut Vec<String>,
    ) -> Self {
        let mut prompts = Self::default();
        let mut owners: BTreeMap<PromptName, Vec<PromptHandle>> = BTreeMap::new();
        for module in modules {
            for (index, prompt) in module.prompts.iter().enumerate() {
                let module = Arc::clone(module);
                let handle = PromptHandle { module, index };
                let path = handle.path().to_string();
                prompts.paths.insert(path, handle.clone());
                let owners = owners.entry(prompt.prompt.name.clone()).or_default();
                owners.push(handle);
            }
        }
        let (shared, own): (Vec<_>, Vec<_>) =
            owners.into_iter().partition(|(_, all)| all.len() > 1);
        for (name, handles) in own {
            let handles = handles.into_iter();
            let named = handles.map(|handle| (name.to_string(), handle));
            prompts.listed.extend(named);
        }
        for (name, handles) in shared {
            notes.push(prompts.share(&name, handles));
        }
        prompts.fingerprint = prompts.fingerprint();
        prompts
    }

    /// Lists prompts of one name under longer ones; what an author should know of it.
    fn share(&mut self, name: &PromptName, handles: Vec<PromptHandle>) -> String {
        let paths: Vec<PromptPath> = handles.iter().map(PromptHandle::path).collect();
        let mut listed = Vec::with_capacity(handles.len());
        for handle in handles {
            let name = self.free_name(&handle.path());
            self.listed.insert(name.clone(), handle);
            listed.push(name);
        }
        let owners: Vec<String> = paths.iter().map(ToString::to_string).collect();
        self.ambiguous.insert(name.to_string(), paths);
        format!(
            "prompts {} have one name; listed as {}",
            owners.join(" and "),
            listed.join(" and ")
        )
    }

    /// `module_prompt`, shortened to what clients accept and numbered if that is taken as well.
    fn free_name(&self, path: &PromptPath) -> String {
        let mut name = format!("{}_{}", path.module, path.prompt);
        name.truncate(60);
        let base = name.clone();
        let mut number = 2;
        while self.listed.contains_key(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }

    /// Every prompt under the name clients see, in the order of the alphabet.
    pub fn listed(&self) -> impl Iterator<Item = (&str, &PromptHandle)> {
        let listed = self.listed.iter();
        listed.map(|(name, handle)| (name.as_str(), handle))
    }

    /// A prompt by the name clients see, or as `module.prompt`.
    pub fn lookup(&self, name: &str) -> PromptLookup {
        if let Some(handle) = self.listed.get(name).or_else(|| self.paths.get(name)) {
            return PromptLookup::Found(handle.clone());
        }
        if let Some(paths) = self.ambiguous.get(name) {
            return PromptLookup::Ambiguous(paths.clone());
        }
        let near = near_names(name, self.listed.keys().map(String::as_str));
        PromptLookup::Unknown(near.into_iter().map(str::to_owned).collect())
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (name, handle) in &self.listed {
            let one = &handle.prompt().prompt;
            (name, &one.title, &one.description).hash(&mut hasher);
            format!("{:?} {}", one.icons, one.input.to_json()).hash(&mut hasher);
        }
        hasher.finish()
    }
}
