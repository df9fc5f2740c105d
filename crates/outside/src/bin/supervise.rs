//! A launcher of commands for the tests of this crate: the product is its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    sandbox::run_launcher().unwrap_or(ExitCode::FAILURE)
}
