//! `larkspur doctor`: what is found, what is missing, what to do.

use crate::args::{Doctor, Global};
use crate::doctor::{self, Finding, Mark};
use crate::terminal::{BAD, DIM, GOOD, STRONG, WARN, count, print, say, styled};
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, args: &Doctor) -> anyhow::Result<ExitCode> {
    let findings = doctor::examine(global);
    let number = |mark: Mark| findings.iter().filter(|found| found.mark == mark).count();
    let (problems, warnings) = (number(Mark::Problem), number(Mark::Warning));
    let all = || json!({"findings": findings, "problems": problems, "warnings": warnings});
    print(args.format, all, || {
        show(&findings);
        say(&format!("{}, {}", count(problems, "problem"), count(warnings, "warning")));
    })?;
    Ok(ExitCode::from(u8::from(problems > 0)))
}

fn show(findings: &[Finding]) {
    let mut area = "";
    for finding in findings {
        if finding.area != area {
            area = finding.area;
            say(&styled(STRONG, area));
        }
        let mark = match finding.mark {
            Mark::Ok => styled(GOOD, "✓"),
            Mark::Warning => styled(WARN, "!"),
            Mark::Problem => styled(BAD, "✗"),
        };
        say(&format!("  {mark} {}", finding.what.replace('\n', "\n    ")));
        if let Some(fix) = &finding.fix {
            say(&styled(DIM, format!("    → {fix}")));
        }
    }
}
