//! Commands: which, where, and with which variables.

use super::Permit;
use super::path::AskedPath;
use model::{Access, ExecRequest, HostError, Surroundings, World};
use std::path::PathBuf;

/// Variables that every child gets, as far as we have them.
const CHILD_ENV: [&str; 5] = ["PATH", "HOME", "USER", "LANG", "TMPDIR"];

impl Permit {
    /// The request as it may be made.
    pub(crate) fn exec(
        &self,
        request: &ExecRequest,
        world: &dyn World,
    ) -> Result<(ExecRequest, Surroundings), HostError> {
        self.check(&Access::Exec(&request.command))?;
        let surroundings = Surroundings {
            cwd: self.cwd(request.cwd.as_deref(), world)?,
            env: self.child_env(&request.env, world)?,
        };
        let mut request = request.clone();
        // A file of the module's own is meant by its path from there, wherever the command runs and
        // from wherever the folder was named.
        if request.command.contains('/') {
            let home = world.real_path(&self.home);
            let home = home.map_err(|error| self.portable(error, &[], world))?;
            let path = home.join(&request.command);
            request.command = path.to_string_lossy().into_owned();
        }
        Ok((request, surroundings))
    }

    /// The module's folder, a folder in it, or one that it may read.
    fn cwd(&self, cwd: Option<&str>, world: &dyn World) -> Result<PathBuf, HostError> {
        let mut asked = AskedPath::new(cwd.unwrap_or_default(), &|spot| Access::Files(spot));
        asked.is_free_below = true;
        self.resolve(&asked, world)
    }

    /// What may be read is passed on, and what the script adds comes last.
    fn child_env(
        &self,
        added: &[(String, String)],
        world: &dyn World,
    ) -> Result<Vec<(String, String)>, HostError> {
        let mut env = world.env();
        let is_usual = |name: &str| CHILD_ENV.contains(&name) && !self.own.has_variable(name);
        env.retain(|(name, _)| is_usual(name) || self.env(name).is_ok());
        for (name, value) in added {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(HostError(format!("`{name}` is no name for a variable")));
            }
            if chooses_code(name) {
                self.env(name)?;
            }
            env.push((name.clone(), value.clone()));
        }
        Ok(env)
    }
}

/// With these a script would turn a command that it may run into another one. What else a program
/// makes of its variables is for those to know who grant it.
fn chooses_code(name: &str) -> bool {
    name == "PATH" || ["LD_", "DYLD_", "LARKSPUR_"].iter().any(|begin| name.starts_with(begin))
}
