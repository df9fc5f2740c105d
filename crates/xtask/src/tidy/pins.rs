//! Crates that promise no stability between releases are pinned to one version, and actions of workflows to one commit.

use crate::workspace::{Package, Source};

const PINNED: [&str; 4] = ["starlark", "starlark_syntax", "rmcp", "toon-format"];

pub(super) fn problems(packages: &[Package]) -> Vec<String> {
    packages.iter().flat_map(problems_of).collect()
}

fn problems_of(package: &Package) -> Vec<String> {
    let pinned = package.dependencies.iter().filter(|to| PINNED.contains(&to.name.as_str()));
    pinned
        .filter(|to| !to.req.starts_with('='))
        .map(|to| format!("`{}` asks for {} {}, not one version", package.name, to.name, to.req))
        .collect()
}

/// Actions that a workflow names by a tag, which their authors can move.
pub(super) fn unpinned_actions(sources: &[Source]) -> Vec<String> {
    let workflows = sources.iter().filter(|source| source.path.starts_with(".github/workflows/"));
    workflows.flat_map(unpinned_actions_of).collect()
}

fn unpinned_actions_of(workflow: &Source) -> Vec<String> {
    let uses = workflow.text.lines().filter_map(|line| {
        let step = line.trim_start().trim_start_matches("- ");
        step.strip_prefix("uses: ")
    });
    uses.filter(|action| !is_pinned(action))
        .map(|action| format!("{}: pin {action} to a commit", workflow.path))
        .collect()
}

/// Whether it is `owner/name@COMMIT # version`.
fn is_pinned(action: &str) -> bool {
    let pinned = action.split_once('@').and_then(|(_, at)| at.split_once(" # v"));
    pinned.is_some_and(|(commit, _)| {
        commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::{package, source};

    #[test]
    fn an_action_without_a_commit_is_named() {
        let pinned = "- uses: actions/cache@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5\n";
        let loose = "- name: x\n  uses: actions/cache@v5\n- uses: actions/cache@27d5ce7\n";
        let sources = [
            source(".github/workflows/ci.yml", &format!("{pinned}{loose}")),
            source("book/ci.yml", loose),
        ];
        assert_eq!(
            unpinned_actions(&sources),
            [
                ".github/workflows/ci.yml: pin actions/cache@v5 to a commit",
                ".github/workflows/ci.yml: pin actions/cache@27d5ce7 to a commit"
            ]
        );
    }

    #[test]
    fn a_loose_version_is_named() {
        let packages = [
            package("script", &["starlark@=0.14.2", "serde@^1"]),
            package("server", &["rmcp@^3.8.0"]),
        ];
        assert_eq!(problems(&packages), ["`server` asks for rmcp ^3.8.0, not one version"]);
    }
}
