//! Checks that are known to fail for now. The list is exact, so it can only shrink.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::checks::Scenario;

/// Lines of `REVISION SCENARIO CHECK`.
pub(super) struct Expected(BTreeSet<[String; 3]>);

impl Expected {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path);
        Self::parse(&text.with_context(|| format!("cannot read {}", path.display()))?)
    }

    fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut all = BTreeSet::new();
        for line in lines {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let Ok(words) = <[String; 3]>::try_from(words) else {
                bail!("`{line}` is not REVISION SCENARIO CHECK");
            };
            all.insert(words);
        }
        Ok(Self(all))
    }

    /// What failed though it is not listed, and what is listed though it does not fail.
    pub(super) fn compare(&self, revision: &str, scenarios: &[Scenario]) -> Vec<String> {
        let failed: BTreeSet<[String; 3]> = scenarios
            .iter()
            .flat_map(|scenario| {
                let ids = scenario.failed.keys();
                ids.map(|id| [revision.to_owned(), scenario.name.clone(), id.clone()])
            })
            .collect();
        let new = failed.difference(&self.0);
        let new = new.map(|check| format!("failed: {}", check.join(" ")));
        let ours = self.0.iter().filter(|[of, _, _]| of == revision);
        let gone = ours.filter(|check| !failed.contains(*check));
        let gone = gone.map(|check| {
            let check = check.join(" ");
            format!("no longer fails, so it must leave expected.txt: {check}")
        });
        new.chain(gone).collect()
    }

    /// Lines about revisions that nobody runs.
    pub(super) fn of_others(&self, revisions: &[&str]) -> Vec<String> {
        let others = self
            .0
            .iter()
            .filter(|[of, _, _]| !revisions.contains(&of.as_str()));
        let others = others.map(|check| format!("nobody runs: {}", check.join(" ")));
        others.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(name: &str, failed: &[&str]) -> Scenario {
        let failed = failed.iter().map(|id| ((*id).to_owned(), String::new()));
        Scenario {
            name: name.into(),
            passed: 1,
            failed: failed.collect(),
        }
    }

    #[test]
    fn the_list_must_be_exact() {
        let expected = Expected::parse("# known\n\nnow a one\nnow a two\nold b three\n").unwrap();
        let compare = |failed: &[&str]| expected.compare("now", &[scenario("a", failed)]);
        assert_eq!(compare(&["one", "two"]), Vec::<String>::new());
        assert_eq!(compare(&["one", "two", "four"]), ["failed: now a four"]);
        assert_eq!(
            compare(&["two"]),
            ["no longer fails, so it must leave expected.txt: now a one"]
        );
        assert_eq!(expected.of_others(&["now"]), ["nobody runs: old b three"]);
    }

    #[test]
    fn a_line_that_is_none_is_shown() {
        let error = Expected::parse("now a").err().unwrap().to_string();
        assert_eq!(error, "`now a` is not REVISION SCENARIO CHECK");
    }
}
