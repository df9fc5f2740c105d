//! Where a command's program lies: in the first folder of the child's own PATH that has it.

use model::{HostError, Surroundings};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub(super) fn program(command: &str, surroundings: &Surroundings) -> Result<PathBuf, HostError> {
    // Whoever writes a path means that file.
    if command.contains('/') {
        return Ok(surroundings.cwd.join(command));
    }
    let mut env = surroundings.env.iter().rev();
    let Some((_, folders)) = env.find(|(name, _)| name == "PATH") else {
        return Err(HostError(format!("`{command}`: there is no PATH to look for it in")));
    };
    // A relative folder would depend on where the command runs.
    let folders = std::env::split_paths(folders).filter(|folder| folder.is_absolute());
    let mut programs = folders.map(|folder| folder.join(command));
    programs
        .find(|program| is_executable(program))
        .ok_or_else(|| HostError(format!("there is no command `{command}` in the folders of PATH")))
}

fn is_executable(path: &Path) -> bool {
    let metadata = path.metadata();
    metadata.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
