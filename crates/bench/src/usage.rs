//! What a process has used of CPU and memory, read from `/proc`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// CPU time of a process up to now: exact for the threads that live, in ticks for all there ever were.
pub(super) struct Usage {
    threads: BTreeMap<OsString, Duration>,
    ticks: Duration,
}

/// The kernel shows CPU time in hundredths of a second, whatever its own clock does.
const TICK: Duration = Duration::from_millis(10);

impl Usage {
    pub(super) fn of(pid: u32) -> Result<Self> {
        let mut threads = BTreeMap::new();
        for thread in fs::read_dir(format!("/proc/{pid}/task")).context("the server has ended")? {
            let thread = thread?;
            // A thread may end between the listing and the reading.
            let Ok(text) = fs::read_to_string(thread.path().join("schedstat")) else {
                continue;
            };
            threads.insert(thread.file_name(), on_cpu(&text).context("no times in schedstat")?);
        }
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        Ok(Self { threads, ticks: ticks(&stat).context("no times in stat")? })
    }

    /// CPU time since the process began.
    pub(super) fn total(&self) -> Duration {
        self.threads.values().sum()
    }

    /// CPU time from `before` to this reading. The ticks only speak up when threads that
    /// have ended since took a good part of it with them.
    pub(super) fn since(&self, before: &Self) -> Duration {
        let earlier = |thread| before.threads.get(thread).copied().unwrap_or_default();
        let exact =
            self.threads.iter().map(|(thread, time)| time.saturating_sub(earlier(thread))).sum();
        let coarse = self.ticks.saturating_sub(before.ticks);
        coarse.saturating_sub(2 * TICK).max(exact)
    }
}

/// Resident memory in MB.
pub(super) fn rss(pid: u32) -> Result<f64> {
    let status =
        fs::read_to_string(format!("/proc/{pid}/status")).context("the server has ended")?;
    let kilobytes = field_kb(&status, "VmRSS").context("no VmRSS in status")?;
    Ok(f64::from(kilobytes) / 1024.0)
}

fn on_cpu(schedstat: &str) -> Option<Duration> {
    let nanos = schedstat.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

/// The process's name, in parentheses, may hold spaces and parentheses itself.
fn ticks(stat: &str) -> Option<Duration> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut times = rest.split_whitespace().skip(11);
    let user: u32 = times.next()?.parse().ok()?;
    let system: u32 = times.next()?.parse().ok()?;
    Some(TICK * (user + system))
}

fn field_kb(status: &str, name: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedstat_begins_with_nanoseconds_on_cpu() {
        assert_eq!(on_cpu("351968881 218003 21\n"), Some(Duration::from_nanos(351_968_881)));
        assert_eq!(on_cpu(""), None);
    }

    #[test]
    fn ticks_are_counted_behind_the_name() {
        let stat = "7818 (a) b (c)) R 7813 7813 6074 0 -1 4194304 97 0 0 0 33 1 0 0 20 0 1 0 67092";
        assert_eq!(ticks(stat), Some(Duration::from_millis(340)));
    }

    #[test]
    fn memory_is_found_by_its_whole_name() {
        let status = "VmRSSX:\t 1 kB\nVmHWM:\t 9 kB\nVmRSS:\t    1968 kB\nThreads:\t1\n";
        assert_eq!(field_kb(status, "VmRSS"), Some(1968));
        assert_eq!(field_kb(status, "Vm"), None);
    }

    #[test]
    fn ended_threads_are_not_forgotten() {
        let usage = |threads: &[(&str, u64)], ticks| Usage {
            threads: threads
                .iter()
                .map(|(id, ms)| (OsString::from(id), Duration::from_millis(*ms)))
                .collect(),
            ticks: TICK * ticks,
        };
        let before = usage(&[("1", 10), ("2", 500)], 51);
        let all_alive = usage(&[("1", 15), ("2", 507), ("3", 4)], 53);
        let one_ended = usage(&[("1", 15)], 90);
        assert_eq!(all_alive.since(&before), Duration::from_millis(16));
        assert_eq!(one_ended.since(&before), Duration::from_millis(370));
    }
}
