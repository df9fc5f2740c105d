//! Everything that is served, as an immutable picture: nothing is edited, a next one is made.

use crate::event::Offers;
use crate::lane::Lane;
use crate::life::Life;
use crate::names::{ListedNames, NameOwners, OldNames, UnlistedTool};
use crate::prompts::Prompts;
use crate::registry::{Front, Meta, StartSurface, ToolIndex};
use crate::resources::Resources;
use crate::view::Views;
use model::{Fault, ModuleName, ToolPath, did_you_mean, near_names};
use script::{FileId, Script, ScriptPrompt, ScriptResource, ScriptTool, ToolChange};
use serde_json::Value;
use settings::{Config, Manifest, Policy, Rate, Server};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Names of the meta tools; a module's tool of such a name is listed as `module_tool`.
pub const RESERVED: [&str; 5] =
    ["get_module_schema", "call", "call_module_tool", "call_readonly", "batch"];

/// One version of one module.
#[derive(Clone)]
pub struct Module {
    pub name: ModuleName,
    /// Where it lies: the folder's place among the folders, and the file below it.
    pub folder: usize,
    pub file: FileId,
    /// For people: the path as they gave it.
    pub shown: String,
    pub script: Arc<Script>,
    /// What it offers: what the script declares, and what came at run time.
    pub tools: Vec<ScriptTool>,
    pub resources: Vec<ScriptResource>,
    pub prompts: Vec<ScriptPrompt>,
    /// Of a module that is a folder.
    pub manifest: Option<Arc<Manifest>>,
    pub config: Config,
    pub(crate) life: Arc<Life>,
    pub loaded_in: Duration,
    /// Counts the versions of this module that have been served.
    pub generation: u64,
    /// Where each tool's calls run, learnt from the first ones.
    pub(crate) lanes: Vec<Lane>,
}

impl Module {
    pub fn version(&self) -> Option<String> {
        match &self.manifest {
            Some(manifest) => Some(manifest.version_text()),
            None => self.script.declared.version.clone(),
        }
    }

    pub fn offers(&self) -> Offers {
        Offers {
            tools: self.tools.len(),
            resources: self.resources.len(),
            prompts: self.prompts.len(),
        }
    }

    pub fn description(&self) -> Option<&str> {
        match &self.manifest {
            Some(manifest) => Some(&manifest.description),
            None => self.script.declared.description.as_deref(),
        }
    }

    /// What is wrong with tools that it declares and that are not served.
    pub(crate) fn invalid_tools(&self) -> Option<Fault> {
        let (first, others) = self.script.declared.invalid.split_first()?;
        let others: Vec<String> = others.iter().map(Fault::one_line).collect();
        if others.is_empty() {
            return Some(first.clone());
        }
        let help = format!("invalid besides: {}", others.join("; "));
        Some(first.clone().help(help))
    }

    /// May its tools reach anything beyond this machine?
    pub(crate) fn can_reach_out(&self) -> bool {
        self.life.permit.can_reach_out()
    }

    /// The same life with other tools.
    pub(crate) fn with_tools(&self, tools: Vec<ScriptTool>, generation: u64) -> Self {
        let lanes = tools.iter().map(|_| Lane::default()).collect();
        Self { tools, generation, lanes, ..self.clone() }
    }
}

/// Tools after some have come and gone.
pub(crate) fn changed_tools(
    module: &ModuleName,
    mut tools: Vec<ScriptTool>,
    changes: Vec<ToolChange>,
) -> Result<Vec<ScriptTool>, Fault> {
    for change in changes {
        match change {
            ToolChange::Add(new) => {
                match tools.iter_mut().find(|old| old.tool.name == new.tool.name) {
                    Some(old) => *old = *new,
                    None => tools.push(*new),
                }
            }
            ToolChange::Remove(name) => {
                let Some(at) = tools.iter().position(|old| old.tool.name == name) else {
                    let names = tools.iter().map(|tool| tool.tool.name.as_str());
                    let near = did_you_mean(name.as_str(), names);
                    let hint = near.map(|near| format!("; did you mean `{near}`?"));
                    return Err(Fault::new(format!(
                        "module `{module}` has no tool `{name}` to remove{}",
                        hint.unwrap_or_default()
                    )));
                };
                tools.remove(at);
            }
        }
    }
    Ok(tools)
}

/// A tool together with the module version it belongs to: a call keeps it to the end.
#[derive(Clone)]
pub struct Handle {
    pub module: Arc<Module>,
    pub(crate) index: usize,
}

impl Handle {
    /// A module's tool, by the name it was declared with.
    pub(crate) fn find(module: &Arc<Module>, tool: &str) -> Option<Self> {
        let mut tools = module.tools.iter();
        let index = tools.position(|t| t.tool.name.as_str() == tool)?;
        Some(Self { module: Arc::clone(module), index })
    }

    pub fn tool(&self) -> &ScriptTool {
        &self.module.tools[self.index]
    }

    /// Where its calls run.
    pub(crate) fn lane(&self) -> &Lane {
        &self.module.lanes[self.index]
    }

    pub fn path(&self) -> ToolPath {
        ToolPath { module: self.module.name.clone(), tool: self.tool().tool.name.clone() }
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.module.name, self.tool().tool.name)
    }
}

/// What a name stands for.
pub enum Lookup {
    Found(Handle),
    /// Several folders have a tool of this bare name.
    Ambiguous(Vec<ToolPath>),
    /// Nothing; similar names.
    Unknown(Vec<String>),
}

/// How a module that is not served as it stands on disk is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Its last good version is still served.
    Stale,
    /// It is served without the tools that are invalid.
    Partial,
    /// It cannot be loaded, configured or started.
    Failed,
    /// Something it depends on does not run.
    Waiting,
    /// Somebody stopped it.
    Stopped,
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Stale => "stale",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Waiting => "waiting",
            Self::Stopped => "stopped",
        })
    }
}

/// A module that is not served as it stands on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// What it calls itself, as far as that is known.
    pub name: Option<ModuleName>,
    pub state: State,
    pub fault: Fault,
}

/// What an operator says about how tools are shown.
#[derive(Clone, Default)]
pub struct Rules {
    pub server: Server,
    /// Whether `auto` shows the meta tools, as it was chosen at the start; `None` at the start itself.
    pub(crate) shows_modules: Option<bool>,
    /// The same for every set of roles.
    pub(crate) start: Option<Arc<StartSurface>>,
    /// What the names of a module's tools begin with in a flat list.
    pub prefixes: BTreeMap<ModuleName, String>,
    /// Which tools have had which listed names.
    pub owners: Arc<NameOwners>,
    pub(crate) old_names: Arc<OldNames>,
    /// Who may use which of them.
    pub policy: Arc<Policy>,
    /// How often a module may be called, where it has a rate of its own.
    pub rates: BTreeMap<ModuleName, Rate>,
}

#[derive(Default)]
pub struct Catalog {
    modules: BTreeMap<ModuleName, Arc<Module>>,
    /// Listed name → tool; the list is in the order of the alphabet.
    flat: BTreeMap<String, Handle>,
    /// Tools that are served and not listed.
    pub unlisted: Vec<UnlistedTool>,
    pub resources: Resources,
    pub prompts: Prompts,
    pub broken: BTreeMap<String, Broken>,
    /// Tools of modules that were stopped for the threads they left behind, by name and by path, with
    /// the reason.
    pub(crate) halted: BTreeMap<String, (ToolPath, Fault)>,
    /// Things an author should know, though nothing is broken.
    pub notes: Vec<String>,
    pub rules: Rules,
    /// What clients see of the tools.
    pub front: Front,
    /// Changes when what clients see of the tools changes; resources and prompts have their own.
    pub fingerprint: u64,
    pub(crate) views: Views,
    /// Shared with the views of it.
    pub(crate) tool_index: Arc<ToolIndex>,
    /// Shared with the views of it.
    family: Arc<()>,
}

impl Catalog {
    /// A catalog of exactly these modules; of two with one name the first is served.
    pub fn of(modules: impl IntoIterator<Item = Arc<Module>>) -> Self {
        Self::by(Rules::default(), modules)
    }

    pub fn by(rules: Rules, modules: impl IntoIterator<Item = Arc<Module>>) -> Self {
        let mut catalog = Self { rules, ..Self::default() };
        for module in modules {
            match catalog.modules.get(&module.name) {
                None => {
                    catalog.modules.insert(module.name.clone(), module);
                }
                Some(first) => {
                    let fault = Fault::new(format!(
                        "module `{}` is already declared by {}",
                        module.name, first.shown
                    ))
                    .help("give one of the two another name");
                    catalog.broken.insert(
                        module.shown.clone(),
                        Broken { name: Some(module.name.clone()), state: State::Failed, fault },
                    );
                }
            }
        }
        catalog.list();
        catalog
    }

    /// The same with this module, which takes the place of one of its name.
    #[must_use]
    pub fn with(&self, module: Arc<Module>) -> Self {
        self.with_all([module])
    }

    #[must_use]
    pub fn with_all(&self, modules: impl IntoIterator<Item = Arc<Module>>) -> Self {
        let mut all = self.modules.clone();
        all.extend(modules.into_iter().map(|module| (module.name.clone(), module)));
        Self::by(self.rules.clone(), all.into_values())
    }

    /// The same without this module.
    #[must_use]
    pub fn without(&self, name: &ModuleName) -> Self {
        let others = self.modules.values().filter(|module| module.name != *name);
        Self::by(self.rules.clone(), others.cloned())
    }

    /// Is one of them a view of the other, or are both views of one catalog?
    pub fn is_of_one_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.family, &other.family)
    }

    /// One that shows less of the same.
    pub(crate) fn kin(
        &self,
        shows_modules: Option<bool>,
        modules: impl IntoIterator<Item = Arc<Module>>,
    ) -> Self {
        let rules = Rules { shows_modules, ..self.rules.clone() };
        Self {
            family: Arc::clone(&self.family),
            tool_index: Arc::clone(&self.tool_index),
            ..Self::by(rules, modules)
        }
    }

    pub fn modules(&self) -> impl Iterator<Item = &Arc<Module>> {
        self.modules.values()
    }

    pub fn module(&self, name: &str) -> Option<&Arc<Module>> {
        self.modules.get(name)
    }

    /// Every tool under the name clients see, in the order of the alphabet.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &Handle)> {
        self.flat.iter().map(|(name, handle)| (name.as_str(), handle))
    }

    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.flat.keys().map(String::as_str)
    }

    pub fn is_listed(&self, name: &str) -> bool {
        self.flat.contains_key(name)
    }

    pub fn tool_count(&self) -> usize {
        self.flat.len()
    }

    /// The input schema of a tool or meta tool, as it is listed.
    pub fn input_schema(&self, name: &str) -> Option<Value> {
        if let Some(meta) = Meta::named(name) {
            let tool = self.front.meta_tool(meta)?;
            return Some(tool.input.listed().clone());
        }
        match self.lookup(name) {
            Lookup::Found(handle) => Some(handle.tool().tool.input.listed().clone()),
            Lookup::Ambiguous(_) | Lookup::Unknown(_) => None,
        }
    }

    /// A tool by the name clients see, or as `module.tool`.
    pub fn lookup(&self, name: &str) -> Lookup {
        if let Some(handle) = self.find(name) {
            return Lookup::Found(handle);
        }
        if name.contains('.') {
            return Lookup::Unknown(self.near(name));
        }
        match self.find_old_name(name).as_slice() {
            [] => Lookup::Unknown(self.near(name)),
            [only] => Lookup::Found(only.clone()),
            several => Lookup::Ambiguous(several.iter().map(Handle::path).collect()),
        }
    }

    /// Finds a tool by its listed name, or as `module.tool`.
    pub(crate) fn find(&self, name: &str) -> Option<Handle> {
        if let Some(handle) = self.flat.get(name) {
            return Some(handle.clone());
        }
        let (module, tool) = name.split_once('.')?;
        self.by_path(module, tool)
    }

    /// Similar names: paths for a path, else as listed.
    fn near(&self, name: &str) -> Vec<String> {
        let path = |(_, handle): (&str, &Handle)| handle.path().to_string();
        let names: Vec<String> = if name.contains('.') {
            self.tools().map(path).collect()
        } else {
            self.tool_names().map(str::to_owned).collect()
        };
        let near = near_names(name, names.iter().map(String::as_str));
        near.into_iter().map(str::to_owned).collect()
    }

    pub fn get(&self, path: &ToolPath) -> Option<Handle> {
        self.by_path(path.module.as_str(), path.tool.as_str())
    }

    fn by_path(&self, module: &str, tool: &str) -> Option<Handle> {
        Handle::find(self.modules.get(module)?, tool)
    }

    /// Gives every tool its listed name.
    fn list(&mut self) {
        self.tool_index = Arc::new(ToolIndex::new(self.modules.values()));
        let names = ListedNames::new(self.modules.values(), &self.rules);
        self.front = Front::new(self.modules.values(), &names.tools, &self.rules);
        self.flat = names.tools;
        self.unlisted = names.unlisted;
        self.fingerprint = self.front.fingerprint;
        self.resources = Resources::of(self.modules.values(), &mut self.notes);
        self.prompts = Prompts::of(self.modules.values(), &mut self.notes);
    }
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
pub(crate) mod tests;
