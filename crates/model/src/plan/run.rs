//! A plan while it runs: what may start, what has ended, what is left out. Its driver makes the
//! calls and tells the time, counted from the beginning of the batch.

use super::Plan;
use super::active::{Active, Phase};
use super::draft::too_many;
use super::ended::{Ended, Halt, Lack, Status};
use super::failure::Failure;
use super::follow::kind;
use super::report::Report;
use super::scope::{Item, Scope};
use super::task::{OnError, Task};
use crate::Args;
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Run {
    plan: Plan,
    states: Vec<State>,
    running: usize,
}

#[derive(Debug, Clone)]
enum State {
    Waiting,
    Active(Active),
    Ended(Ended),
}

/// One try of one task, or of one item of its `foreach`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Job {
    task: usize,
    unit: usize,
    number: u64,
}

/// A call to make now.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    pub job: Job,
    pub args: Args,
}

/// How far a task has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Waiting,
    /// Of a `foreach`, so many items have ended; otherwise none of one.
    Running {
        ended: usize,
        of: usize,
    },
    Ended(Status),
}

impl Run {
    pub fn new(plan: Plan) -> Self {
        Self {
            states: plan.tasks.iter().map(|_| State::Waiting).collect(),
            plan,
            running: 0,
        }
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn task(&self, job: Job) -> &Task {
        &self.plan.tasks[job.task]
    }

    /// What may start now; all of it is taken to be started.
    pub fn start(&mut self, now: Duration) -> Vec<Start> {
        let mut starts = Vec::new();
        self.advance(now);
        while self.running < self.plan.limits.at_once {
            let Some(mut job) = self.next_job(now) else {
                break;
            };
            match self.args(job) {
                Ok(Some(args)) => {
                    job.number += 1;
                    self.begin(job);
                    starts.push(Start { job, args });
                }
                Ok(None) => self.settle(job, Phase::Unwanted, now),
                Err(failure) => self.settle(job, Phase::Done(Err(failure)), now),
            }
        }
        starts
    }

    /// Hears how a job ended; of one that is no longer asked for, nothing is kept.
    pub fn ended(&mut self, job: Job, result: Result<Value, Failure>, now: Duration) {
        if !self.is_running(job) {
            return;
        }
        self.running -= 1;
        let retry = self.task(job).retry.as_ref();
        let patience = self.plan.limits.task_time;
        let pause = match (&result, retry) {
            (Err(failure), Some(retry)) => retry.pause(failure, job.number, patience),
            _ => None,
        };
        let phase = match pause {
            Some(pause) => Phase::Paused(now.saturating_add(pause)),
            None => Phase::Done(result),
        };
        self.settle(job, phase, now);
    }

    /// When to ask again for what may start, if nothing ends before.
    pub fn wake(&self) -> Option<Duration> {
        let states = self.states.iter().zip(&self.plan.tasks);
        let wakes = states.filter_map(|(state, task)| match state {
            State::Active(active) => active.wake(task),
            _ => None,
        });
        wakes.min()
    }

    /// Ends all that has not ended. Jobs under way are for the driver to stop.
    pub fn halt(&mut self, halt: Halt, now: Duration) {
        let limits = self.plan.limits;
        for state in &mut self.states {
            let since = match state {
                State::Ended(_) => continue,
                State::Active(active) => active.since,
                State::Waiting => now,
            };
            let took = now.saturating_sub(since);
            *state = State::Ended(Ended::cancelled(halt, &limits, took));
        }
        self.running = 0;
    }

    pub fn is_done(&self) -> bool {
        let is_ended = |state: &State| matches!(state, State::Ended(_));
        self.states.iter().all(is_ended)
    }

    /// Every task, in the plan's order, and how far it is.
    pub fn stages(&self) -> impl Iterator<Item = (&Task, Stage)> {
        let stages = self.states.iter().map(State::stage);
        self.plan.tasks.iter().zip(stages)
    }

    /// What came of it; what has not ended counts as cancelled.
    pub fn report(mut self, now: Duration) -> Report {
        self.halt(Halt::Cancelled, now);
        let ended = self.states.into_iter().filter_map(|state| match state {
            State::Ended(ended) => Some(ended),
            _ => None,
        });
        Report::new(self.plan.tasks.into_iter().zip(ended).collect())
    }

    /// Lets in, or leaves out, every task that no longer waits for another.
    fn advance(&mut self, now: Duration) {
        for place in 0..self.plan.order.len() {
            let place = self.plan.order[place];
            let task = &self.plan.tasks[place];
            let waits = matches!(self.states[place], State::Waiting);
            if waits
                && task
                    .needs
                    .iter()
                    .all(|need| self.ended_at(need.task).is_some())
            {
                self.states[place] = self.enter(task, now);
            }
        }
    }

    fn enter(&self, task: &Task, now: Duration) -> State {
        if let Some((lack, place)) = self.lack(task) {
            return State::Ended(Ended::skipped(lack, place, &self.plan.tasks));
        }
        let failed = |failure| State::Ended(Ended::failed(failure, Duration::ZERO));
        match self.is_wanted(task, None) {
            Ok(true) => {}
            Ok(false) => return State::Ended(Ended::unwanted()),
            Err(failure) => return failed(failure),
        }
        match self.items(task) {
            Ok(None) => State::Active(Active::one(now)),
            Ok(Some(items)) if items.is_empty() => {
                State::Ended(Ended::ok(Value::Array(items), Duration::ZERO))
            }
            Ok(Some(items)) => State::Active(Active::each(items, now)),
            Err(failure) => failed(failure),
        }
    }

    /// The first of its needs that keeps a task from running, and why.
    fn lack(&self, task: &Task) -> Option<(Lack, usize)> {
        task.needs.iter().find_map(|need| {
            let ended = self.ended_at(need.task)?;
            let lack = ended.lack?;
            let goes_on = self.plan.tasks[need.task].on_error == OnError::Continue;
            let harmless = goes_on || lack == Lack::Unwanted;
            (need.result || !harmless).then_some((lack, need.task))
        })
    }

    /// Does `when` hold? One about the item is asked for each item, one about others only once.
    fn is_wanted(&self, task: &Task, item: Option<&Item>) -> Result<bool, Failure> {
        let when = task.when.as_ref();
        let Some(when) = when.filter(|when| when.of_item == item.is_some()) else {
            return Ok(true);
        };
        let holds = self.scoped(item, |scope| when.condition.holds(scope));
        holds.map_err(|why| Failure::new("when", format!("`when`: {why}")))
    }

    fn items(&self, task: &Task) -> Result<Option<Vec<Value>>, Failure> {
        let Some(foreach) = &task.foreach else {
            return Ok(None);
        };
        let failure = |message| Failure::new("foreach", message);
        let list = self.scoped(None, |scope| foreach.fill("foreach", scope));
        match list.map_err(|why| Failure::new("reference", why))? {
            Value::Array(items) if items.len() > self.plan.limits.items => {
                let many = too_many(items.len(), &self.plan.limits);
                Err(failure(format!("`foreach` {many}")))
            }
            Value::Array(items) => Ok(Some(items)),
            other => Err(failure(format!(
                "`foreach` needs a list, not {}",
                kind(&other)
            ))),
        }
    }

    fn next_job(&self, now: Duration) -> Option<Job> {
        let states = self.states.iter().zip(&self.plan.tasks).enumerate();
        states.into_iter().find_map(|(task, (state, of))| {
            let State::Active(active) = state else {
                return None;
            };
            let unit = active.next(of, now)?;
            let number = active.units[unit].tries;
            Some(Job { task, unit, number })
        })
    }

    /// The job's arguments; none if its item is not wanted.
    fn args(&self, job: Job) -> Result<Option<Args>, Failure> {
        let State::Active(active) = &self.states[job.task] else {
            return Ok(None);
        };
        let (task, item) = (self.task(job), active.units[job.unit].item.as_ref());
        if item.is_some() && !self.is_wanted(task, item)? {
            return Ok(None);
        }
        let params = self.scoped(item, |scope| task.params.fill("params", scope));
        match params.map_err(|why| Failure::new("reference", why))? {
            Value::Object(args) => Ok(Some(args)),
            _ => Ok(Some(Args::new())),
        }
    }

    fn begin(&mut self, job: Job) {
        if let State::Active(active) = &mut self.states[job.task] {
            let unit = &mut active.units[job.unit];
            unit.tries = job.number;
            unit.phase = Phase::Running;
            self.running += 1;
        }
    }

    fn is_running(&self, job: Job) -> bool {
        let Some(State::Active(active)) = self.states.get(job.task) else {
            return false;
        };
        let unit = active.units.get(job.unit);
        unit.is_some_and(|unit| unit.tries == job.number && matches!(unit.phase, Phase::Running))
    }

    /// Puts a unit into another phase, and ends its task if that was the last to wait for.
    fn settle(&mut self, job: Job, phase: Phase, now: Duration) {
        let (task, state) = (&self.plan.tasks[job.task], &mut self.states[job.task]);
        let State::Active(active) = state else {
            return;
        };
        active.units[job.unit].phase = phase;
        if !active.is_over(task) {
            return;
        }
        if let State::Active(active) = std::mem::replace(state, State::Waiting) {
            *state = State::Ended(active.end(task, now));
        }
        self.advance(now);
    }

    fn ended_at(&self, place: usize) -> Option<&Ended> {
        match self.states.get(place) {
            Some(State::Ended(ended)) => Some(ended),
            _ => None,
        }
    }

    fn scoped<T>(&self, item: Option<&Item>, work: impl FnOnce(&Scope<'_>) -> T) -> T {
        let results = |id: &str| {
            let place = self
                .plan
                .tasks
                .iter()
                .position(|task| task.id.as_str() == id)?;
            self.ended_at(place)?.result.as_ref()
        };
        work(&Scope {
            results: &results,
            item,
        })
    }
}

impl State {
    fn stage(&self) -> Stage {
        match self {
            Self::Waiting => Stage::Waiting,
            Self::Active(active) => {
                let (ended, of) = active.count();
                Stage::Running { ended, of }
            }
            Self::Ended(ended) => Stage::Ended(ended.status),
        }
    }
}

impl Job {
    /// Which item of a list it is for; 0 where there is no list.
    pub fn item(self) -> usize {
        self.unit
    }

    /// The first try is 1.
    pub fn number(self) -> u64 {
        self.number
    }
}
