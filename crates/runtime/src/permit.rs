//! What a module may do to the world: its manifest's permissions, or what a single file has always
//! had. Whatever is not named is refused, with the line that would grant it.

use crate::rate::Rates;
use model::{
    Database, Egress, ExecRequest, HostError, Leash, Permissions, Rate, Source, SqlRequest,
    Surroundings, World,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Variables that a child of a folder module gets without asking.
const CHILD_ENV: [&str; 5] = ["PATH", "HOME", "USER", "LANG", "TMPDIR"];
/// Ours alone: keys of the vault and the like.
const OURS: &str = "LARKSPUR_";

#[derive(Debug, Clone)]
pub(crate) struct Permit {
    /// The folder that paths are relative to.
    home: PathBuf,
    rules: Rules,
    rates: Arc<Rates>,
}

#[derive(Debug, Clone)]
enum Rules {
    /// While a file loads, nothing is there yet.
    Loading,
    /// A single file: seed 004's freedoms, and the commands it names.
    Single {
        allowed_exec: Vec<String>,
    },
    Folder(Permissions),
}

fn denied<T>(message: String) -> Result<T, HostError> {
    Err(HostError(message))
}

impl Permit {
    pub(crate) fn loading(home: PathBuf) -> Self {
        Self {
            home,
            rules: Rules::Loading,
            rates: Arc::default(),
        }
    }

    pub(crate) fn single(home: PathBuf, allowed_exec: Vec<String>) -> Self {
        Self {
            home,
            rules: Rules::Single { allowed_exec },
            rates: Arc::default(),
        }
    }

    pub(crate) fn folder(home: PathBuf, permissions: Permissions) -> Self {
        Self {
            home,
            rules: Rules::Folder(permissions),
            rates: Arc::default(),
        }
    }

    /// The same, asking each host no more often than this.
    pub(crate) fn at_rates(self, rates: &BTreeMap<String, Rate>) -> Self {
        Self {
            rates: Arc::new(Rates::new(rates)),
            ..self
        }
    }

    pub(crate) fn egress(&self) -> Result<Egress, HostError> {
        Ok(match &self.rules {
            Rules::Loading => return denied("http works in calls, not while a file loads".into()),
            Rules::Single { .. } => Egress {
                granted: Vec::new(),
                public: true,
            },
            Rules::Folder(permissions) => Egress {
                granted: permissions.http.clone(),
                public: false,
            },
        })
    }

    /// Waits until a request may go out.
    pub(crate) fn wait_for_turn(&self, url: &str, leash: &Leash) -> Result<(), HostError> {
        self.rates.wait(url, leash)
    }

    pub(crate) fn exec(&self, command: &str) -> Result<(), HostError> {
        let allowed = match &self.rules {
            Rules::Loading => return denied("exec works in calls, not while a file loads".into()),
            Rules::Single { allowed_exec } => allowed_exec,
            Rules::Folder(permissions) => &permissions.exec,
        };
        if allowed.iter().any(|name| name == command) {
            return Ok(());
        }
        denied(format!(
            "`{command}` is not among the commands this module may run"
        ))
    }

    /// Where a child runs, and with which variables.
    pub(crate) fn surroundings(
        &self,
        request: &ExecRequest,
        world: &dyn World,
    ) -> Result<Surroundings, HostError> {
        let cwd = match &request.cwd {
            Some(cwd) => world.real_path(&self.home.join(cwd))?,
            None => self.home.clone(),
        };
        let passed_on = |name: &str| match &self.rules {
            Rules::Folder(permissions) => {
                CHILD_ENV.contains(&name) || permissions.env.iter().any(|p| matches(p, name))
            }
            Rules::Loading | Rules::Single { .. } => true,
        };
        let mut env = world.env();
        env.retain(|(name, _)| !name.starts_with(OURS) && passed_on(name));
        env.extend(request.env.iter().cloned());
        Ok(Surroundings { cwd, env })
    }

    pub(crate) fn source(
        &self,
        database: &Database,
        request: &SqlRequest,
        world: &dyn World,
    ) -> Result<Source, HostError> {
        match database {
            Database::Sqlite(path) => {
                let writes = matches!(request, SqlRequest::Execute(_) | SqlRequest::Transaction(_));
                let path = self.sqlite(path, writes, world)?;
                Ok(Source::Sqlite {
                    path,
                    writable: writes,
                })
            }
            Database::Postgres(name) => self.postgres(name),
        }
    }

    fn sqlite(&self, path: &str, writes: bool, world: &dyn World) -> Result<PathBuf, HostError> {
        let real = world.real_path(&self.home.join(path))?;
        let granted = match &self.rules {
            Rules::Loading => false,
            Rules::Single { .. } => true,
            Rules::Folder(permissions) => {
                let read = if writes { &[][..] } else { &permissions.sqlite };
                let mut patterns = permissions.sqlite_write.iter().chain(read);
                patterns.any(|pattern| self.lies_in(pattern, &real, world))
            }
        };
        if granted {
            Ok(real)
        } else {
            denied(format!(
                "{path} is not among the databases this module may use"
            ))
        }
    }

    fn postgres(&self, name: &str) -> Result<Source, HostError> {
        match &self.rules {
            Rules::Single { .. } => Ok(Source::Postgres { url: name.into() }),
            Rules::Loading | Rules::Folder(_) => {
                denied("this connection is not among those this module may use".into())
            }
        }
    }

    pub(crate) fn env(&self, name: &str) -> Result<(), HostError> {
        let granted = !name.starts_with(OURS)
            && match &self.rules {
                Rules::Loading | Rules::Single { .. } => true,
                Rules::Folder(permissions) => permissions.env.iter().any(|p| matches(p, name)),
            };
        if granted {
            Ok(())
        } else {
            denied(format!(
                "`{name}` is not among the variables this module may read"
            ))
        }
    }

    pub(crate) fn file(
        &self,
        path: &str,
        writes: bool,
        world: &dyn World,
    ) -> Result<PathBuf, HostError> {
        let real = world.real_path(&self.home.join(path))?;
        let granted = match &self.rules {
            Rules::Loading | Rules::Single { .. } => false,
            Rules::Folder(permissions) => {
                let read = if writes { &[][..] } else { &permissions.files };
                let mut patterns = permissions.files_write.iter().chain(read);
                patterns.any(|pattern| self.lies_in(pattern, &real, world))
            }
        };
        if granted {
            Ok(real)
        } else {
            denied(format!("{path} is not among the files this module may use"))
        }
    }

    /// Does a path without links match a pattern below the module's folder?
    fn lies_in(&self, pattern: &str, real: &Path, world: &dyn World) -> bool {
        let Ok(home) = world.real_path(&self.home) else {
            return false;
        };
        let Ok(below) = real.strip_prefix(&home) else {
            return false;
        };
        let below = below.to_string_lossy();
        matches(pattern, &below)
    }
}

/// `*` stands for anything but `/`, `**` for anything.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => {
            let Some(rest) = text.strip_prefix(before) else {
                return false;
            };
            let (after, deep) = match after.strip_prefix('*') {
                Some(after) => (after, true),
                None => (after, false),
            };
            let ends = rest.char_indices().map(|(i, _)| i).chain([rest.len()]);
            let mut ends = ends.take_while(|end| deep || !rest[..*end].contains('/'));
            ends.any(|end| matches(after, &rest[end..]))
        }
    }
}
