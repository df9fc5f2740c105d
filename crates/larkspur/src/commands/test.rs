//! `larkspur test`, and `-t`: runs `*_test.star`.

use crate::args::{Global, Test};
use crate::compose;
use crate::terminal::{note, say};
use runtime::Folder;
use std::process::ExitCode;
use testing::{Options, Summary};

pub(crate) fn run(global: &Global, test: &Test) -> ExitCode {
    let summary = run_tests(global, test.filter.clone(), &mut |line| say(line));
    if summary.total == 0 {
        let why = match &test.filter {
            Some(part) => format!("no test has `{part}` in its name"),
            None => "there are no tests; they go into files named `*_test.star`".into(),
        };
        note(&why);
    }
    say(&summary.to_string());
    if summary.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    }
}

/// Runs tests and gives every line of the report as it comes.
pub(crate) fn run_tests(
    global: &Global,
    filter: Option<String>,
    line: &mut dyn FnMut(&str),
) -> Summary {
    let folders = compose::folders(global)
        .into_iter()
        .map(Folder::new)
        .collect();
    let options = Options {
        filter,
        ..Options::new(folders)
    };
    testing::run(&options, &mut |event| line(&testing::pretty(&event)))
}
