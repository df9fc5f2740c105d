//! Limits on what a command and everything it has started may use.

use crate::commands::{request, run_within, sh, started_with, wait_for};
use model::ExecRequest;
use settings::Bounds;
use std::os::unix::fs::PermissionsExt;

/// Every script here stops by itself at some hundred processes: where the limit does not hold, the
/// test fails, and not the machine.
#[track_caller]
fn is_stopped(request: &ExecRequest, word: &str) {
    let few = Bounds { exec_children: 20, ..Bounds::default() };
    let why = "`sh`: it had more than 20 processes at one time (limit `exec_children`)";
    assert_eq!(run_within(&few, request), Err(why.into()));
    wait_for(|| (started_with(word) == 0).then_some(()));
}

#[test]
fn too_many_processes_are_stopped() {
    let word = format!("60.{}", std::process::id());
    let script = "i=0; while [ $i -lt 100 ]; do sleep WORD & i=$((i+1)); done; wait";
    is_stopped(&sh(&script.replace("WORD", &word)), &word);
}

/// Each process is in a session of its own, which no signal to a group reaches, and starts three
/// more: 120 in all.
#[test]
fn too_many_daemons_are_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let family = folder.path().join("family");
    let script = "#!/bin/sh\nif [ $1 -gt 0 ]; then\n\
                  for i in 1 2 3; do setsid \"$0\" $(($1 - 1)) $2 & done\nfi\nexec sleep $2\n";
    std::fs::write(&family, script).unwrap();
    std::fs::set_permissions(&family, PermissionsExt::from_mode(0o755)).unwrap();
    let word = format!("61.{}", std::process::id());
    is_stopped(&sh(&format!("{} 4 {word}; wait", family.display())), &word);
}

/// Faster than any count: root alone is not bound by it.
#[test]
fn the_kernel_bounds_the_threads_of_the_user() {
    let most = |children| {
        let bounds = Bounds { exec_children: children, ..Bounds::default() };
        let limits = request("grep", &["Max processes", "/proc/self/limits"]);
        let line = run_within(&bounds, &limits).unwrap().stdout;
        let most: Vec<usize> = line.split_whitespace().filter_map(|w| w.parse().ok()).collect();
        assert_eq!(most.len(), 2, "{line}");
        assert_eq!(most[0], most[1], "{line}");
        most[0]
    };
    let (few, more) = (most(10), most(100_000));
    assert!(few > 10 && few < 100_000, "{few}");
    assert!(more > few, "{more}");
}

#[test]
fn memory_is_limited() {
    let little = Bounds { exec_memory: 64 << 20, ..Bounds::default() };
    let why =
        Err("`sh`: its processes took more than 64 MiB of memory (limit `exec_memory`)".into());
    // Without a line to end, `tail` keeps all of it.
    let one = sh("head -c 2147483648 /dev/zero | tail | cat > /dev/null");
    assert_eq!(run_within(&little, &one), why);
    let each = "head -c 33554432 /dev/zero | tail | sleep 60 &";
    let many = sh(&format!("{} wait", each.repeat(4)));
    assert_eq!(run_within(&little, &many), why);
}

/// What processes share since a fork is one piece of memory.
#[test]
fn shared_memory_counts_once() {
    let some = Bounds { exec_memory: 256 << 20, ..Bounds::default() };
    let script = "x=$(head -c 33554432 /dev/zero | tr '\\0' a)
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do (sleep 0.5; :) & done
        wait; echo ${#x}";
    let result = run_within(&some, &sh(script)).unwrap();
    assert_eq!(result.stdout, "33554432\n", "{}", result.stderr);
}

#[test]
fn files_are_limited() {
    let small = Bounds { exec_file_size: 1 << 20, ..Bounds::default() };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large");
    let to = format!("of={}", file.display());
    let dd = ["if=/dev/zero", &to, "bs=65536", "count=100"];
    let why = |command: &str| {
        let limit = "it wrote a file of more than 1 MiB (limit `exec_file_size`)";
        Err(format!("`{command}`: {limit}"))
    };
    assert_eq!(run_within(&small, &request("dd", &dd)), why("dd"));
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 1 << 20);
    let within = sh(&format!("dd {}; exit $?", dd.join(" ")));
    assert_eq!(run_within(&small, &within), why("sh"));
    let fits = ["if=/dev/zero", &to, "bs=65536", "count=16"];
    let fits = run_within(&small, &request("dd", &fits)).unwrap();
    assert_eq!(fits.exit_code, 0, "{}", fits.stderr);
}

#[test]
fn ordinary_commands_stay_within_the_defaults() {
    let count = "(head -c 1000000 /dev/zero | wc -c) &";
    let script = sh(&format!("{} wait", count.repeat(8)));
    let result = run_within(&Bounds::default(), &script).unwrap();
    assert_eq!(result.stdout, "1000000\n".repeat(8));
}
