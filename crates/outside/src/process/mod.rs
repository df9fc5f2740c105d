//! Other programs: run without a shell, each in a group of its own, and none longer than it may.

mod bound;
mod find;
mod group;
mod talk;

use crate::term::Term;
use bound::Bound;
use group::Group;
use model::{Bounds, ExecRequest, ExecResult, HostError, Leash, Surroundings, show_size};
use std::time::Duration;
use talk::{End, Talk};

/// How long an ending server waits for programs that it has killed.
const CLOSING: Duration = Duration::from_millis(500);

/// The programs that run now.
pub(crate) struct Processes {
    bound: Bound,
    time: Duration,
    /// What a program may say on each of its two streams.
    output: usize,
}

impl Processes {
    pub(crate) fn new(bounds: &Bounds) -> Self {
        Self {
            bound: Bound::new(bounds.exec_processes),
            time: bounds.exec_time,
            output: bounds.exec_output,
        }
    }

    /// Waits for its end on the script's own thread. Whatever it has started goes with it, unless
    /// that left the group, as daemons do.
    pub(crate) fn run(
        &self,
        request: &ExecRequest,
        surroundings: &Surroundings,
        leash: &Leash,
    ) -> Result<ExecResult, HostError> {
        let term = Term::new(leash, request.timeout, self.time, "exec_time");
        let program = find::program(&request.command, surroundings)?;
        let place = self.bound.enter(&term);
        let _place = place.map_err(|HostError(why)| failed(request, &why))?;
        let mut group = Group::start(&program, request, surroundings)
            .map_err(|error| failed(request, &error.to_string()))?;
        let mut talk = Talk::new(group.pipes(), request.stdin.as_bytes(), self.output);
        let called_off = || term.is_cancelled() || self.bound.is_closed();
        let end = talk.until_the_end(&group, term.until(), called_off);
        let status = group.end();
        match end {
            End::OfItself => {
                let (stdout, stderr) = talk.said();
                let exit_code = status.and_then(|status| status.code()).unwrap_or(-1);
                Ok(ExecResult {
                    stdout,
                    stderr,
                    exit_code,
                })
            }
            End::OutOfTime => Err(failed(request, &format!("it did not end {}", term.words))),
            End::Cancelled => Err(failed(request, "the call was cancelled")),
            End::TooMuchSaid(stream) => Err(failed(
                request,
                &format!(
                    "it wrote more than {} to {stream} (limit `exec_output`)",
                    show_size(self.output)
                ),
            )),
            End::Broken(error) => Err(failed(request, &error.to_string())),
        }
    }

    /// Ends what runs, and runs nothing more.
    pub(crate) fn close(&self) {
        self.bound.close(CLOSING);
    }
}

fn failed(request: &ExecRequest, why: &str) -> HostError {
    HostError(format!("`{}`: {why}", request.command))
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
