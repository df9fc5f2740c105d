//! What `larkspur test` can be asked for.

use super::Coverage;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
#[derive(Debug, Args, Default)]
#[command(after_help = "\
Examples:
  larkspur test                              every test in the folders
  larkspur test modules/github               those of a folder; a file works as well
  larkspur test -k notes_test                those with this in `file::test`
  larkspur test -j 4 --fail-fast             four at once, until one fails
  larkspur test --update                     keep what testing.snapshot sees now
  larkspur test --watch                      again whenever a file changes
  larkspur test --coverage                   with the lines that no test runs
  larkspur test --coverage-min 90            fail if they are more than a tenth
  larkspur test -k tokens_of --tokens        what calls cost, against what others sent
  larkspur test --format junit > junit.xml   for a build server
  larkspur test --live                       with the network, larkspur.toml and the environment
  larkspur test --record -k test_stock       once with the network, then without: see __recordings__

A test reaches no network, unless it plays the server with t.http.on, or the run is --live.
Where the environment has CI, a snapshot that is missing is a failure, and nothing is written.
Exit code: 0 all passed, 1 some failed, or too few lines ran")]
pub(crate) struct Test {
    /// Folders and files whose tests are run, and whose lines are counted [default: all]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Only tests with this in `file::test`
    #[arg(short = 'k', value_name = "PART")]
    pub(crate) filter: Option<String>,

    /// How many run at once; one after the other without it
    #[arg(short = 'j', long = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,

    /// Stop at the first failure
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// How long one test may take, such as 500ms or 2m [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) timeout: Option<Duration>,

    /// Keep what snapshots are now, and remove those that no test asks for
    #[arg(long)]
    pub(crate) update: bool,

    #[command(flatten)]
    pub(crate) reach: Reach,

    #[command(flatten)]
    pub(crate) coverage: Coverage,

    /// Tell what each test's one call costs a model, as a table in Markdown, or in --format json
    #[arg(long, conflicts_with = "watch")]
    pub(crate) tokens: bool,

    /// Run again whenever a file changes, those tests that the change reaches; ctrl-c ends it
    #[arg(long)]
    pub(crate) watch: bool,

    /// How the run is told
    #[arg(long, value_enum, default_value_t = TestFormat::Pretty)]
    pub(crate) format: TestFormat,
}

/// How far tests reach.
#[derive(Debug, Args, Default)]
pub(crate) struct Reach {
    /// Let requests out that no fake answers, and configure modules as when they are served
    #[arg(long)]
    pub(crate) live: bool,

    /// Let them out once and keep what is answered, for runs without the network; -k says whose
    #[arg(long, conflicts_with = "live")]
    pub(crate) record: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub(crate) enum TestFormat {
    #[default]
    Pretty,
    Json,
    /// XML, as build servers read it
    Junit,
    /// Refused: version 0.1 had it
    #[value(hide = true)]
    Tap,
}

fn time(text: &str) -> Result<Duration, String> {
    match model::parse_duration(text) {
        Ok(Duration::ZERO) => Err("no test ends in no time".to_owned()),
        parsed => parsed,
    }
}
