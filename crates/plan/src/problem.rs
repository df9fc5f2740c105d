//! Why a plan was refused: everything that is wrong with it, in one report.

use super::cursor::Slip;
use std::fmt;

/// So many are told; whoever mends these sees the rest next time.
const TOLD: usize = 20;

/// One thing wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanProblem {
    /// `` task `search` ``, or `line 3` where it has no name; absent for the plan as a whole.
    pub task: Option<String>,
    /// `params.page_id`.
    pub field: Option<String>,
    /// In the field's text, in characters from one.
    pub column: Option<usize>,
    pub message: String,
}

impl PlanProblem {
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self { task: None, field: None, column: None, message: message.into() }
    }

    pub(super) fn task(task: &str, message: impl Into<String>) -> Self {
        Self { task: Some(task.to_owned()), ..Self::whole(message) }
    }

    pub(super) fn field(task: &str, field: &str, message: impl Into<String>) -> Self {
        Self { field: Some(field.to_owned()), ..Self::task(task, message) }
    }

    pub(super) fn slip(task: &str, field: &str, slip: Slip) -> Self {
        Self { column: Some(slip.column), ..Self::field(task, field, slip.message) }
    }
}

impl fmt::Display for PlanProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(task) = &self.task {
            write!(f, "{task}: ")?;
        }
        match (&self.field, self.column) {
            (Some(field), Some(column)) => write!(f, "`{field}`, column {column}: ")?,
            (Some(field), None) => write!(f, "`{field}` ")?,
            (None, _) => {}
        }
        f.write_str(&self.message)
    }
}

/// A plan of which nothing is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub Vec<PlanProblem>);

impl fmt::Display for Refused {
    /// A line each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().take(TOLD).enumerate() {
            let line = if i == 0 { "" } else { "\n" };
            write!(f, "{line}{problem}")?;
        }
        match self.0.len().saturating_sub(TOLD) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_a_line_for_each_and_an_end() {
        let slip = Slip { column: 3, message: "expected `]`, found `}`".to_owned() };
        let problems = vec![
            PlanProblem::whole("circular dependency detected: a -> b -> a"),
            PlanProblem::task("line 2", "there is no tool `x`"),
            PlanProblem::field("task `a`", "tool", "is required"),
            PlanProblem::slip("task `a`", "params.q[1]", slip),
        ];
        assert_eq!(
            Refused(problems).to_string(),
            "circular dependency detected: a -> b -> a\n\
             line 2: there is no tool `x`\n\
             task `a`: `tool` is required\n\
             task `a`: `params.q[1]`, column 3: expected `]`, found `}`"
        );
        let many = Refused(vec![PlanProblem::whole("no"); 23]).to_string();
        assert_eq!((many.lines().count(), many.lines().last()), (21, Some("and 3 more")));
    }
}
