//! Memory of this process, and how much it may have, as Linux tells it; elsewhere it is not known.
#![expect(
    clippy::disallowed_methods,
    reason = "these files belong to the system, not to anybody's folder"
)]

use std::path::Path;

/// Bytes of memory that are in use now.
pub(super) fn resident() -> Option<u64> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    size(&read("/proc/self/status")?, "VmRSS:")
}

/// Bytes of memory that the process may have: the machine's, or less in a container.
pub(super) fn available() -> Option<u64> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    least(&read)
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(Path::new(path)).ok()
}

fn least(read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    let machine = read("/proc/meminfo").and_then(|text| size(&text, "MemTotal:"));
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let limits = groups.lines().flat_map(|line| group_limits(line, read));
    limits.chain(machine).min()
}

/// Bytes of a line such as `MemTotal:  16384000 kB`.
fn size(text: &str, name: &str) -> Option<u64> {
    let amount = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = amount.split_ascii_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Limits of a control group and of all above it: `0::/a/b` (version 2) or `4:memory:/a/b` (version 1).
fn group_limits(line: &str, read: &dyn Fn(&str) -> Option<String>) -> Vec<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
        return Vec::new();
    };
    let (root, file) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max"),
        some if some.split(',').any(|one| one == "memory") => {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        }
        _ => return Vec::new(),
    };
    let folders = Path::new(path.trim_start_matches('/')).ancestors();
    let files = folders.map(|folder| Path::new(root).join(folder).join(file));
    // `max` is no number: there is no limit.
    let limit = |file: std::path::PathBuf| read(file.to_str()?)?.trim().parse().ok();
    files.filter_map(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths and contents of files.
    type Files = [(&'static str, &'static str)];

    /// The least limit with these files.
    fn with(files: &Files) -> Option<u64> {
        least(&|path| {
            let found = files.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).to_owned())
        })
    }

    const MEMINFO: (&str, &str) = ("/proc/meminfo", "MemTotal:       4096 kB\nMemFree: 1 kB\n");

    #[test]
    fn least_limit_counts() {
        let group = "/proc/self/cgroup";
        let cases: [(&Files, Option<u64>); 6] = [
            (&[], None),
            (&[MEMINFO], Some(4096 << 10)),
            (
                &[
                    MEMINFO,
                    (group, "0::/a/b\n"),
                    ("/sys/fs/cgroup/a/b/memory.max", "max\n"),
                    ("/sys/fs/cgroup/a/memory.max", "1000000\n"),
                ],
                Some(1_000_000),
            ),
            (
                &[MEMINFO, (group, "0::/\n"), ("/sys/fs/cgroup/memory.max", "2000000\n")],
                Some(2_000_000),
            ),
            (
                &[
                    MEMINFO,
                    (group, "9:cpu:/x\n4:hugetlb,memory:/c\n"),
                    ("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "3000000\n"),
                    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ],
                Some(3_000_000),
            ),
            (&[MEMINFO, (group, "nonsense\n0::/gone\n")], Some(4096 << 10)),
        ];
        for (files, expected) in cases {
            assert_eq!(with(files), expected, "{files:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_size() {
        let (used, most) = (resident().unwrap(), available().unwrap());
        assert!(used > 100_000 && used < most, "{used} of {most}");
    }
}
