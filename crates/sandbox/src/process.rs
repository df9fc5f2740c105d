//! System calls that Rust cannot check, each with the reason why it is sound here.
#![expect(unsafe_code, reason = "this is the file for what has no safe interface")]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Which of the two processes this is.
pub(crate) enum Forked {
    Parent,
    Child,
}

/// Call it in a process with one thread only.
pub(crate) fn fork() -> io::Result<Forked> {
    // SAFETY: after a fork only the calling thread exists in the child. The launcher has no other,
    // so that no lock is left taken and no data half changed.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        _ => Ok(Forked::Parent),
    }
}

/// Returns large blocks of memory to the system as soon as they are freed. By default the allocator keeps
/// ever larger ones for reuse: resident memory, which decides whether calls have to wait, would stay high
/// after a large call has ended.
///
/// The engine allocates a block of a million bytes for every call: that one is kept, because to map, fault and
/// unmap it took half of the CPU of a small call.
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGE: libc::c_int = 1_280 << 10;
        const KEPT: libc::c_int = 2_048 << 10;
        for (option, bytes) in [(libc::M_MMAP_THRESHOLD, LARGE), (libc::M_TRIM_THRESHOLD, KEPT)] {
            // SAFETY: sets a number of the allocator, which it reads and writes under its own lock.
            unsafe { libc::mallopt(option, bytes) };
        }
    }
}

/// Lets the system reap children that have ended, or keeps them until they are waited for.
pub(crate) fn reap_automatically(automatically: bool) {
    let handling = if automatically { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: neither of the two is a handler, so that no code runs in a signal's context.
    unsafe { libc::signal(libc::SIGCHLD, handling) };
}

/// Closes every descriptor but the first three. Call it before anything was opened.
pub(crate) fn close_inherited() {
    for descriptor in inherited() {
        // SAFETY: this process has just begun and has opened nothing, so that no value in it owns
        // one of them.
        unsafe { libc::close(descriptor) };
    }
}

#[expect(clippy::disallowed_methods, reason = "descriptors are listed as files, and nowhere else")]
fn inherited() -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/dev/fd") else {
        // No list: all that there can be.
        let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let most = most.map_or(1 << 16, |most| most.min(1 << 16));
        return (3..i32::try_from(most).unwrap_or(1 << 16)).collect();
    };
    let numbers = entries.flatten().filter_map(|entry| {
        let name = entry.file_name();
        name.to_str()?.parse().ok()
    });
    // The list itself was one of them, and is closed by now.
    numbers.filter(|number| *number > 2).collect()
}

/// Lets the command lead a session of its own, and die with its supervisor, should that be killed
/// itself.
pub(crate) fn set_apart(command: &mut Command) {
    let apart = || {
        rustix::process::setsid()?;
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        Ok(())
    };
    // SAFETY: between fork and exec these are two system calls, which take no lock and no memory.
    unsafe { command.pre_exec(apart) };
}
