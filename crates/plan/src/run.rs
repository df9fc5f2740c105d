//! A plan while it runs: what may start, what has ended, what is left out. Its driver makes the
//! calls and tells the time, counted from the beginning of the batch.

use super::Plan;
use super::active::Phase;
use super::ended::{Ended, Halt};
use super::failure::Failure;
use super::report::Report;
use super::state::{Stage, State};
use super::task::Task;
use model::Args;
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Run {
    pub(super) plan: Plan,
    pub(super) states: Vec<State>,
    running: usize,
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

impl Run {
    pub fn new(plan: Plan) -> Self {
        Self { states: plan.tasks.iter().map(|_| State::Waiting).collect(), plan, running: 0 }
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn task(&self, job: Job) -> &Task {
        &self.plan.tasks[job.task]
    }

    /// What may start now; all of it is taken to be started. Tasks may end here without having been
    /// started: whoever asks looks afterwards whether all is done.
    pub fn start(&mut self, now: Duration) -> Vec<Start> {
        let mut starts = Vec::new();
        // What ends here may be what another one has waited for.
        while self.start_some(&mut starts, now) {}
        starts
    }

    /// Answers whether something has ended.
    fn start_some(&mut self, starts: &mut Vec<Start>, now: Duration) -> bool {
        self.advance(now);
        let mut has_ended = false;
        while self.running < self.plan.limits.at_once {
            let Some(mut job) = self.next_job(now) else {
                break;
            };
            if !self.fits(job) {
                break;
            }
            match self.args_of(job) {
                Ok(Some((args, weight))) => {
                    self.set_weight(job, weight);
                    if !self.fits(job) {
                        break;
                    }
                    job.number += 1;
                    self.begin(job);
                    starts.push(Start { job, args });
                    continue;
                }
                Ok(None) => self.settle(job, Phase::Unwanted, now),
                Err(failure) => self.settle(job, Phase::Done(Err(failure)), now),
            }
            has_ended = true;
        }
        has_ended
    }

    /// Hears how a job ended; of one that is no longer asked for, nothing is kept.
    pub fn ended(&mut self, job: Job, result: Result<Value, Failure>, now: Duration) {
        if !self.is_running(job) {
            return;
        }
        self.running -= 1;
        if let Ok(value) = &result {
            self.select_for_references(job, value);
        }
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
            let mut needs = task.needs.iter();
            let is_free = needs.all(|need| self.ended_at(need.task).is_some());
            if is_free && matches!(self.states[place], State::Waiting) {
                self.states[place] = self.enter(task, now);
            }
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

    fn args_of(&self, job: Job) -> Result<Option<(Args, usize)>, Failure> {
        let State::Active(active) = &self.states[job.task] else {
            return Ok(None);
        };
        self.args(self.task(job), active.units[job.unit].item)
    }

    /// Can its arguments be in memory together with those of the calls under way?
    fn fits(&self, job: Job) -> bool {
        let State::Active(active) = &self.states[job.task] else {
            return true;
        };
        let weights = self.states.iter().map(|state| match state {
            State::Active(active) => active.weight(),
            _ => 0,
        });
        let running: usize = weights.sum();
        let together = running.saturating_add(active.units[job.unit].weight);
        running == 0 || together <= self.plan.limits.argument_bytes
    }

    fn set_weight(&mut self, job: Job, weight: usize) {
        if let State::Active(active) = &mut self.states[job.task] {
            active.units[job.unit].weight = weight;
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
}

impl Job {
    /// Its task's place in the plan.
    pub(super) fn task_place(self) -> usize {
        self.task
    }

    /// Which item of a list it is for; 0 where there is no list.
    pub fn item(self) -> usize {
        self.unit
    }

    /// The first try is 1.
    pub fn number(self) -> u64 {
        self.number
    }
}
