//! What a module may do to the world: its manifest's permissions, or what a single file has always
//! had. Whatever is not named is refused, with the line that would grant it.

use model::{
    Connection, Database, Egress, ExecRequest, HostError, Permissions, Source, SqlRequest,
    Surroundings, World, is_connection_string,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Variables that a child of a folder module gets without asking.
const CHILD_ENV: [&str; 5] = ["PATH", "HOME", "USER", "LANG", "TMPDIR"];
/// Ours alone: keys of the vault and the like.
const OURS: &str = "LARKSPUR_";

#[derive(Debug, Clone)]
pub(crate) struct Permit {
    /// The folder that paths are relative to.
    home: PathBuf,
    rules: Rules,
    /// Databases by name.
    connections: BTreeMap<String, Connection>,
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
            connections: BTreeMap::new(),
        }
    }

    pub(crate) fn single(home: PathBuf, allowed_exec: Vec<String>) -> Self {
        Self {
            home,
            rules: Rules::Single { allowed_exec },
            connections: BTreeMap::new(),
        }
    }

    pub(crate) fn folder(home: PathBuf, permissions: Permissions) -> Self {
        Self {
            home,
            rules: Rules::Folder(permissions),
            connections: BTreeMap::new(),
        }
    }

    /// The same, with databases that are known by name.
    pub(crate) fn with_connections(self, connections: BTreeMap<String, Connection>) -> Self {
        Self {
            connections,
            ..self
        }
    }

    pub(crate) fn egress(&self) -> Egress {
        match &self.rules {
            Rules::Loading => Egress::default(),
            Rules::Single { .. } => Egress {
                granted: Vec::new(),
                public: true,
            },
            Rules::Folder(permissions) => Egress {
                granted: permissions.http.clone(),
                public: false,
            },
        }
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

    /// A connection string may hold a password, so it is not repeated.
    fn postgres(&self, name: &str) -> Result<Source, HostError> {
        let is_string = is_connection_string(name);
        match &self.rules {
            Rules::Loading => {
                return denied("postgres works in calls, not while a file loads".into());
            }
            Rules::Single { .. } if is_string => return Ok(Source::Postgres { url: name.into() }),
            Rules::Folder(_) if is_string => {
                return denied(
                    "a module in a folder uses connections by name: put the connection string \
                     into larkspur.toml as [postgres.NAME], and the name into `postgres` under \
                     [permissions] in module.toml"
                        .into(),
                );
            }
            Rules::Folder(permissions) if !permissions.postgres.iter().any(|p| p == name) => {
                return denied(format!(
                    "`{name}` is not among the connections this module may use: add it to \
                     `postgres` under [permissions] in module.toml"
                ));
            }
            Rules::Single { .. } | Rules::Folder(_) => {}
        }
        match self.connections.get(name) {
            Some(connection) => Ok(Source::Postgres {
                url: connection.url.clone(),
            }),
            None => denied(format!(
                "there is no connection `{name}`: add [postgres.{name}] with a `url` to larkspur.toml"
            )),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `name`, as a module with these rules asks for it, gives this URL or this error.
    #[track_caller]
    fn check(rules: Rules, name: &str, expected: Result<&str, &str>) {
        let main = Connection {
            url: "postgres://u:secret@db/main".into(),
        };
        let permit = Permit {
            home: "nowhere".into(),
            rules,
            connections: BTreeMap::from([("main".to_owned(), main)]),
        };
        let source = permit.postgres(name).map_err(|error| error.to_string());
        let expected = expected.map(|url| Source::Postgres { url: url.into() });
        assert_eq!(source, expected.map_err(str::to_owned));
    }

    fn single() -> Rules {
        Rules::Single {
            allowed_exec: Vec::new(),
        }
    }

    fn folder(postgres: &[&str]) -> Rules {
        Rules::Folder(Permissions {
            postgres: postgres.iter().map(|&name| name.to_owned()).collect(),
            ..Permissions::default()
        })
    }

    #[test]
    fn a_folder_uses_the_connections_that_it_lists() {
        let url = "postgres://u:secret@db/main";
        check(folder(&["main"]), "main", Ok(url));
        check(
            folder(&["other"]),
            "main",
            Err(
                "`main` is not among the connections this module may use: add it to `postgres` \
                 under [permissions] in module.toml",
            ),
        );
        check(
            folder(&["other"]),
            "other",
            Err(
                "there is no connection `other`: add [postgres.other] with a `url` to larkspur.toml",
            ),
        );
        let by_name = "a module in a folder uses connections by name: put the connection string \
             into larkspur.toml as [postgres.NAME], and the name into `postgres` under \
             [permissions] in module.toml";
        check(folder(&[url]), url, Err(by_name));
        check(folder(&[]), "host=db password=x", Err(by_name));
    }

    #[test]
    fn a_single_file_uses_names_and_connection_strings() {
        check(single(), "main", Ok("postgres://u:secret@db/main"));
        check(single(), "host=db user=u", Ok("host=db user=u"));
        check(single(), "postgresql://x/y", Ok("postgresql://x/y"));
        check(
            single(),
            "mian",
            Err("there is no connection `mian`: add [postgres.mian] with a `url` to larkspur.toml"),
        );
        let loading = "postgres works in calls, not while a file loads";
        check(Rules::Loading, "main", Err(loading));
    }
}
