//! What the suite found out, as it writes it down: a folder with `checks.json` a scenario.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

#[derive(Debug, PartialEq)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) passed: usize,
    /// Checks by their id, with what was wrong.
    pub(super) failed: BTreeMap<String, String>,
}

impl Scenario {
    pub(super) fn read_all(results: &Path) -> Result<Vec<Self>> {
        let folders = fs::read_dir(results)
            .with_context(|| format!("the suite left nothing in {}", results.display()))?;
        let mut scenarios = Vec::new();
        for folder in folders {
            let folder = folder?;
            let name = folder.file_name().to_string_lossy().into_owned();
            let text = fs::read_to_string(folder.path().join("checks.json"))
                .with_context(|| format!("scenario {name} did not come to its end"))?;
            scenarios.push(Self::read(scenario(&name), &text)?);
        }
        scenarios.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(scenarios)
    }

    /// A warning is about something that a server should do: ours does.
    fn read(name: &str, text: &str) -> Result<Self> {
        let checks: Vec<Value> = serde_json::from_str(text)?;
        let mut scenario = Self { name: name.to_owned(), passed: 0, failed: BTreeMap::new() };
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for check in checks {
            let status = check["status"].as_str();
            match status.with_context(|| format!("a check of {name} has no status"))? {
                "SUCCESS" => scenario.passed += 1,
                "FAILURE" | "WARNING" => {
                    let (id, why) = (word(&check["id"]), word(&check["errorMessage"]));
                    scenario.failed.insert(id, why);
                }
                _ => {}
            }
        }
        Ok(scenario)
    }
}

/// A folder is called `server-SCENARIO-TIME`, and the time begins with the year.
fn scenario(folder: &str) -> &str {
    let name = folder.strip_prefix("server-").unwrap_or(folder);
    match name.rfind('T').and_then(|time| name[..time].rfind("-20")) {
        Some(end) => &name[..end],
        None => name,
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = self.failed.iter();
        let failed: Vec<String> = failed.map(|(id, why)| format!("{id}: {why}")).collect();
        write!(f, "{} failed: {}", self.name, failed.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_says_its_scenario() {
        let cases = [
            ("server-tools-list-2026-11-16T04-51-49-879Z", "tools-list"),
            ("server-json-schema-2020-12-2026-11-16T04-51-49-879Z", "json-schema-2020-12"),
            ("server-server-stateless-2026-11-16T04-51-49-879Z", "server-stateless"),
        ];
        for (folder, expected) in cases {
            assert_eq!(scenario(folder), expected);
        }
    }

    #[test]
    fn warnings_are_failures_and_the_rest_is_told_apart() {
        let text = r#"[
            {"id": "a", "status": "SUCCESS"}, {"id": "b", "status": "INFO"},
            {"id": "c", "status": "SKIPPED"}, {"id": "d", "status": "FAILURE", "errorMessage": "no"},
            {"id": "e", "status": "WARNING"}, {"id": "d", "status": "SUCCESS"}]"#;
        let read = Scenario::read("it", text).unwrap();
        assert_eq!(read.passed, 2);
        assert_eq!(read.to_string(), "it failed: d: no; e: ");
    }
}
