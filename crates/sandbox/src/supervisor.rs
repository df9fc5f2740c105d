//! The launcher's side: forks a supervisor for every command, which starts it, watches its limits, and
//! kills all its processes in the end.

use crate::launcher::timespec;
use crate::message::{self, COUNT};
use crate::process::{self, Forked};
use crate::report::{ExceededLimit, Report};
use crate::spec::{CommandLimits, CommandSpec};
use crate::tree::{Usage, count_own_threads, kill_descendants, open_process, own_children};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::FileType;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, waitid,
};
use rustix::time::{ClockId, clock_gettime};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The only argument of a launcher.
pub(crate) const ARGUMENT: &str = "supervise";
/// How often limits are looked at, and how often where there are many processes: they may soon be
/// more.
const TICK: Duration = Duration::from_millis(20);
const SHORT_TICK: Duration = Duration::from_millis(5);
const MANY: u64 = 16;
/// Of a processor's time, at most one part in twenty goes into that.
const SHARE: u32 = 20;
/// How long a count of the user's threads is good enough.
const RECENT: Duration = Duration::from_secs(10);
/// Threads that commands and everything else of the user may add to them meanwhile.
const HEADROOM: u64 = 2048;
/// A process that was killed is gone at once, unless a disk or a device holds it.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// A shell adds this to the signal that ended a command, and exits with the sum.
const BY_SIGNAL: i32 = 128;

/// Was this program started as a launcher?
pub fn is_launcher() -> bool {
    let mut args = std::env::args_os().skip(1);
    args.next().is_some_and(|arg| arg == ARGUMENT) && args.next().is_none()
}

/// Serves the server on standard input, until that is gone. `None` if nobody is there: a person has
/// typed this.
pub fn run_launcher() -> Option<ExitCode> {
    process::close_inherited();
    let socket = take_socket().ok()?;
    // So that no terminal's signals reach it.
    let _ = rustix::process::setsid();
    process::reap_automatically(true);
    let mut threads = ThreadCount::default();
    while let Ok(Some(descriptors)) = message::receive(&socket) {
        let threads = threads.recent();
        if let Ok(Forked::Child) = process::fork() {
            drop(socket);
            process::reap_automatically(false);
            return Some(supervise(descriptors, threads));
        }
    }
    Some(ExitCode::SUCCESS)
}

/// Standard input becomes `/dev/null`.
fn take_socket() -> io::Result<UnixStream> {
    let stdin = io::stdin();
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&stdin)?.st_mode);
    if kind != FileType::Socket {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let socket = rustix::io::fcntl_dupfd_cloexec(&stdin, 3)?;
    let how = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let null = rustix::fs::open("/dev/null", how, rustix::fs::Mode::empty())?;
    rustix::stdio::dup2_stdin(null)?;
    Ok(socket.into())
}

/// Threads of the user, counted now and then: it takes a while where there are many processes.
#[derive(Default)]
struct ThreadCount(Option<(Instant, u64)>);

impl ThreadCount {
    fn recent(&mut self) -> u64 {
        match self.0 {
            Some((at, count)) if at.elapsed() < RECENT => count,
            _ => {
                let count = count_own_threads();
                self.0 = Some((Instant::now(), count));
                count
            }
        }
    }
}

/// One command from its beginning to the end of the last process that it has started.
fn supervise([control, stdin, stdout, stderr, folder]: [OwnedFd; COUNT], threads: u64) -> ExitCode {
    let mut control = UnixStream::from(control);
    let Ok(spec) = CommandSpec::read(&mut control) else {
        return ExitCode::FAILURE;
    };
    match limit(&spec.limits, threads).and_then(|()| start(&spec, [stdin, stdout, stderr], &folder))
    {
        Ok(leader) => {
            let mut supervisor = Supervisor { control, leader, has_ended: false };
            supervisor.watch(&spec.limits);
            supervisor.kill_all();
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = control.write_all(&Report::Failed(error).to_bytes());
            ExitCode::FAILURE
        }
    }
}

/// The command leads a session of its own: it has no terminal, no process of another session can
/// join its group, nor it any group of theirs.
fn start(spec: &CommandSpec, stdio: [OwnedFd; 3], folder: &OwnedFd) -> io::Result<Pid> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    rustix::process::fchdir(folder)?;
    let [stdin, stdout, stderr] = stdio.map(Stdio::from);
    #[expect(clippy::disallowed_methods, reason = "programs that scripts run are started here")]
    let mut command = Command::new(&spec.program);
    command
        .arg0(&spec.name)
        .args(&spec.args)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr);
    process::set_apart(&mut command);
    let child = command.spawn()?;
    Ok(Pid::from_child(&child))
}

/// Limits that the kernel keeps, inherited by everything that is started. A storm of forks is faster
/// than any count of ours: it comes to an end at so many threads of the user, unless that is root.
fn limit(limits: &CommandLimits, threads: u64) -> io::Result<()> {
    lower(Resource::Fsize, limits.file_size)?;
    if threads > 0 {
        let most = limits.processes.saturating_add(threads + HEADROOM);
        lower(Resource::Nproc, most)?;
    }
    Ok(())
}

fn lower(resource: Resource, most: u64) -> io::Result<()> {
    let most = match rustix::process::getrlimit(resource).maximum {
        Some(maximum) => maximum.min(most),
        None => most,
    };
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    Ok(rustix::process::setrlimit(resource, limit)?)
}

struct Supervisor {
    control: UnixStream,
    /// The command itself. It is left unreaped until the end, so that its number, which is also
    /// that of its group, stays its own.
    leader: Pid,
    has_ended: bool,
}

impl Supervisor {
    /// Returns when the server says so or is gone, and when a limit is exceeded.
    fn watch(&mut self, limits: &CommandLimits) {
        let ended = open_process(self.leader);
        let mut next = Instant::now() + TICK;
        loop {
            if !self.has_ended
                && let Some(status) = exit_status(self.leader)
            {
                self.has_ended = true;
                self.report(&ending(status));
            }
            if Instant::now() >= next {
                let before = processor_time();
                let usage = Usage::measure(limits);
                if let Some(limit) = exceeded(&usage, limits) {
                    return self.report(&Report::Exceeded(limit));
                }
                self.reap_orphans();
                let tick = if usage.processes > MANY { SHORT_TICK } else { TICK };
                let spent = processor_time().saturating_sub(before);
                next = Instant::now() + tick.max(spent * SHARE);
            }
            let mut ends = vec![PollFd::new(&self.control, PollFlags::IN)];
            // Once it is over, it would not let anybody wait.
            let ended = ended.as_ref().filter(|_| !self.has_ended);
            ends.extend(ended.map(|ended| PollFd::new(ended, PollFlags::IN)));
            let patience = next.saturating_duration_since(Instant::now());
            let _ = poll(&mut ends, Some(&timespec(patience)));
            if !ends[0].revents().is_empty() {
                return;
            }
        }
    }

    fn report(&mut self, report: &Report) {
        // Whether anybody hears it is seen at the next look at the line.
        let _ = self.control.write_all(&report.to_bytes());
    }

    /// Those whose own parent has ended have come to this process.
    fn reap_orphans(&self) {
        for child in own_children() {
            if child != self.leader {
                let _ = reap(child);
            }
        }
    }

    /// Kills until there are no children. Those of one that dies become children of this process, so
    /// that nothing is left out; and only unreaped children are killed by number, which nobody else
    /// can have.
    fn kill_all(&self) {
        let mut pause = Duration::from_millis(1);
        let mut is_leader_left = true;
        loop {
            if is_leader_left {
                // Before anything is looked up, at once.
                let _ = kill_process_group(self.leader, Signal::KILL);
            }
            kill_descendants();
            let mut reaped = own_children();
            // Where nothing shows children, there is the leader at least.
            if is_leader_left && !reaped.contains(&self.leader) {
                reaped.push(self.leader);
            }
            reaped.retain(|child| reap(*child));
            is_leader_left &= !reaped.contains(&self.leader);
            if has_no_children() {
                return;
            }
            pause = if reaped.is_empty() {
                LONGEST_PAUSE.min(pause * 2)
            } else {
                Duration::from_millis(1)
            };
            let _ = poll(&mut [], Some(&timespec(pause)));
        }
    }
}

/// Has it ended, and is gone now?
fn reap(child: Pid) -> bool {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    waitid(WaitId::Pid(child), how).is_ok_and(|status| status.is_some())
}

fn has_no_children() -> bool {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(waitid(WaitId::All, how), Err(rustix::io::Errno::CHILD))
}

/// How it has ended; it is not reaped.
fn exit_status(child: Pid) -> Option<ExitStatus> {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(child), how).ok()??;
    let raw = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => (code & 0xff) << 8,
        (None, Some(signal)) => signal,
        (None, None) => return None,
    };
    Some(ExitStatus::from_raw(raw))
}

fn ending(status: ExitStatus) -> Report {
    let too_large = Signal::XFSZ.as_raw();
    if status.signal() == Some(too_large) || status.code() == Some(BY_SIGNAL + too_large) {
        Report::Exceeded(ExceededLimit::FileSize)
    } else {
        Report::Ended(status)
    }
}

fn exceeded(usage: &Usage, limits: &CommandLimits) -> Option<ExceededLimit> {
    if usage.processes > limits.processes {
        Some(ExceededLimit::Processes)
    } else if usage.memory > limits.memory {
        Some(ExceededLimit::Memory)
    } else {
        None
    }
}

/// What this process has used so far; time in which others run does not count.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}
