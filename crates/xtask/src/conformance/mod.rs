//! The protocol's own suite against our binary, which serves the modules in `tests/conformance`.

mod checks;
mod server;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use crate::workspace::Workspace;
use crate::{demo, tools};
use checks::Scenario;
use server::Server;

/// One revision of each era.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    check(workspace, &demo::program(workspace)?)
}

/// Runs the suite against a binary.
pub(crate) fn check(workspace: &Workspace, program: &Path) -> Result<()> {
    tools::install_node(workspace)?;
    let home = workspace.root.join("tests/conformance");
    // Some modules write to files beside them.
    let folder = workspace.root.join("target/conformance");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    copy(&home, &folder)?;
    let server = Server::start(program, &folder)?;
    let mut failed = 0;
    for revision in REVISIONS {
        let scenarios = suite(workspace, &server.url, revision, &folder)?;
        failed += report(revision, &scenarios);
    }
    ensure!(failed == 0, "{failed} scenarios failed");
    Ok(())
}

/// Runs the scenarios of a revision. How they ended is read from what they wrote.
fn suite(workspace: &Workspace, url: &str, revision: &str, folder: &Path) -> Result<Vec<Scenario>> {
    let results = folder.join(revision);
    let output = tools::script(workspace, "conformance")
        .args(["server", "--url", url, "--requirements", revision, "-o"])
        .arg(&results)
        .stdin(Stdio::null())
        .output()
        .context("cannot start the conformance suite")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let log = folder.join(format!("{revision}.log"));
    fs::write(&log, [&output.stdout[..], &output.stderr].concat())?;
    let scenarios = Scenario::read_all(&results)?;
    ensure!(
        announced(&said) == Some(scenarios.len()),
        "the suite did not come to its end: {} tells why",
        log.display()
    );
    Ok(scenarios)
}

/// `Running requirements 2026-07-28 (50 scenarios) against …`
fn announced(said: &str) -> Option<usize> {
    let (before, _) = said.split_once(" scenarios)")?;
    let (_, count) = before.rsplit_once('(')?;
    count.parse().ok()
}

/// Says what failed and how much passed; answers how many scenarios failed, scored or not.
fn report(revision: &str, scenarios: &[Scenario]) -> usize {
    let is_clean = |scenario: &&Scenario| scenario.failed.is_empty();
    for scenario in scenarios.iter().filter(|scenario| !is_clean(scenario)) {
        println!("{revision} {scenario}");
    }
    let passed: usize = scenarios.iter().map(|scenario| scenario.passed).sum();
    let clean = scenarios.iter().filter(is_clean).count();
    println!("{revision}: {clean} of {} scenarios and {passed} checks passed", scenarios.len());
    scenarios.len() - clean
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
