//! What `larkspur test` is asked about lines that run.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Clone, Args, Default)]
pub(crate) struct Coverage {
    /// Tell which lines of the modules ran, file by file, and which did not
    #[arg(long = "coverage")]
    shown: bool,

    /// Write the same for genhtml and build servers; implies --coverage
    #[arg(long = "coverage-lcov", value_name = "FILE")]
    pub(crate) lcov: Option<PathBuf>,

    /// Fail if less than so many percent of all lines ran; implies --coverage
    #[arg(long = "coverage-min", value_name = "PERCENT", value_parser = percent)]
    pub(crate) min: Option<f64>,
}

impl Coverage {
    pub(crate) fn is_wanted(&self) -> bool {
        self.shown || self.lcov.is_some() || self.min.is_some()
    }
}

fn percent(typed: &str) -> Result<f64, String> {
    let number = typed.trim_end_matches('%').trim().parse::<f64>();
    number
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| "a number from 0 to 100".to_owned())
}
