//! Files and databases. A path is judged by where it leads, without links and `..`.

use super::Permit;
use model::{
    Access, Database, Denied, HostError, Source, Spot, SqlRequest, World, is_connection_string,
};
use std::path::{Path, PathBuf};

impl Permit {
    pub(crate) fn file(
        &self,
        path: &str,
        writes: bool,
        world: &dyn World,
    ) -> Result<PathBuf, HostError> {
        self.at(path, world, |spot| {
            self.check(&if writes {
                Access::FilesWrite(spot)
            } else {
                Access::Files(spot)
            })
        })
    }

    pub(crate) fn source(
        &self,
        database: &Database,
        request: &SqlRequest,
        world: &dyn World,
    ) -> Result<Source, HostError> {
        match database {
            Database::Sqlite(path) => {
                let writable =
                    matches!(request, SqlRequest::Execute(_) | SqlRequest::Transaction(_));
                let path = self.sqlite(path, writable, world)?;
                Ok(Source::Sqlite { path, writable })
            }
            Database::Postgres(name) | Database::PostgresSecret(name) => self.postgres(name),
        }
    }

    fn sqlite(&self, path: &str, writes: bool, world: &dyn World) -> Result<PathBuf, HostError> {
        self.at(path, world, |spot| {
            self.check(&if writes {
                Access::SqliteWrite(spot)
            } else {
                Access::Sqlite(spot)
            })
        })
    }

    fn postgres(&self, name: &str) -> Result<Source, HostError> {
        self.check(&Access::Postgres(name))?;
        let found = self.connections.get(name);
        let url = match found {
            Some(connection) => connection.url.clone(),
            None if is_connection_string(name) => name.to_owned(),
            None => return Err(HostError(self.no_connection(name))),
        };
        Ok(Source::Postgres { url })
    }

    fn no_connection(&self, name: &str) -> String {
        let guess = model::did_you_mean(name, self.connections.keys().map(String::as_str));
        let guess = guess.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        format!(
            "there is no connection `{name}`{guess}; add [postgres.{name}] with a `url` to larkspur.toml"
        )
    }

    /// Where a path leads, if that passes.
    pub(super) fn at(
        &self,
        asked: &str,
        world: &dyn World,
        judge: impl FnOnce(Spot<'_>) -> Result<(), HostError>,
    ) -> Result<PathBuf, HostError> {
        let home = world.real_path(&self.home)?;
        let real = world.real_path(&self.home.join(asked))?;
        if self.own.holds(&real, &home, world) {
            return Err(HostError(Denied::own(asked).to_string()));
        }
        let below = real.strip_prefix(&home).ok();
        judge(Spot {
            asked,
            whole: text(&real)?,
            below: below.map(text).transpose()?,
        })?;
        Ok(real)
    }
}

/// A path that is no text could be mistaken for another one.
fn text(path: &Path) -> Result<&str, HostError> {
    let text = path.to_str();
    text.ok_or_else(|| HostError(format!("{} is not UTF-8", path.display())))
}
