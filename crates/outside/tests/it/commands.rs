//! Commands: what they get and give, and that nothing of them is left.
// Tests that read /proc are left out elsewhere, and with them the only users of some functions.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::asking::{PATIENCE, leash};
use model::{ExecRequest, ExecResult, HostError, Leash, Surroundings, World};
use outside::Outside;
use rustix::process::{Pid, Signal, kill_process};
use settings::Bounds;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) fn request(command: &str, args: &[&str]) -> ExecRequest {
    ExecRequest {
        command: command.to_owned(),
        args: args.iter().copied().map(str::to_owned).collect(),
        stdin: String::new(),
        cwd: None,
        env: Vec::new(),
        secret_env: Vec::new(),
        timeout: None,
    }
}

pub(crate) fn sh(script: &str) -> ExecRequest {
    request("sh", &["-c", script])
}

fn here() -> Surroundings {
    Surroundings {
        cwd: "/".into(),
        env: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
    }
}

/// A world whose commands are started by the program beside the tests.
pub(crate) fn outside(bounds: &Bounds) -> Outside {
    Outside::new(bounds).with_launcher(env!("CARGO_BIN_EXE_supervise").into())
}

pub(crate) fn run_within(bounds: &Bounds, request: &ExecRequest) -> Result<ExecResult, String> {
    exec(&outside(bounds), request, &leash(PATIENCE))
}

fn exec(outside: &Outside, request: &ExecRequest, leash: &Leash) -> Result<ExecResult, String> {
    let result = outside.exec(request, &here(), leash);
    result.map_err(|HostError(why)| why)
}

fn run(request: &ExecRequest) -> Result<ExecResult, String> {
    run_within(&Bounds::default(), request)
}

#[track_caller]
fn check(request: &ExecRequest, stdout: &str, stderr: &str, exit_code: i32) {
    let expected = ExecResult { stdout: stdout.to_owned(), stderr: stderr.to_owned(), exit_code };
    assert_eq!(run(request), Ok(expected));
}

#[track_caller]
fn fails(request: &ExecRequest, part: &str) {
    let why = run(request).unwrap_err();
    assert!(why.contains(part), "{why}");
}

#[test]
fn a_program_is_heard_out() {
    check(&request("echo", &["a", "$HOME;", "b  c"]), "a $HOME; b  c\n", "", 0);
    check(&sh("echo out; echo err >&2; exit 3"), "out\n", "err\n", 3);
    check(&sh("kill -9 $$"), "", "", -1);
    check(&sh(r"printf 'a\377b'"), "a\u{fffd}b", "", 0);
    check(&sh("pwd"), "/\n", "", 0);
    check(&sh("exec >&- 2>&-; exit 4"), "", "", 4);
    check(&sh(r#"echo "$0""#), "sh\n", "", 0);
}

#[test]
fn a_program_gets_its_input_and_its_end() {
    let long = "0123456789".repeat(50_000);
    let cat = ExecRequest { stdin: long.clone(), ..request("cat", &[]) };
    check(&cat, &long, "", 0);
    check(&request("cat", &[]), "", "", 0);
    let deaf = ExecRequest { stdin: long, ..request("true", &[]) };
    check(&deaf, "", "", 0);
}

#[test]
fn a_program_sees_the_given_variables_alone() {
    let surroundings = Surroundings {
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("A".into(), "1".into())],
        ..here()
    };
    let world = outside(&Bounds::default());
    let result = world.exec(&request("env", &[]), &surroundings, &leash(PATIENCE));
    let stdout = result.unwrap().stdout;
    let seen: BTreeSet<&str> = stdout.lines().collect();
    assert_eq!(seen, BTreeSet::from(["A=1", "PATH=/usr/bin:/bin"]));
}

#[test]
fn what_cannot_be_run_is_named() {
    fails(
        &request("no-such-command", &[]),
        "there is no command `no-such-command` in the folders of PATH",
    );
    fails(&request("/no/such/file", &[]), "`/no/such/file`: No such file");
    fails(&request("/etc", &[]), "`/etc`: Permission denied");
    fails(&request("echo", &["a\0b"]), "nul byte");
    let nowhere = Surroundings { cwd: "/no/such/folder".into(), ..here() };
    let world = outside(&Bounds::default());
    let result = world.exec(&request("echo", &[]), &nowhere, &leash(PATIENCE));
    let why = "`echo`: there is no folder /no/such/folder to run it in";
    assert_eq!(result, Err(HostError(why.into())));
    let empty = Surroundings { env: Vec::new(), ..here() };
    let result = world.exec(&request("echo", &[]), &empty, &leash(PATIENCE));
    let why = "`echo`: there is no PATH to look for it in";
    assert_eq!(result, Err(HostError(why.into())));
}

#[test]
fn a_flood_is_stopped() {
    fails(&request("yes", &[]), "`yes`: it wrote more than 1 MiB to stdout (limit `exec_output`)");
    fails(&sh("yes >&2"), "1 MiB to stderr (limit `exec_output`)");
    let most = sh("head -c 1048576 /dev/zero");
    assert_eq!(run(&most).unwrap().stdout.len(), 1 << 20);
}

/// A folder in which a script notes the process that it started.
struct Notes(tempfile::TempDir);

impl Notes {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The script, with the file to note it in for `NOTE`.
    fn script(&self, script: &str) -> ExecRequest {
        sh(&script.replace("NOTE", &self.0.path().join("pid").display().to_string()))
    }

    /// The process that was noted, once it has been.
    fn pid(&self) -> Option<u32> {
        let text = std::fs::read_to_string(self.0.path().join("pid")).ok()?;
        text.strip_suffix('\n')?.parse().ok()
    }

    #[track_caller]
    fn is_gone(&self) {
        let pid = self.pid().unwrap();
        wait_for(|| (!runs(pid)).then_some(()));
    }
}

/// Running, not only waiting to be reaped?
fn runs(pid: u32) -> bool {
    state(Path::new(&format!("/proc/{pid}"))).is_some_and(|(state, _)| state != "Z")
}

/// The state of a process and its parent.
fn state(process: &Path) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

/// All processes, with their parents and states.
fn processes() -> Vec<(u32, u32, String)> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let all = all.filter_map(|entry| {
        let (state, parent) = state(&entry.path())?;
        Some((entry.file_name().to_str()?.parse().ok()?, parent, state))
    });
    all.collect()
}

/// Processes that were started with this word among their arguments.
pub(crate) fn started_with(word: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let has = |line: &Vec<u8>| line.split(|byte| *byte == 0).any(|part| part == word.as_bytes());
    lines.filter(has).count()
}

pub(crate) fn wait_for<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(Instant::now() < until, "waited in vain");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

/// Children before and behind, orphans, daemons with sessions of their own, and without variables.
const FAMILIES: [&str; 8] = [
    "sleep 60 & echo $! > NOTE",
    "(sleep 60 & echo $! > NOTE)",
    "trap '' TERM INT HUP; sleep 60 & echo $! > NOTE",
    "setsid sleep 60 & echo $! > NOTE",
    "(setsid sleep 60 & echo $! > NOTE) &",
    "setsid sh -c 'exec < /dev/null > /dev/null 2>&1; sleep 60 & echo $! > NOTE'",
    "setsid sh -c '(setsid sh -c \"setsid sleep 60 & echo \\$! > NOTE\" &)'",
    "env -i /usr/bin/setsid sh -c '(sleep 60 & echo $! > NOTE)'",
];

#[test]
#[cfg(target_os = "linux")]
fn time_ends_a_command_and_all_it_started() {
    for family in FAMILIES {
        let notes = Notes::new();
        let hung = ExecRequest {
            timeout: Some(Duration::from_millis(500)),
            ..notes.script(&format!("{family}\nsleep 60"))
        };
        fails(&hung, "`sh`: it did not end within 500 ms, its own `timeout`");
        notes.is_gone();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_that_ends_takes_all_it_started_with_it() {
    for family in FAMILIES {
        let notes = Notes::new();
        let wait = "while ! test -s NOTE; do :; done; echo done";
        check(&notes.script(&format!("{family}\n{wait}")), "done\n", "", 0);
        notes.is_gone();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn cancelling_ends_a_command_and_all_it_started() {
    for family in FAMILIES {
        let notes = Notes::new();
        let script = notes.script(&format!("{family}\nsleep 60"));
        let leash = leash(PATIENCE);
        let cancel = leash.cancel.clone();
        let running =
            std::thread::spawn(move || exec(&outside(&Bounds::default()), &script, &leash));
        wait_for(|| notes.pid());
        cancel.cancel();
        assert_eq!(running.join().unwrap(), Err("`sh`: the call was cancelled".into()));
        notes.is_gone();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_ending_server_ends_commands_and_all_they_started() {
    let notes = Notes::new();
    let world = outside(&Bounds::default());
    let script = notes.script("setsid sleep 60 & echo $! > NOTE; sleep 60");
    std::thread::scope(|scope| {
        let running = scope.spawn(|| exec(&world, &script, &leash(PATIENCE)));
        wait_for(|| notes.pid());
        world.close();
        assert_eq!(running.join().unwrap(), Err("`sh`: the call was cancelled".into()));
    });
    notes.is_gone();
    let late = exec(&world, &request("true", &[]), &leash(PATIENCE));
    assert_eq!(late, Err("`true`: the server is ending".into()));
}

#[test]
fn more_commands_than_may_run_at_once_wait_for_each_other() {
    let one = Bounds { exec_processes: 1, ..Bounds::default() };
    let world = outside(&one);
    let notes = Notes::new();
    let first = leash(PATIENCE);
    let script = notes.script("echo $$ > NOTE; sleep 60");
    std::thread::scope(|scope| {
        let running = scope.spawn(|| exec(&world, &script, &first));
        wait_for(|| notes.pid());
        let short = leash(Duration::from_millis(50));
        assert_eq!(
            exec(&world, &request("true", &[]), &short),
            Err(
                "`true`: no place became free in the time of the call (limit `timeout`): 1 may run \
                 at once (limit `exec_processes`)"
                    .into()
            )
        );
        let waiting = scope.spawn(|| exec(&world, &request("true", &[]), &leash(PATIENCE)));
        first.cancel.cancel();
        running.join().unwrap().unwrap_err();
        assert_eq!(waiting.join().unwrap().map(|result| result.exit_code), Ok(0));
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_hundred_commands_at_once_leave_nothing_behind() {
    let hundred = Bounds { exec_processes: 100, ..Bounds::default() };
    let world = outside(&hundred);
    let word = format!("60.{}", std::process::id());
    let script = sh(&format!("setsid sleep {word} & sleep {word} & echo done"));
    std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..100).map(|_| scope.spawn(|| exec(&world, &script, &leash(PATIENCE)))).collect();
        for running in running {
            assert_eq!(running.join().unwrap().unwrap().stdout, "done\n");
        }
    });
    wait_for(|| (started_with(&word) == 0).then_some(()));
    drop(world);
    let me = std::process::id();
    let zombies = || {
        let all = processes().into_iter();
        all.filter(|(_, parent, state)| *parent == me && state == "Z").count()
    };
    // Launchers of other tests beside this one may be ending at this moment.
    wait_for(|| (zombies() == 0).then_some(()));
}

#[test]
fn a_thousand_commands_leave_nothing_behind() {
    let world = outside(&Bounds::default());
    for i in 0..1_000 {
        let result = exec(&world, &request("true", &[]), &leash(PATIENCE));
        assert_eq!(result.map(|result| result.exit_code), Ok(0), "run {i}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn only_three_descriptors_are_inherited() {
    // Without the flag that closes it.
    let open = rustix::io::fcntl_dupfd_cloexec(std::io::stderr(), 77).unwrap();
    rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty()).unwrap();
    // The last one is the list itself.
    check(&request("ls", &["/proc/self/fd"]), "0\n1\n2\n3\n", "", 0);
    drop(open);
}

#[test]
#[cfg(target_os = "linux")]
fn a_launcher_that_was_killed_is_replaced() {
    let world = outside(&Bounds::default());
    let parent = "echo $(ps -o ppid= -p $PPID)";
    let first = exec(&world, &sh(parent), &leash(PATIENCE)).unwrap().stdout;
    let launcher = Pid::from_raw(first.trim().parse().unwrap()).unwrap();
    kill_process(launcher, Signal::KILL).unwrap();
    let second = wait_for(|| exec(&world, &sh(parent), &leash(PATIENCE)).ok());
    assert_ne!(second.stdout, first);
}

/// Commands run as the server's user, so that they can do this, as they can kill the server.
#[test]
#[cfg(target_os = "linux")]
fn a_command_that_kills_its_supervisor_ends_with_it() {
    let notes = Notes::new();
    let killer = notes.script("echo $$ > NOTE; kill -9 $PPID; sleep 60");
    fails(&killer, "`sh`: its supervisor is gone");
    notes.is_gone();
}
