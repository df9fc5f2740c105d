//! Programs that the tests take from the system, and how Debian's package manager installs missing ones.

use anyhow::{Context, Result};

use crate::command::{self, answers};

/// A program that tests start, as people know it and as Debian packages it.
pub(super) struct SystemProgram {
    pub(super) name: &'static str,
    packages: &'static [&'static str],
    is_present: fn() -> bool,
}

pub(super) const PROGRAMS: [SystemProgram; 5] = [
    SystemProgram {
        name: "PostgreSQL (initdb, postgres)",
        packages: &["postgresql"],
        is_present: || ["initdb", "postgres"].into_iter().all(is_found),
    },
    SystemProgram { name: "openssl", packages: &["openssl"], is_present: || is_found("openssl") },
    SystemProgram { name: "curl", packages: &["curl"], is_present: || is_found("curl") },
    SystemProgram {
        name: "python3 with venv",
        packages: &["python3", "python3-venv"],
        is_present: || answers("python3", &["-c", "import venv, ensurepip"]),
    },
    SystemProgram {
        name: "npm",
        packages: &["npm"],
        is_present: || answers("npm", &["--version"]),
    },
];

impl SystemProgram {
    pub(super) fn is_present(&self) -> bool {
        (self.is_present)()
    }
}

/// Whether a program is in `PATH`, or where Debian keeps the programs of each `PostgreSQL` version.
fn is_found(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = std::fs::read_dir("/usr/lib/postgresql");
    let versions = versions.into_iter().flatten().flatten();
    let debian = versions.map(|version| version.path().join("bin"));
    let mut folders = std::env::split_paths(&path).chain(debian);
    folders.any(|folder| folder.join(name).is_file())
}

/// Debian's package manager, started as root or through `sudo`.
pub(crate) struct Apt {
    prefix: &'static [&'static str],
}

impl Apt {
    /// `None` where there is no `apt-get`, or neither root nor `sudo`.
    pub(crate) fn find() -> Option<Self> {
        if !answers("apt-get", &["--version"]) {
            return None;
        }
        let id = command::output(".", "id", &["-u"]).ok()?;
        let prefix: &[&str] = match id.trim_ascii() {
            b"0" => &[],
            _ if answers("sudo", &["--version"]) => &["sudo"],
            _ => return None,
        };
        Some(Self { prefix })
    }

    /// Two commands, each as its words: they install packages and upgrade none of these.
    fn commands(&self, packages: &[&'static str]) -> [Vec<&'static str>; 2] {
        let quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet=2"];
        let apt = [self.prefix, &quiet].concat();
        let options = ["--yes", "--no-upgrade", "--no-install-recommends"];
        [[&apt[..], &["update"]].concat(), [&apt[..], &["install"], &options, packages].concat()]
    }

    /// The commands as one would type them.
    pub(super) fn lines(&self, packages: &[&'static str]) -> [String; 2] {
        self.commands(packages).map(|words| words.join(" "))
    }

    pub(crate) fn install(&self, packages: &[&'static str]) -> Result<()> {
        for words in self.commands(packages) {
            let (program, args) = words.split_first().context("empty command")?;
            command::run(".", program, args)?;
        }
        Ok(())
    }
}

/// Debian's packages with these programs.
pub(super) fn packages(programs: &[&SystemProgram]) -> Vec<&'static str> {
    let packages = programs.iter().flat_map(|program| program.packages);
    packages.copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Apt {
        pub(in crate::tools) fn with_sudo() -> Self {
            Self { prefix: &["sudo"] }
        }
    }

    #[test]
    fn nothing_that_is_installed_is_upgraded() {
        let quiet = "env DEBIAN_FRONTEND=noninteractive apt-get --quiet=2";
        let options = "--yes --no-upgrade --no-install-recommends";
        for (prefix, start) in [(&[][..], ""), (&["sudo"], "sudo ")] {
            let lines = Apt { prefix }.lines(&["npm", "openssl"]);
            let expected = [
                format!("{start}{quiet} update"),
                format!("{start}{quiet} install {options} npm openssl"),
            ];
            assert_eq!(lines, expected);
        }
    }

    #[test]
    fn only_missing_programs_are_installed() {
        let missing = [&PROGRAMS[0], &PROGRAMS[3]];
        assert_eq!(packages(&missing), ["postgresql", "python3", "python3-venv"]);
    }

    #[test]
    fn programs_are_looked_for_in_path() {
        assert!(is_found("sh"));
        assert!(!is_found("no-such-program"));
    }
}
