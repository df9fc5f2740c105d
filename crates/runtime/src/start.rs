//! Starts modules one after the other, each after what it depends on.

use crate::catalog::{Module, changed_tools};
use crate::gate::Gate;
use crate::ground::Ground;
use crate::lane::Lane;
use crate::library::{Kind, Trouble};
use crate::life::{Life, Visit, fault};
use crate::permit::Permit;
use crate::place::{Neighbours, place_of};
use crate::supervised::run_in_time;
use model::{Fault, ModuleName};
use script::{FileId, Hook, Script, Started, ToolChange, Turn, spawn_with_room};
use settings::{Config, Manifest};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A module that may be started.
pub(crate) struct Plan {
    pub(crate) name: ModuleName,
    /// By name, and whether it cannot do without.
    pub(crate) dependencies: Vec<(ModuleName, bool)>,
    pub(crate) folder: usize,
    pub(crate) file: FileId,
    pub(crate) shown: String,
    pub(crate) has_start: bool,
    pub(crate) loaded_in: Duration,
    pub(crate) script: Arc<Script>,
    pub(crate) manifest: Option<Arc<Manifest>>,
    pub(crate) config: Config,
    pub(crate) permit: Arc<Permit>,
}

type Outcomes = BTreeMap<ModuleName, Result<Arc<Module>, Trouble>>;

pub(crate) fn start_all(
    ground: &Arc<Ground>,
    plans: BTreeMap<ModuleName, Plan>,
    neighbours: &Neighbours,
) -> Outcomes {
    Starting::new(ground, neighbours).run(plans)
}

struct Starting<'a> {
    ground: &'a Arc<Ground>,
    neighbours: &'a Neighbours,
    lives: BTreeMap<ModuleName, Arc<Life>>,
    outcomes: Outcomes,
}

impl<'a> Starting<'a> {
    fn new(ground: &'a Arc<Ground>, neighbours: &'a Neighbours) -> Self {
        Self { ground, neighbours, lives: neighbours.lives.clone(), outcomes: BTreeMap::new() }
    }

    fn run(mut self, mut plans: BTreeMap<ModuleName, Plan>) -> Outcomes {
        for name in &self.neighbours.order.order {
            let Some(plan) = plans.remove(name) else {
                continue;
            };
            let outcome = self.start(plan);
            if let Ok(module) = &outcome {
                self.lives.insert(name.clone(), Arc::clone(&module.life));
            }
            self.outcomes.insert(name.clone(), outcome);
        }
        self.outcomes
    }

    fn start(&self, plan: Plan) -> Result<Arc<Module>, Trouble> {
        let mut leans_on: Vec<Visit> = Vec::new();
        let mut deps: Vec<(&str, Option<&Started>)> = Vec::new();
        for (name, required) in &plan.dependencies {
            let life = self.lives.get(name);
            match life.and_then(|life| Some((life, life.enter()?))) {
                Some((life, visit)) => {
                    leans_on.push(visit);
                    deps.push((name.as_str(), Some(&life.started)));
                }
                None if *required => return Err(self.waits(&plan, name)),
                None => deps.push((name.as_str(), None)),
            }
        }
        let started = Started::new(&deps, &plan.config.to_json()).map_err(Trouble::broken)?;
        let (started, changes) = if plan.has_start {
            self.run_start(&plan, started).map_err(Trouble::broken)?
        } else {
            (started, Vec::new())
        };
        let life = Life::new(
            plan.name.clone(),
            plan.folder,
            Arc::clone(&plan.script),
            plan.manifest.is_some() && !self.ground.asleep,
            started,
            leans_on,
            Arc::clone(&plan.permit),
            Arc::clone(self.ground),
        );
        let complete = plan.has_start || !plan.script.has(Hook::Start);
        finish(plan, changes, &life, complete).map_err(|fault| {
            // It has started: what it began is ended again.
            life.retire();
            Trouble::broken(fault)
        })
    }

    /// Runs the hook on a thread of its own, since it may have to be abandoned.
    fn run_start(
        &self,
        plan: &Plan,
        started: Started,
    ) -> Result<(Started, Vec<ToolChange>), Fault> {
        let limits = self.ground.limits.for_loading();
        let (time, name) = (limits.time, plan.name.clone());
        let (ground, folder) = (Arc::clone(self.ground), plan.folder);
        let (permit, script) = (Arc::clone(&plan.permit), Arc::clone(&plan.script));
        let work = move || {
            let files = &ground.folders[folder];
            let gate = Gate::new(name.as_str(), files, &permit, &ground);
            let turn = Turn { started: &started, ..Turn::new(&gate, &limits) };
            script.start(&turn).map_err(fault)
        };
        // What `start` returns is frozen level by level, which needs room.
        let spawn = |job| spawn_with_room("start", job);
        let count = || self.ground.abandoned.add(None);
        let failed = |mut fault: Fault| {
            fault.message = format!("`start` of module `{}` failed: {}", plan.name, fault.message);
            fault
        };
        match run_in_time(time, spawn, count, work) {
            Ok(outcome) => outcome.map_err(failed),
            Err(none) => Err(failed(none.fault(time))),
        }
    }

    fn waits(&self, plan: &Plan, wanted: &ModuleName) -> Trouble {
        let why = match self.outcomes.get(wanted) {
            _ if self.neighbours.is_stopped(wanted) => "is stopped",
            Some(Err(trouble)) if trouble.kind == Kind::Waiting => "is waiting itself",
            _ if self.neighbours.is_there(wanted) => "does not run",
            _ => "is not there",
        };
        let fault = Fault::new(format!("module `{}` waits for `{wanted}`, which {why}", plan.name));
        let place = plan.manifest.as_ref().and_then(|m| place_of(m, wanted));
        Trouble { kind: Kind::Waiting, fault: Fault { place, ..fault } }
    }
}

/// `complete` when all tools are known: a `start` that was not run might have added some.
fn finish(
    plan: Plan,
    changes: Vec<ToolChange>,
    life: &Arc<Life>,
    complete: bool,
) -> Result<Arc<Module>, Fault> {
    let tools = changed_tools(&plan.name, plan.script.tools.clone(), changes)?;
    if let Some(manifest) = plan.manifest.as_ref().filter(|_| complete) {
        let names: Vec<&str> = tools.iter().map(|tool| tool.tool.name.as_str()).collect();
        manifest.check_tools(&names)?;
    }
    Ok(Arc::new(Module {
        name: plan.name,
        folder: plan.folder,
        file: plan.file,
        shown: plan.shown,
        lanes: tools.iter().map(|_| Lane::default()).collect(),
        tools,
        resources: plan.script.resources.clone(),
        prompts: plan.script.prompts.clone(),
        script: plan.script,
        manifest: plan.manifest,
        config: plan.config,
        life: Arc::clone(life),
        loaded_in: plan.loaded_in,
        generation: 0,
    }))
}
