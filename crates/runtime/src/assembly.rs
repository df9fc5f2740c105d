//! Builds what was loaded into running modules, aside: whose place is wrong is told before anything
//! starts, then each starts after what it depends on.

use crate::attempt::{Attempt, stem};
use crate::catalog::Module;
use crate::event::{Change, Event};
use crate::homes::directory;
use crate::library::{Key, Kind, Library, Trouble};
use crate::permit::Permit;
use crate::place::Neighbours;
use crate::project::ProjectFile;
use crate::start::{Plan, start_all};
use model::{Fault, ModuleName, Rights};
use script::{Hook, Script};
use settings::{Config, ConfigSchema, Manifest, resolve};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An attempt with a name, a module or what should have been one, and what became of it.
pub(crate) struct Candidate {
    pub(crate) attempt: Attempt,
    pub(crate) name: Option<ModuleName>,
    /// The module as it would be served; nothing for a library, and before it is started.
    pub(crate) outcome: Result<Option<Arc<Module>>, Trouble>,
    /// It was to be started.
    pub(crate) planned: bool,
}

impl Library {
    /// Builds all of these, and takes what may be taken.
    pub(crate) fn assemble(
        &mut self,
        attempts: Vec<Attempt>,
        changed: &BTreeSet<Key>,
        told: &dyn Fn(&Event),
    ) {
        let candidates = attempts.into_iter().map(|attempt| Candidate {
            name: self.name_of(&attempt),
            attempt,
            outcome: Ok(None),
            planned: false,
        });
        let mut candidates: Vec<Candidate> = candidates.collect();
        self.build(&mut candidates, told);
        self.take(candidates, changed, told);
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
            Err(_) => self.entries.get(&attempt.key)?.name.clone(),
        }
    }

    fn build(&self, candidates: &mut [Candidate], told: &dyn Fn(&Event)) {
        let neighbours = Neighbours::new(self, candidates);
        let mut plans: BTreeMap<ModuleName, Plan> = BTreeMap::new();
        for candidate in candidates.iter_mut() {
            match self.plan(candidate, &neighbours) {
                Ok(Some(plan)) => {
                    candidate.planned = true;
                    plans.insert(plan.name.clone(), plan);
                }
                Ok(None) => {}
                Err(trouble) => {
                    self.tell_early(candidate, &trouble, told);
                    candidate.outcome = Err(trouble);
                }
            }
        }
        let mut outcomes = start_all(&self.ground, plans, &neighbours);
        for candidate in candidates.iter_mut().filter(|candidate| candidate.planned) {
            let outcome = candidate.name.as_ref().and_then(|name| outcomes.remove(name));
            let unable = || Err(Trouble::broken(Fault::new("the module could not be started")));
            candidate.outcome = outcome.unwrap_or_else(unable).map(Some);
        }
    }

    /// What keeps a newcomer from being started is told before anything starts.
    fn tell_early(&self, candidate: &Candidate, trouble: &Trouble, told: &dyn Fn(&Event)) {
        let attempt = &candidate.attempt;
        let old = self.entries.get(&attempt.key);
        let served = old.is_some_and(|entry| entry.module.is_some());
        let before = old.and_then(|entry| entry.trouble.as_ref());
        if !served && !trouble.is_known(before) {
            let change = Change::of(trouble, false);
            self.tell(attempt, None, change, told);
        }
    }

    pub(crate) fn tell(
        &self,
        attempt: &Attempt,
        module: Option<&Module>,
        change: Option<Change>,
        told: &dyn Fn(&Event),
    ) {
        if let Some(change) = change {
            told(&Event {
                file: self.shown(&attempt.key),
                module: module.map(|module| module.name.clone()),
                change,
                took: attempt.took,
            });
        }
    }

    /// How a candidate is to be started, if it is a module and nothing speaks against it.
    fn plan(
        &self,
        candidate: &Candidate,
        neighbours: &Neighbours,
    ) -> Result<Option<Plan>, Trouble> {
        let attempt = &candidate.attempt;
        // What nobody wants is not complained about either.
        let by_file = || stem(&attempt.key).parse().ok().filter(|_| attempt.result.is_err());
        if let Some(name) = candidate.name.clone().or_else(by_file) {
            neighbours.check_wanted(&name)?;
        }
        let script = attempt.result.clone().map_err(Trouble::broken)?;
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
        let permit =
            self.permit(&self.project, &attempt.key, &name, &script, manifest.as_deref(), &config);
        Ok(Some(Plan {
            dependencies: dependencies.collect(),
            permit: Arc::new(permit.map_err(Trouble::broken)?),
            folder: attempt.key.0,
            file: script.file.clone(),
            shown: self.shown(&attempt.key),
            has_start: !self.ground.asleep && manifest.is_some() && script.has(Hook::Start),
            loaded_in: attempt.took,
            script,
            manifest,
            config,
            name,
        }))
    }

    /// What it may do under this project file; paths are relative to the folder it lies in.
    pub(crate) fn permit(
        &self,
        project: &ProjectFile,
        key: &Key,
        name: &ModuleName,
        script: &Script,
        manifest: Option<&Manifest>,
        config: &Config,
    ) -> Result<Permit, Fault> {
        let home = self.folders()[key.0].path(directory(&key.1));
        let grant = project.grant(name);
        let (postgres, own) = (&project.project().postgres, project.own());
        let Some(manifest) = manifest else {
            let rights = script.declared.rights(name, grant);
            return Ok(Permit::new(home, rights, own).with_connections(postgres));
        };
        let config = config.to_json();
        let permissions = manifest.permissions.under(&config)?;
        let rights = Rights::of_folder(name.as_str(), &permissions, grant);
        Ok(Permit::new(home, rights, own)
            .with_connections(postgres)
            .with_secrets(manifest.secrets_under(&config)?)
            .at_rates(self.rates.of(name, &manifest.limits.http_rate)))
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
        Self { kind: Kind::Broken, fault }
    }
}

fn bad_stem(key: &Key) -> Fault {
    let why = match stem(key).parse::<ModuleName>() {
        Err(error) => error.to_string(),
        Ok(name) => format!("`{name}` is no name for a module"),
    };
    Fault::new(why).help("the file's name is the module's name: rename the file")
}
