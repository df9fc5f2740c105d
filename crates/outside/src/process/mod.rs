//! Other programs: run without a shell, each under a supervisor, within limits, and never longer than
//! the call.

mod bound;
mod find;
mod talk;

use crate::term::Term;
use bound::Bound;
use model::{ExecRequest, ExecResult, HostError, Leash, Surroundings, show_size};
use sandbox::{CommandLimits, CommandSpec, ExceededLimit, FolderHandle, Launcher};
use settings::Bounds;
use std::path::{Path, PathBuf};
use std::time::Duration;
use talk::{End, Talk};

/// How long an ending server waits for programs that it has killed.
const CLOSING: Duration = Duration::from_millis(500);

/// The programs that run now.
pub(crate) struct Processes {
    bound: Bound,
    launcher: Launcher,
    time: Duration,
    /// What a program may say on each of its two streams.
    output: usize,
    memory: usize,
    children: usize,
    file_size: usize,
}

impl Processes {
    pub(crate) fn new(bounds: &Bounds) -> Self {
        Self {
            bound: Bound::new(bounds.exec_processes),
            launcher: Launcher::this_program(),
            time: bounds.exec_time,
            output: bounds.exec_output,
            memory: bounds.exec_memory,
            children: bounds.exec_children,
            file_size: bounds.exec_file_size,
        }
    }

    /// The same, where this program cannot be its own launcher.
    pub(crate) fn with_launcher(self, program: PathBuf) -> Self {
        Self { launcher: Launcher::new(program), ..self }
    }

    /// Waits for its end on the script's own thread. Whatever it has started ends with it.
    pub(crate) fn run(
        &self,
        request: &ExecRequest,
        surroundings: &Surroundings,
        leash: &Leash,
    ) -> Result<ExecResult, HostError> {
        let term = Term::new(leash, request.timeout, self.time, "exec_time");
        let folder = open_folder(&request.command, &surroundings.cwd)?;
        let program = find::program(&request.command, surroundings)?;
        let place = self.bound.enter(&term);
        let _place = place.map_err(|HostError(why)| failed(request, &why))?;
        let spec = self.spec(program, request, surroundings);
        let command = self.launcher.start(&spec, &folder);
        let command = command.map_err(|error| failed(request, &error.to_string()))?;
        let mut talk = Talk::new(command, request.stdin.as_bytes(), self.output);
        let called_off = || term.is_cancelled() || self.bound.is_closed();
        let end = talk.until_the_end(term.until(), called_off);
        let (stdout, stderr) = talk.finish();
        match end {
            End::OfItself(status) => {
                Ok(ExecResult { stdout, stderr, exit_code: status.code().unwrap_or(-1) })
            }
            end => Err(failed(request, &self.reason(end, &term))),
        }
    }

    fn spec(
        &self,
        program: PathBuf,
        request: &ExecRequest,
        surroundings: &Surroundings,
    ) -> CommandSpec {
        let env = surroundings.env.iter();
        CommandSpec {
            program,
            name: request.command.clone().into(),
            args: request.args.iter().map(Into::into).collect(),
            env: env.map(|(name, value)| (name.into(), value.into())).collect(),
            limits: CommandLimits {
                memory: self.memory as u64,
                processes: self.children as u64,
                file_size: self.file_size as u64,
            },
        }
    }

    fn reason(&self, end: End, term: &Term) -> String {
        match end {
            End::OfItself(status) => status.to_string(),
            End::OutOfTime => format!("it did not end {}", term.words),
            End::Cancelled => "the call was cancelled".into(),
            End::TooMuchSaid(stream) => format!(
                "it wrote more than {} to {stream} (limit `exec_output`)",
                show_size(self.output)
            ),
            End::Exceeded(ExceededLimit::Memory) => format!(
                "its processes took more than {} of memory (limit `exec_memory`)",
                show_size(self.memory)
            ),
            End::Exceeded(ExceededLimit::Processes) => format!(
                "it had more than {} processes at one time (limit `exec_children`)",
                self.children
            ),
            End::Exceeded(ExceededLimit::FileSize) => format!(
                "it wrote a file of more than {} (limit `exec_file_size`)",
                show_size(self.file_size)
            ),
            End::Broken(error) => error.to_string(),
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

/// The folder that was judged, whatever its path leads to by now.
fn open_folder(command: &str, path: &Path) -> Result<FolderHandle, HostError> {
    FolderHandle::open(path).map_err(|_| {
        let path = path.display();
        HostError(format!("`{command}`: there is no folder {path} to run it in"))
    })
}
