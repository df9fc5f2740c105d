//! House rules that no compiler knows, each a function from data to a list of problems.

mod call_path;
mod escapes;
#[cfg(test)]
mod escapes_tests;
mod map;
mod names;
mod openings;
mod paths;
mod pins;

use anyhow::Result;

use crate::workspace::Workspace;

pub(crate) fn problems(workspace: &Workspace) -> Result<Vec<String>> {
    let sources = workspace.sources()?;
    let checks = [
        openings::problems(&sources),
        names::problems(&sources),
        map::problems(&sources),
        call_path::problems(&sources),
        paths::problems(&sources),
        escapes::problems(&sources),
        pins::problems(&workspace.packages),
        pins::unpinned_actions(&sources),
    ];
    Ok(checks.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let problems = problems(&Workspace::read().unwrap()).unwrap();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}
