//! Thread priority: calls give way to the threads that serve. Linux has a nice value per thread; other
//! systems keep all threads equal.

/// Added to the nice value of threads that run calls or parse large messages.
#[cfg(target_os = "linux")]
const LOWER: i32 = 10;

/// Lowers the priority of the calling thread for good; it stays as it is if the system refuses.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Ok(nice) = rustix::process::getpriority_process(None) {
        let _ = rustix::process::setpriority_process(None, nice.saturating_add(LOWER));
    }
}
