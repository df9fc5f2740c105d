//! Other programs.

use model::{ExecRequest, ExecResult, HostError, Leash, Surroundings};

pub(crate) fn run(
    request: &ExecRequest,
    surroundings: &Surroundings,
    leash: &Leash,
) -> Result<ExecResult, HostError> {
    let _ = (surroundings, leash);
    Err(HostError(format!("`{}` cannot be run", request.command)))
}
