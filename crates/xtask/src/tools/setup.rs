//! What the tests need and cargo does not bring: its state on this machine, and how to complete it.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::system::{PROGRAMS, SystemProgram, packages};
use super::{Apt, Kit, folder, node, python};
use crate::deny;
use crate::workspace::Workspace;

pub(crate) struct Setup {
    tools: PathBuf,
    present: Vec<String>,
    missing_programs: Vec<&'static SystemProgram>,
    missing_kits: Vec<Kit>,
    apt: Option<Apt>,
}

impl Setup {
    pub(crate) fn inspect(workspace: &Workspace) -> Self {
        let tools = folder(workspace);
        let (programs, missing_programs): (Vec<_>, Vec<_>) =
            PROGRAMS.iter().partition(|program| program.is_present());
        let kits = [Some(python::kit()), Some(node::kit()), deny::kit()];
        let (kits, missing_kits): (Vec<_>, Vec<_>) =
            kits.into_iter().flatten().partition(|kit| kit.is_present(&tools));
        let programs = programs.iter().map(|program| program.name.to_owned());
        Self {
            tools,
            present: programs.chain(kits.iter().map(Kit::place)).collect(),
            missing_programs,
            missing_kits,
            apt: Apt::find(),
        }
    }

    /// Installs what is missing, or fails and names it.
    pub(crate) fn complete(&self, install: bool) -> Result<()> {
        let missing = self.missing();
        ensure!(
            install || missing.is_empty(),
            "missing: {}; the same command without --no-install installs it",
            missing.join(", ")
        );
        self.install_programs()?;
        for kit in &self.missing_kits {
            println!("installing {}", kit.place());
            kit.install(&self.tools)?;
        }
        Ok(())
    }

    fn install_programs(&self) -> Result<()> {
        if self.missing_programs.is_empty() {
            return Ok(());
        }
        let (names, packages) = (names(&self.missing_programs), packages(&self.missing_programs));
        let apt = self.apt.as_ref().with_context(|| {
            format!(
                "missing: {names}; cannot install it: that needs apt-get, and root or sudo; \
                 install it with your package manager (Debian packages: {}), then run this again",
                packages.join(" ")
            )
        })?;
        apt.install(&packages).with_context(|| format!("cannot install {names}"))?;
        let absent = self.missing_programs.iter().copied().filter(|program| !program.is_present());
        let absent: Vec<&SystemProgram> = absent.collect();
        ensure!(
            absent.is_empty(),
            "apt-get succeeded, but this is still missing from PATH: {}",
            self::names(&absent)
        );
        Ok(())
    }

    fn missing(&self) -> Vec<String> {
        let programs = self.missing_programs.iter().map(|program| program.name.to_owned());
        programs.chain(self.missing_kits.iter().map(Kit::place)).collect()
    }

    /// The commands that would install what is missing.
    fn commands(&self) -> Vec<String> {
        let mut commands = Vec::new();
        if let Some(apt) = self.apt.as_ref().filter(|_| !self.missing_programs.is_empty()) {
            commands.extend(apt.lines(&packages(&self.missing_programs)));
        }
        let kits = self.missing_kits.iter();
        commands.extend(kits.map(|kit| format!("{} (in {})", kit.command, kit.place())));
        commands
    }
}

fn names(programs: &[&SystemProgram]) -> String {
    let names: Vec<&str> = programs.iter().map(|program| program.name).collect();
    names.join(", ")
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "set-up:")?;
        for name in &self.present {
            writeln!(f, "  present  {name}")?;
        }
        for name in self.missing() {
            writeln!(f, "  missing  {name}")?;
        }
        let commands = self.commands();
        if !commands.is_empty() {
            writeln!(f, "installed by:")?;
        }
        for command in commands {
            writeln!(f, "  {command}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    /// A machine without python3 and npm, and without the kit `js`.
    fn incomplete(apt: Option<Apt>) -> Setup {
        Setup {
            tools: PathBuf::from("no/such/folder"),
            present: vec!["openssl".to_owned()],
            missing_programs: vec![&PROGRAMS[3], &PROGRAMS[4]],
            missing_kits: vec![Kit {
                name: "js".to_owned(),
                packages: vec!["a@1".to_owned()],
                command: "npm install a@1".to_owned(),
                install: Box::new(|_| bail!("nothing may be installed")),
            }],
            apt,
        }
    }

    #[test]
    fn the_plan_names_what_is_missing_and_the_commands() {
        let plan = "\
set-up:
  present  openssl
  missing  python3 with venv
  missing  npm
  missing  target/tools/js
installed by:
  sudo env DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 update
  sudo env DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 install --yes --no-upgrade \
--no-install-recommends python3 python3-venv npm
  npm install a@1 (in target/tools/js)
";
        assert_eq!(incomplete(Some(Apt::with_sudo())).to_string(), plan);
    }

    #[test]
    fn no_install_lists_what_is_missing() {
        let error = incomplete(Some(Apt::with_sudo())).complete(false).unwrap_err();
        assert_eq!(
            error.to_string(),
            "missing: python3 with venv, npm, target/tools/js; the same command without --no-install installs it"
        );
    }

    #[test]
    fn without_apt_the_programs_to_install_are_named() {
        let setup = incomplete(None);
        assert!(!setup.to_string().contains("apt-get"));
        assert_eq!(
            setup.complete(true).unwrap_err().to_string(),
            "missing: python3 with venv, npm; cannot install it: that needs apt-get, and root or sudo; \
             install it with your package manager (Debian packages: python3 python3-venv npm), then run this again"
        );
    }

    #[test]
    fn a_complete_machine_is_left_alone() {
        let setup =
            Setup { missing_programs: Vec::new(), missing_kits: Vec::new(), ..incomplete(None) };
        assert_eq!(setup.to_string(), "set-up:\n  present  openssl\n");
        setup.complete(false).unwrap();
        setup.complete(true).unwrap();
    }
}
