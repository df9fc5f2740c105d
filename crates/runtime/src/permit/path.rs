//! Files and databases. A path is judged by where it leads, without links and `..`; errors name it as the
//! module wrote it.

use super::Permit;
use model::{
    Access, Database, Denied, HostError, Source, Spot, SqlRequest, World, is_connection_string,
    replace_path,
};
use std::path::{Component, Path, PathBuf};

/// What callers read instead of the path of the module's folder.
const HOME: &str = "the module's folder";

/// What using a path needs.
type PathAccess = dyn for<'s> Fn(Spot<'s>) -> Access<'s>;

/// A path as a module wrote it.
pub(super) struct AskedPath<'a> {
    written: &'a str,
    access: &'a PathAccess,
    /// Paths in the module's folder need no permission.
    pub(super) is_free_below: bool,
}

impl Permit {
    pub(crate) fn file(
        &self,
        path: &str,
        writes: bool,
        world: &dyn World,
    ) -> Result<PathBuf, HostError> {
        let access: &PathAccess =
            if writes { &|spot| Access::FilesWrite(spot) } else { &|spot| Access::Files(spot) };
        self.resolve(&AskedPath::new(path, access), world)
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
        let access: &PathAccess =
            if writes { &|spot| Access::SqliteWrite(spot) } else { &|spot| Access::Sqlite(spot) };
        self.resolve(&AskedPath::new(path, access), world)
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

    /// The real path of what a module asks for, if it may use that.
    pub(super) fn resolve(
        &self,
        asked: &AskedPath<'_>,
        world: &dyn World,
    ) -> Result<PathBuf, HostError> {
        let written = asked.written;
        let home = world.real_path(&self.home);
        let home = home.map_err(|error| self.portable(error, &[], world))?;
        let resolved = world.real_path(&home.join(written));
        let refused = match &resolved {
            Ok(real) => self.judge(asked, real, &home, world).err(),
            Err(error) => Some(error.clone()),
        };
        let Some(refused) = refused else {
            return resolved;
        };
        match &resolved {
            // The denial names the line to add.
            Ok(real) if real.starts_with(&home) && *real == without_dots(&home.join(written)) => {}
            Ok(real) if real == Path::new(written) => {}
            Ok(real) => self.log(&format!("denied `{written}`: its path is {}", real.display())),
            Err(HostError(why)) => self.log(why),
        }
        // Nothing of what lies there shows before the path is granted as it is written.
        self.judge(asked, &without_dots(&home.join(written)), &home, world)?;
        match resolved {
            Err(HostError(why)) => {
                let why = why.rsplit(": ").next().unwrap_or_default();
                Err(HostError(format!("{written}: {why}")))
            }
            Ok(real) if self.own.holds(&real, &home, world) => Err(refused),
            Ok(_) => {
                let access = (asked.access)(asked.spot(written, None));
                let denied = Denied::by_link(self.rights.module(), &access);
                Err(HostError(denied.to_string()))
            }
        }
    }

    fn judge(
        &self,
        asked: &AskedPath<'_>,
        path: &Path,
        home: &Path,
        world: &dyn World,
    ) -> Result<(), HostError> {
        let written = asked.written;
        if self.own.holds(path, home, world) {
            return Err(HostError(Denied::own(written).to_string()));
        }
        let below = path.strip_prefix(home).ok();
        if below.is_some() && asked.is_free_below {
            return Ok(());
        }
        let below = below.map(|below| text(below, written)).transpose()?;
        self.check(&(asked.access)(asked.spot(text(path, written)?, below)))
    }

    /// Rewrites an error for callers: machine paths become paths as the module wrote them, first those that are
    /// given, then those in its folder. The log keeps the error as it was.
    pub(crate) fn portable(
        &self,
        HostError(whole): HostError,
        paths: &[(&Path, &str)],
        world: &dyn World,
    ) -> HostError {
        let mut short = whole.clone();
        for (real, written) in paths {
            let written = if written.is_empty() { HOME } else { written };
            short = replace_path(&short, real, written);
        }
        let home = world.real_path(&self.home).ok();
        for folder in home.iter().chain([&self.home]) {
            let inside = replace_path(&short, &folder.join(""), "");
            short = replace_path(&inside, folder, HOME);
        }
        if short != whole {
            self.log(&whole);
        }
        HostError(short)
    }

    fn log(&self, message: &str) {
        let module = self.rights.module();
        tracing::info!(target: "script", module, "{message}");
    }
}

impl<'a> AskedPath<'a> {
    pub(super) fn new(written: &'a str, access: &'a PathAccess) -> Self {
        Self { written, access, is_free_below: false }
    }

    fn spot<'s>(&self, whole: &'s str, below: Option<&'s str>) -> Spot<'s>
    where
        'a: 's,
    {
        Spot { asked: self.written, whole, below }
    }
}

/// The path without `.` and `..`, as if there were no links.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// A path that is no text could be mistaken for another one.
fn text<'p>(path: &'p Path, written: &str) -> Result<&'p str, HostError> {
    let text = path.to_str();
    text.ok_or_else(|| HostError(format!("`{written}` leads to a path that is not UTF-8")))
}
