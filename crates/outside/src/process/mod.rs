//! Other programs: run without a shell, each in a group of its own, and none longer than it may.

mod bound;
mod find;
mod group;
mod talk;

use bound::Bound;
use group::Group;
use model::{ExecRequest, ExecResult, HostError, Leash, Surroundings};
use std::time::{Duration, Instant};
use talk::{End, Talk};

/// What a program may say on each of its two streams.
const MOST_OUTPUT: usize = 1 << 20;

/// How long an ending server waits for programs that it has killed.
const CLOSING: Duration = Duration::from_millis(500);

/// The programs that run now.
#[derive(Default)]
pub(crate) struct Processes {
    bound: Bound,
}

impl Processes {
    /// Waits for its end on the script's own thread. Whatever it has started goes with it, unless
    /// that left the group, as daemons do.
    pub(crate) fn run(
        &self,
        request: &ExecRequest,
        surroundings: &Surroundings,
        leash: &Leash,
    ) -> Result<ExecResult, HostError> {
        let begin = Instant::now();
        let leash = leash.within(request.timeout);
        let program = find::program(&request.command, surroundings)?;
        let _place = self.bound.enter(&leash)?;
        let mut group = Group::start(&program, request, surroundings)
            .map_err(|error| failed(request, &error.to_string()))?;
        let mut talk = Talk::new(group.pipes(), request.stdin.as_bytes());
        let called_off = || leash.cancel.is_cancelled() || self.bound.is_closed();
        let end = talk.until_the_end(&group, leash.until, called_off);
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
            End::OutOfTime => Err(failed(request, &out_of_time(begin.elapsed()))),
            End::Cancelled => Err(failed(request, "the call was cancelled")),
            End::TooMuchSaid(stream) => Err(failed(
                request,
                &format!(
                    "it wrote more than {MOST_OUTPUT} bytes to {stream} (limit `exec_output`)"
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

fn out_of_time(after: Duration) -> String {
    format!(
        "it was ended after {} ms, when its time was up",
        after.as_millis()
    )
}

fn failed(request: &ExecRequest, why: &str) -> HostError {
    HostError(format!("`{}`: {why}", request.command))
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
