//! What a script reaches of the world: the host as one call of one module may use it.

use crate::answers::Answers;
use crate::ground::Ground;
use crate::permit::Permit;
use crate::request::{Lines, Progress, Within};
use crate::together::together;
use crate::updates::Updates;
use model::{
    Ability, Args, Asker, Database, ExecRequest, ExecResult, Host, HostError, HttpRequest,
    HttpResponse, Leash, Level, Output, PossibleWrite, Question, ReadOnlyCall, Source, SqlAnswer,
    SqlRequest, Stored, Unanswered, World, is_connection_string, while_waiting,
};
use script::Sources;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::{Store, StoreError};
use tracing::Span;

mod secrets;

pub(crate) struct Gate<'a> {
    pub(crate) module: &'a str,
    pub(crate) files: &'a (dyn Sources + Sync),
    pub(crate) store: &'a Store,
    pub(crate) world: &'a dyn World,
    pub(crate) permit: &'a Permit,
    /// Set while a call of a read-only tool runs.
    pub(crate) read_only: Option<ReadOnlyCall<'a>>,
    /// The call that other tools are called from; there is none while a module starts or stops.
    pub(crate) within: Option<Within<'a>>,
    pub(crate) progress: Option<&'a Progress>,
    /// Takes questions to the client, where there is one.
    pub(crate) asker: Option<&'a dyn Asker>,
    /// Hears what the script logs, besides the server's own log.
    pub(crate) lines: Option<&'a Lines>,
    /// Hears of resources that have changed; while a file loads nobody does.
    pub(crate) updates: Option<&'a Updates>,
    pub(crate) answers: &'a Answers,
    /// The request that it is about, whichever thread the script goes on with.
    pub(crate) span: Span,
    /// Hears what is printed and logged, in the log's stead.
    pub(crate) hearer: Option<&'a Lines>,
    /// Set when the script has reached for anything here.
    pub(crate) used: AtomicBool,
}

impl<'a> Gate<'a> {
    pub(crate) fn new(
        module: &'a str,
        files: &'a (dyn Sources + Sync),
        permit: &'a Permit,
        ground: &'a Ground,
    ) -> Self {
        Self {
            module,
            files,
            store: &ground.store,
            world: &*ground.world,
            permit,
            read_only: None,
            within: None,
            progress: None,
            asker: None,
            lines: None,
            updates: None,
            answers: &ground.answers,
            span: Span::current(),
            hearer: ground.hearer.as_ref(),
            used: AtomicBool::new(false),
        }
    }

    /// Has the script reached for anything?
    pub(crate) fn was_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    fn use_it(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    fn world(&self) -> &dyn World {
        self.use_it();
        self.world
    }

    fn store(&self) -> &Store {
        self.use_it();
        self.store
    }

    /// Denies a call of a read-only tool what may write.
    fn check_write(&self, write: &PossibleWrite<'_>) -> Result<(), HostError> {
        match &self.read_only {
            Some(call) => call.check(write).map_err(|denied| HostError(denied.to_string())),
            None => Ok(()),
        }
    }

    /// Uses a file that the module may use.
    fn with_file<T>(
        &self,
        path: &str,
        writes: bool,
        work: impl FnOnce(&dyn World, &Path) -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        let world = self.world();
        let real = self.permit.file(path, writes, world)?;
        work(world, &real).map_err(|error| self.permit.portable(error, &[(&real, path)], world))
    }
}

/// The result of a store, whose errors name its file to the log and not to callers.
fn kept<T>(result: Result<T, StoreError>) -> Result<T, HostError> {
    result.map_err(|error| {
        let short = error.without_path();
        let whole = error.to_string();
        if short != whole {
            tracing::warn!("{whole}");
        }
        HostError(short)
    })
}

/// A database as the script calls it, without the password that a connection string may hold.
fn spoken(database: &Database) -> &str {
    match database {
        Database::Sqlite(path) => path,
        Database::Postgres(name) if is_connection_string(name) => "postgres",
        Database::Postgres(name) | Database::PostgresSecret(name) => name,
    }
}

impl Host for Gate<'_> {
    fn log(&self, level: Level, message: &str, fields: &Value) {
        self.use_it();
        let module = self.module;
        // What a script prints has no fields, and stays with the server.
        if let Some(lines) = self.lines.filter(|_| fields.is_object()) {
            lines(module, level, message, fields);
        }
        if let Some(hearer) = self.hearer {
            return hearer(module, level, message, fields);
        }
        let data = match fields {
            Value::Object(map) if !map.is_empty() => Some(tracing::field::display(fields)),
            _ => None,
        };
        self.span.in_scope(|| match level {
            Level::Debug => tracing::debug!(target: "script", module, data, "{message}"),
            Level::Info => tracing::info!(target: "script", module, data, "{message}"),
            Level::Warn => tracing::warn!(target: "script", module, data, "{message}"),
            Level::Error => tracing::error!(target: "script", module, data, "{message}"),
        });
    }

    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.use_it();
        if let Some(progress) = self.progress {
            progress(done, total, message);
        }
    }

    fn resource_updated(&self, uri: &str) {
        self.use_it();
        self.answers.forget(|key| key.what == uri);
        if let Some(updates) = self.updates {
            updates.tell(uri);
        }
    }

    fn read(&self, path: &str) -> Result<String, HostError> {
        self.use_it();
        self.files
            .read(&path.to_owned())
            .map_err(|why| HostError(format!("cannot read {path}: {why}")))
    }

    fn now_ms(&self) -> i64 {
        self.world().now_ms()
    }

    fn sleep(&self, time: Duration, leash: &Leash) {
        while_waiting(|| self.world().sleep(time, leash));
    }

    fn random(&self, count: usize) -> Result<Vec<u8>, HostError> {
        self.world().random(count)
    }

    fn http(&self, request: &HttpRequest, leash: &Leash) -> Result<HttpResponse, HostError> {
        let world = self.world();
        let egress = self.permit.egress(&request.url)?;
        self.check_write(&PossibleWrite::Request { method: &request.method, url: &request.url })?;
        if request.credentials.is_empty() {
            return while_waiting(|| world.http(request, &egress, leash));
        }
        let request = self.with_credentials(request, leash)?;
        while_waiting(|| world.http(&request, &egress, leash))
    }

    fn http_all(
        &self,
        requests: &[HttpRequest],
        leash: &Leash,
    ) -> Vec<Result<HttpResponse, HostError>> {
        if self.world().in_turn() {
            let asked = requests.iter().map(|request| self.http(request, leash));
            return asked.collect();
        }
        while_waiting(|| together(requests.len(), |index| self.http(&requests[index], leash)))
    }

    fn exec(&self, request: &ExecRequest, leash: &Leash) -> Result<ExecResult, HostError> {
        let world = self.world();
        let (allowed, mut surroundings) = self.permit.exec(request, world)?;
        self.check_write(&PossibleWrite::Command(&request.command))?;
        // A manifest names a command as the script does, not where it lies.
        let secrets = self.secret_variables(request, leash)?;
        surroundings.env.extend(secrets);
        let ran = while_waiting(|| world.exec(&allowed, &surroundings, leash));
        ran.map_err(|error| {
            let command = (Path::new(&allowed.command), request.command.as_str());
            let cwd = request.cwd.as_deref().unwrap_or_default();
            let paths = [command, (&surroundings.cwd, cwd)];
            self.permit.portable(error, &paths, world)
        })
    }

    fn sql(
        &self,
        database: &Database,
        request: &SqlRequest,
        leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        let world = self.world();
        let source = match database {
            Database::PostgresSecret(name) => self.secret_connection(name, leash)?,
            database => self.permit.source(database, request, world)?,
        };
        let name = spoken(database);
        // The database itself rejects a query that writes.
        if matches!(request, SqlRequest::Execute(_) | SqlRequest::Transaction(_)) {
            self.check_write(&PossibleWrite::Database(name))?;
        }
        let asked = while_waiting(|| world.sql(&source, request, leash));
        asked.map_err(|error| {
            let HostError(why) = match &source {
                Source::Sqlite { path, .. } => self.permit.portable(error, &[(path, name)], world),
                Source::Postgres { .. } => error,
            };
            HostError(format!("{name}: {why}"))
        })
    }

    fn env(&self, name: &str) -> Result<Option<String>, HostError> {
        let world = self.world();
        self.permit.env(name)?;
        Ok(world.variable(name))
    }

    fn secret(&self, name: &str) -> Result<(), HostError> {
        let world = self.world();
        self.permit.secret(name)?;
        let wanted = self.secret_name(name);
        self.record(&wanted);
        world.has_secret(&wanted)
    }

    fn file_read(&self, path: &str) -> Result<String, HostError> {
        self.with_file(path, false, |world, real| world.file_read(real))
    }

    fn file_list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.with_file(path, false, |world, real| world.file_list(real))
    }

    fn file_exists(&self, path: &str) -> Result<bool, HostError> {
        self.with_file(path, false, |world, real| world.file_exists(real))
    }

    fn file_write(&self, path: &str, text: &str) -> Result<(), HostError> {
        self.with_file(path, true, |world, real| {
            self.check_write(&PossibleWrite::File(path))?;
            world.file_write(real, text)
        })
    }

    fn state_get(&self, key: &str) -> Result<Option<Stored>, HostError> {
        let found = kept(self.store().get(self.module, key))?;
        Ok(found.map(|found| Stored { value: found.value, version: found.version }))
    }

    fn state_put(
        &self,
        key: &str,
        value: &Value,
        expected: Option<u64>,
    ) -> Result<bool, HostError> {
        kept(self.store().put(self.module, key, value, expected))
    }

    fn state_delete(&self, key: &str) -> Result<bool, HostError> {
        kept(self.store().delete(self.module, key))
    }

    fn state_list(&self, prefix: &str) -> Result<Vec<String>, HostError> {
        kept(self.store().list(self.module, prefix))
    }

    fn call(&self, tool: &str, args: Args) -> Result<Output, Unanswered> {
        self.use_it();
        match &self.within {
            Some(within) => within.call(tool, args),
            None => {
                let why = "ctx.call works in calls, not while a module starts or stops";
                Err(HostError(why.into()).into())
            }
        }
    }

    fn can_ask(&self, ability: Ability) -> bool {
        self.use_it();
        self.asker.is_some_and(|asker| asker.can(ability))
    }

    fn ask(&self, questions: &[Question], leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        self.use_it();
        match self.asker {
            Some(asker) => while_waiting(|| asker.ask(questions, leash)),
            None => {
                let why = "nobody is there to be asked: that needs a call, a prompt or a resource \
                           that an MCP client asks for";
                Err(HostError(why.into()).into())
            }
        }
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
