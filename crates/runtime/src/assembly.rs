//! Builds what was loaded into running modules, aside: whose place is wrong is told before anything
//! starts, then each starts after what it depends on.

use crate::attempt::{Attempt, is_manifest, stem};
use crate::catalog::Module;
use crate::event::Event;
use crate::homes::directory;
use crate::library::{Key, Kind, Library, Trouble};
use crate::permit::Permit;
use crate::place::Neighbours;
use crate::start::{Plan, start_all};
use model::{Config, ConfigSchema, Fault, Manifest, ModuleName, resolve};
use script::{Hook, Script};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An attempt with a name: a module, or what should have been one.
pub(crate) struct Candidate {
    pub(crate) attempt: Attempt,
    pub(crate) name: Option<ModuleName>,
}

/// What became of an attempt.
pub(crate) struct Built {
    pub(crate) candidate: Candidate,
    /// The module as it would be served; nothing for a library.
    pub(crate) outcome: Result<Option<Arc<Module>>, Trouble>,
}

impl Library {
    /// Builds all of these, and takes what may be taken.
    pub(crate) fn assemble(
        &mut self,
        attempts: Vec<Attempt>,
        changed: &BTreeSet<Key>,
        told: &dyn Fn(&Event),
    ) {
        let candidates: Vec<Candidate> = attempts
            .into_iter()
            .map(|attempt| Candidate {
                name: self.name_of(&attempt),
                attempt,
            })
            .collect();
        let built = self.build(candidates);
        self.take(built, changed, told);
    }

    /// What it calls itself; a file that cannot be loaded is taken for what it was.
    fn name_of(&self, attempt: &Attempt) -> Option<ModuleName> {
        if let Some(manifest) = &attempt.manifest {
            return Some(manifest.name.clone());
        }
        match &attempt.result {
            Ok(script) if !script.declared.is_module => None,
            Ok(script) => match &script.declared.name {
                Some(name) => Some(name.clone()),
                None => stem(&attempt.key).parse().ok(),
            },
            Err(_) => match self.entries.get(&attempt.key) {
                Some(entry) => entry.name.clone(),
                None => folder_name(&attempt.key),
            },
        }
    }

    fn build(&mut self, candidates: Vec<Candidate>) -> Vec<Built> {
        let neighbours = Neighbours::new(self, &candidates);
        let mut plans: BTreeMap<ModuleName, Plan> = BTreeMap::new();
        let mut built = Vec::with_capacity(candidates.len());
        for mut candidate in candidates {
            match self.plan(&mut candidate, &neighbours) {
                Ok(Some(plan)) => {
                    plans.insert(plan.name.clone(), plan);
                    built.push((candidate, Ok(None)));
                }
                Ok(None) => built.push((candidate, Ok(None))),
                Err(trouble) => built.push((candidate, Err(trouble))),
            }
        }
        let mut outcomes = start_all(&self.ground, plans, &neighbours);
        let finish = |(candidate, outcome): (Candidate, Result<_, Trouble>)| {
            let started = candidate.name.as_ref().filter(|_| outcome.is_ok());
            let started = started.and_then(|name| outcomes.remove(name));
            let outcome = match started {
                Some(result) => result.map(Some),
                None => outcome,
            };
            Built { candidate, outcome }
        };
        built.into_iter().map(finish).collect()
    }

    /// How a candidate is to be started, if it is a module and nothing speaks against it.
    fn plan(
        &mut self,
        candidate: &mut Candidate,
        neighbours: &Neighbours,
    ) -> Result<Option<Plan>, Trouble> {
        let attempt = &mut candidate.attempt;
        let result = std::mem::replace(&mut attempt.result, Err(Fault::new("taken")));
        let script = result.map_err(Trouble::broken)?;
        let manifest = attempt.manifest.clone();
        if manifest.is_none() && !script.declared.is_module {
            return Ok(None);
        }
        let Some(name) = candidate.name.clone() else {
            return Err(Trouble::broken(bad_stem(&attempt.key)));
        };
        neighbours.check(&attempt.key, &name, manifest.as_deref())?;
        let config = self.config(&name, manifest.as_ref().map(|m| &m.config));
        let config = config.map_err(Trouble::broken)?;
        let dependencies = manifest.iter().flat_map(|m| {
            let all = m.dependencies();
            all.map(|(name, required)| (name.clone(), required))
        });
        Ok(Some(Plan {
            dependencies: dependencies.collect(),
            permit: Arc::new(self.permit(&attempt.key, &script, manifest.as_deref())),
            folder: attempt.key.0,
            file: script.file.clone(),
            shown: self.shown(&attempt.key),
            has_start: !self.ground.asleep && manifest.is_some() && script.has(Hook::Start),
            loaded_in: attempt.took,
            script: Arc::new(script),
            manifest,
            config,
            name,
        }))
    }

    /// What it may do; paths are relative to the folder it lies in.
    fn permit(&self, key: &Key, script: &Script, manifest: Option<&Manifest>) -> Permit {
        let home = self.folders()[key.0].path(directory(&key.1));
        let permit = match manifest {
            Some(manifest) => Permit::folder(home, manifest.permissions.clone()),
            None => Permit::single(home, script.declared.allowed_exec.clone()),
        };
        permit.with_connections(self.project.project().postgres.clone())
    }

    pub(crate) fn config(
        &self,
        name: &ModuleName,
        schema: Option<&ConfigSchema>,
    ) -> Result<Config, Fault> {
        let open = ConfigSchema::open();
        let layers = self.layers(&self.project, name);
        resolve(name, schema.unwrap_or(&open), &layers)
    }
}

impl Trouble {
    pub(crate) fn broken(fault: Fault) -> Self {
        Self {
            kind: Kind::Broken,
            fault,
        }
    }
}

/// A folder whose manifest cannot be read was most likely meant to have the folder's name.
fn folder_name(key: &Key) -> Option<ModuleName> {
    let folder = directory(&key.1).rsplit('/').next()?;
    is_manifest(&key.1).then(|| folder.parse().ok())?
}

fn bad_stem(key: &Key) -> Fault {
    let why = match stem(key).parse::<ModuleName>() {
        Err(error) => error.to_string(),
        Ok(name) => format!("`{name}` is no name for a module"),
    };
    Fault::new(why).help("the file's name is the module's name: rename the file")
}
