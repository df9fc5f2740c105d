//! The processes that this one has started, and those that they have, as `/proc` shows them.
#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::disallowed_methods,
        reason = "processes are looked up as files, and nowhere else"
    )
)]

use crate::spec::CommandLimits;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};
use std::os::fd::OwnedFd;

/// How deep a sweep goes down at once; it holds a descriptor at each level.
const DEEPEST: usize = 64;

/// The direct children of this process.
pub(crate) fn own_children() -> Vec<Pid> {
    system::children(getpid())
}

/// What all descendants of this process use together.
pub(crate) struct Usage {
    pub(crate) processes: u64,
    pub(crate) memory: u64,
}

impl Usage {
    /// No more is counted than it takes to see that a limit is exceeded.
    pub(crate) fn measure(limits: &CommandLimits) -> Self {
        let mut all = own_children();
        let mut next = 0;
        while let Some(pid) = all.get(next).copied()
            && all.len() as u64 <= limits.processes
        {
            all.extend(system::children(pid));
            next += 1;
        }
        let processes = all.len() as u64;
        if processes > limits.processes {
            return Self { processes, memory: 0 };
        }
        let mut memory = all.iter().copied().map(system::resident).sum();
        // Pages that processes share since a fork count once only where that is worth the time.
        if memory > limits.memory {
            memory = all.iter().copied().map(system::proportional).sum();
        }
        Self { processes, memory }
    }
}

/// Threads of all processes of this process's user, as far as they show whose they are.
pub(crate) fn count_own_threads() -> u64 {
    system::threads(rustix::process::getuid().as_raw())
}

/// Kills all descendants of this process that can be found now. Those of them whose parent dies
/// meanwhile become children of this process, for the next sweep to find.
pub(crate) fn kill_descendants() {
    for child in own_children() {
        // It cannot be reaped by anybody else, so that its number is its own.
        let _ = kill_process_group(child, Signal::KILL);
        let _ = kill_process(child, Signal::KILL);
        if let Some(handle) = open_process(child) {
            kill_below(child, &handle, 1);
        }
    }
}

/// The parent was killed, and therefore forks no more.
fn kill_below(parent: Pid, parent_handle: &OwnedFd, depth: usize) {
    for child in system::children(parent) {
        let Some(handle) = open_process(child) else {
            continue;
        };
        // Numbers are used again. While the parent lives, its number is its own; and what says that
        // this is its parent is therefore its child, which the handle stands for from now on.
        if system::parent(child) != Some(parent) || has_ended(parent_handle) {
            continue;
        }
        let _ = kill_through(&handle);
        if depth < DEEPEST {
            kill_below(child, &handle, depth + 1);
        }
    }
}

/// A handle to a process, which becomes readable when it has ended.
#[cfg(target_os = "linux")]
pub(crate) fn open_process(process: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn open_process(_: Pid) -> Option<OwnedFd> {
    None
}

#[cfg(target_os = "linux")]
fn kill_through(handle: &OwnedFd) -> rustix::io::Result<()> {
    rustix::process::pidfd_send_signal(handle, Signal::KILL)
}

#[cfg(not(target_os = "linux"))]
fn kill_through(_: &OwnedFd) -> rustix::io::Result<()> {
    Ok(())
}

fn has_ended(handle: &OwnedFd) -> bool {
    let mut ends = [PollFd::new(handle, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    !matches!(poll(&mut ends, Some(&now)), Ok(0))
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::process::Pid;
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    /// Children belong to the thread that forked them.
    pub(super) fn children(parent: Pid) -> Vec<Pid> {
        let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else {
            return Vec::new();
        };
        let mut children = Vec::new();
        for thread in threads.flatten() {
            match fs::read_to_string(thread.path().join("children")) {
                Ok(list) => children.extend(list.split_whitespace().filter_map(pid)),
                // The thread is gone, or the kernel keeps no such lists.
                Err(_) if thread.path().exists() => return children_by_parent(parent),
                Err(_) => {}
            }
        }
        children
    }

    /// Asks every process for its parent, where the kernel was built without lists of children.
    fn children_by_parent(parent: Pid) -> Vec<Pid> {
        let Ok(processes) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        let names = processes.flatten().map(|entry| entry.file_name());
        let processes = names.filter_map(|name| pid(name.to_str()?));
        processes.filter(|process| self::parent(*process) == Some(parent)).collect()
    }

    pub(super) fn parent(process: Pid) -> Option<Pid> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // Its name may hold anything, and ends with the last bracket.
        let (_, fields) = stat.rsplit_once(')')?;
        pid(fields.split_whitespace().nth(1)?)
    }

    pub(super) fn threads(user: u32) -> u64 {
        let Ok(processes) = fs::read_dir("/proc") else {
            return 0;
        };
        let own = processes.flatten().filter(|process| {
            let is_process = process.file_name().to_str().and_then(pid).is_some();
            is_process && process.metadata().is_ok_and(|found| found.uid() == user)
        });
        let threads = own.filter_map(|process| {
            let status = fs::read_to_string(process.path().join("status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("Threads:"))?;
            line.trim().parse::<u64>().ok()
        });
        threads.sum()
    }

    fn pid(text: &str) -> Option<Pid> {
        Pid::from_raw(text.parse().ok()?)
    }

    /// Memory of its own, in RAM or swapped out; files that it has mapped are not counted.
    pub(super) fn resident(process: Pid) -> u64 {
        let status = fs::read_to_string(format!("/proc/{process}/status"));
        sum(&status.unwrap_or_default(), &["RssAnon:", "RssShmem:", "VmSwap:"])
    }

    /// The same, each page divided by the number of processes that share it.
    pub(super) fn proportional(process: Pid) -> u64 {
        match fs::read_to_string(format!("/proc/{process}/smaps_rollup")) {
            Ok(rollup) if rollup.contains("Pss_Anon:") => {
                sum(&rollup, &["Pss_Anon:", "Pss_Shmem:", "SwapPss:"])
            }
            // Not this kernel, or a process of another user.
            _ => resident(process),
        }
    }

    fn sum(lines: &str, names: &[&str]) -> u64 {
        let kilobytes = lines.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            let is_wanted = names.contains(&words.next()?);
            is_wanted.then(|| words.next()?.parse::<u64>().ok())?
        });
        kilobytes.sum::<u64>() << 10
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::process::Command;

        #[test]
        fn both_ways_find_the_same_children() {
            let mut child = Command::new("sleep").arg("60").spawn().unwrap();
            let pid = Pid::from_child(&child);
            let own = rustix::process::getpid();
            assert!(children(own).contains(&pid));
            assert!(children_by_parent(own).contains(&pid));
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(!children(own).contains(&pid));
        }

        #[test]
        fn memory_is_measured() {
            let own = rustix::process::getpid();
            let before = resident(own);
            let held = vec![1_u8; 64 << 20];
            let (more, shared) = (resident(own), proportional(own));
            drop(std::hint::black_box(held));
            assert!(more >= before + (60 << 20), "{before} {more}");
            assert!(shared >= 60 << 20, "{shared}");
        }
    }
}

/// Nothing shows the processes of others here: of a command, only its group is known.
#[cfg(not(target_os = "linux"))]
mod system {
    use rustix::process::Pid;

    pub(super) fn children(_: Pid) -> Vec<Pid> {
        Vec::new()
    }

    pub(super) fn parent(_: Pid) -> Option<Pid> {
        None
    }

    pub(super) fn threads(_: u32) -> u64 {
        0
    }

    pub(super) fn resident(_: Pid) -> u64 {
        0
    }

    pub(super) fn proportional(_: Pid) -> u64 {
        0
    }
}
