//! What is found, what is missing, and what to do about it; each area looks at one thing.

mod installed;
mod modules;
mod needs;
mod places;
mod project;

use crate::args::Global;
use crate::compose;
use serde::Serialize;

/// How well one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mark {
    Ok,
    /// It works, and may not be what was meant.
    Warning,
    /// Something will not work.
    Problem,
}

#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    pub(crate) area: &'static str,
    pub(crate) mark: Mark,
    pub(crate) what: String,
    /// What to do, where there is something to do.
    pub(crate) fix: Option<String>,
}

/// Findings of one area, as they are made.
struct Notes {
    area: &'static str,
    findings: Vec<Finding>,
}

impl Notes {
    fn of(area: &'static str) -> Self {
        let findings = Vec::new();
        Self { area, findings }
    }

    fn ok(&mut self, what: impl Into<String>) {
        self.add(Mark::Ok, what.into(), None);
    }

    /// Fine as it is, and more can be done.
    fn hint(&mut self, what: impl Into<String>, fix: impl Into<String>) {
        self.add(Mark::Ok, what.into(), Some(fix.into()));
    }

    fn warning(&mut self, what: impl Into<String>, fix: Option<String>) {
        self.add(Mark::Warning, what.into(), fix);
    }

    fn problem(&mut self, what: impl Into<String>, fix: Option<String>) {
        self.add(Mark::Problem, what.into(), fix);
    }

    fn add(&mut self, mark: Mark, what: String, fix: Option<String>) {
        let area = self.area;
        self.findings.push(Finding { area, mark, what, fix });
    }
}

/// Looks at everything, and starts nothing.
pub(crate) fn examine(global: &Global) -> Vec<Finding> {
    let mut all = vec![project::program(), project::file(global)];
    // Without a project's file that can be read nobody knows what else holds.
    if let (Ok(project), Ok(runtime)) = (compose::project(global), compose::look_anyway(global)) {
        let survey = runtime.survey();
        all.extend(modules::findings(&runtime, &survey));
        all.push(places::trust(&survey, &project));
        all.push(needs::findings(&survey, &project));
        all.push(places::data(global, &project));
        all.push(places::audit(&project));
        all.push(places::issuers(&project));
        all.push(places::port(global, &project));
    }
    all.push(installed::findings());
    all.into_iter().flat_map(|notes| notes.findings).collect()
}
