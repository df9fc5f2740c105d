//! Thread priority: calls and large messages give way to the threads that serve. Linux has a nice value per
//! thread; other systems keep all threads equal.

/// Added to the nice value of threads that run calls. A thread begins with the nice value of the one that starts
/// it: one that a thread for large messages starts for a call has the lowest priority, too.
const CALLS: i32 = 10;
/// Added to the nice value of threads that parse large messages or work in the background. A serving thread that
/// has just woken waits for the end of their time slice, several milliseconds, if it has had more than its part
/// of the core: that is 68 times theirs here, and 9 times for calls. No call comes after them, so that
/// parsed messages do not pile up.
const BACKGROUND: i32 = 19;

/// Lowers the priority of the calling thread, which runs calls, for good.
pub(crate) fn lower_priority_for_calls() {
    lower(CALLS);
}

/// Lowers the priority of the calling thread, which parses large messages or works in the background, for good.
pub fn lower_priority() {
    lower(BACKGROUND);
}

/// It stays as it is if the system refuses.
fn lower(by: i32) {
    #[cfg(target_os = "linux")]
    if let Ok(nice) = rustix::process::getpriority_process(None) {
        let _ = rustix::process::setpriority_process(None, nice.saturating_add(by).min(19));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = by;
}
