//! Real programs: sh, cat, yes, sleep.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at /proc and at what commands have written"
)]

use super::*;
use model::Cancel;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn request(command: &str, args: &[&str]) -> ExecRequest {
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

fn sh(script: &str) -> ExecRequest {
    request("sh", &["-c", script])
}

fn here() -> Surroundings {
    Surroundings {
        cwd: "/".into(),
        env: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
    }
}

fn leash(time: Duration) -> Leash {
    Leash {
        until: Instant::now() + time,
        cancel: Cancel::default(),
    }
}

const LONG: Duration = Duration::from_mins(1);
/// How long a program may outlive its time; a busy machine may need a moment more.
const SOON: Duration = Duration::from_millis(250);

fn processes() -> Processes {
    Processes::new(&Bounds::default())
}

fn run(request: &ExecRequest) -> Result<ExecResult, HostError> {
    processes().run(request, &here(), &leash(LONG))
}

#[track_caller]
fn check(request: &ExecRequest, stdout: &str, stderr: &str, exit_code: i32) {
    let expected = ExecResult {
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
        exit_code,
    };
    assert_eq!(run(request), Ok(expected));
}

#[track_caller]
fn fails(request: &ExecRequest, part: &str) {
    let HostError(why) = run(request).unwrap_err();
    assert!(why.contains(part), "{why}");
}

#[test]
fn a_program_is_heard_out() {
    check(
        &request("echo", &["a", "$HOME;", "b  c"]),
        "a $HOME; b  c\n",
        "",
        0,
    );
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
    let cat = ExecRequest {
        stdin: long.clone(),
        ..request("cat", &[])
    };
    check(&cat, &long, "", 0);
    check(&request("cat", &[]), "", "", 0);
    let deaf = ExecRequest {
        stdin: long,
        ..request("true", &[])
    };
    check(&deaf, "", "", 0);
}

#[test]
fn a_program_sees_the_given_variables_alone() {
    let surroundings = Surroundings {
        env: vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("A".into(), "1".into()),
        ],
        ..here()
    };
    let result = processes().run(&request("env", &[]), &surroundings, &leash(LONG));
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
    fails(
        &request("/no/such/file", &[]),
        "`/no/such/file`: No such file",
    );
    fails(&request("/etc", &[]), "`/etc`: Permission denied");
    fails(&request("echo", &["a\0b"]), "nul byte");
    let nowhere = Surroundings {
        cwd: "/no/such/folder".into(),
        ..here()
    };
    let result = processes().run(&request("echo", &[]), &nowhere, &leash(LONG));
    let why = "`echo`: there is no folder /no/such/folder to run it in";
    assert_eq!(result, Err(HostError(why.into())));
    let empty = Surroundings {
        env: Vec::new(),
        ..here()
    };
    let result = processes().run(&request("echo", &[]), &empty, &leash(LONG));
    let why = "`echo`: there is no PATH to look for it in";
    assert_eq!(result, Err(HostError(why.into())));
}

#[test]
fn a_flood_is_stopped() {
    fails(
        &request("yes", &[]),
        "`yes`: it wrote more than 1 MiB to stdout (limit `exec_output`)",
    );
    fails(&sh("yes >&2"), "1 MiB to stderr (limit `exec_output`)");
    let most = sh("head -c 1048576 /dev/zero");
    assert_eq!(run(&most).unwrap().stdout.len(), 1 << 20);
}

/// A folder in which a script notes who it started.
struct Notes(tempfile::TempDir);

impl Notes {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn pid_file(&self) -> String {
        self.0.path().join("pid").display().to_string()
    }

    /// The process that was noted, once it has been.
    fn pid(&self) -> Option<u32> {
        let text = std::fs::read_to_string(self.pid_file()).ok()?;
        text.strip_suffix('\n')?.parse().ok()
    }
}

/// Running, or waiting to be reaped by whoever is its parent now?
fn runs(pid: u32) -> bool {
    state(Path::new(&format!("/proc/{pid}"))).is_some_and(|(state, _)| state != "Z")
}

/// The state of a process and its parent.
fn state(process: &Path) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

fn wait_for<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + LONG;
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(Instant::now() < until, "waited in vain");
        talk::pause(Duration::from_millis(2));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn time_ends_a_program_and_whatever_it_started() {
    for script in [
        // A child in the foreground, a child behind, and one whose parent has gone.
        "sleep 60 & echo $! > PID; wait",
        "sleep 60 & echo $! > PID; sleep 60",
        "(sleep 60 & echo $! > PID); sleep 60",
        "trap '' TERM INT HUP; sleep 60 & echo $! > PID; wait; sleep 60",
    ] {
        let notes = Notes::new();
        let hung = ExecRequest {
            timeout: Some(Duration::from_millis(500)),
            ..sh(&script.replace("PID", &notes.pid_file()))
        };
        let begin = Instant::now();
        fails(
            &hung,
            "`sh`: it did not end within 500 ms, its own `timeout`",
        );
        let took = begin.elapsed();
        assert!(
            took < Duration::from_millis(500) + SOON * 4,
            "{script}: {took:?}"
        );
        let pid = notes.pid().unwrap();
        wait_for(|| (!runs(pid)).then_some(()));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_call_that_is_taken_back_ends_its_program() {
    let notes = Notes::new();
    let script = format!("(sleep 60 & echo $! > {}); sleep 60", notes.pid_file());
    let leash = leash(LONG);
    let cancel = leash.cancel.clone();
    let running = std::thread::spawn(move || processes().run(&sh(&script), &here(), &leash));
    let pid = wait_for(|| notes.pid());
    let begin = Instant::now();
    cancel.cancel();
    let result = running.join().unwrap();
    assert!(begin.elapsed() < SOON * 4, "{:?}", begin.elapsed());
    assert_eq!(
        result,
        Err(HostError("`sh`: the call was cancelled".into()))
    );
    wait_for(|| (!runs(pid)).then_some(()));
}

#[test]
#[cfg(target_os = "linux")]
fn who_stays_behind_with_the_pipes_is_ended_with_the_program() {
    let notes = Notes::new();
    let script = format!("sleep 60 & echo $! > {}; echo done", notes.pid_file());
    let begin = Instant::now();
    check(&sh(&script), "done\n", "", 0);
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{:?}",
        begin.elapsed()
    );
    let pid = notes.pid().unwrap();
    wait_for(|| (!runs(pid)).then_some(()));
}

#[test]
fn more_programs_than_may_run_at_once_wait_for_each_other() {
    let processes = Arc::new(processes());
    let term = Term::new(&leash(LONG), None, LONG, "exec_time");
    let places: Vec<_> = (0..Bounds::default().exec_processes)
        .map(|_| processes.bound.enter(&term))
        .collect();
    let full = processes.run(
        &request("true", &[]),
        &here(),
        &leash(Duration::from_millis(50)),
    );
    let HostError(why) = full.unwrap_err();
    assert_eq!(
        why,
        "`true`: no place became free in the time of the call (limit `timeout`): 32 may run at \
         once (limit `exec_processes`)"
    );
    let waiting = Arc::clone(&processes);
    let waiting =
        std::thread::spawn(move || waiting.run(&request("true", &[]), &here(), &leash(LONG)));
    drop(places);
    assert_eq!(
        waiting.join().unwrap().map(|result| result.exit_code),
        Ok(0)
    );
}

#[test]
#[cfg(target_os = "linux")]
fn nobody_is_left_unburied() {
    let processes = processes();
    for i in 0..1_000 {
        let result = processes.run(&request("true", &[]), &here(), &leash(LONG));
        assert_eq!(result.map(|result| result.exit_code), Ok(0), "run {i}");
    }
    let me = std::process::id();
    let zombies = || {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let states = all.filter_map(|process| state(&process.path()));
        states
            .filter(|(state, parent)| *parent == me && state == "Z")
            .count()
    };
    // Other tests run beside this one; theirs are gone in a moment.
    wait_for(|| (zombies() == 0).then_some(()));
}
