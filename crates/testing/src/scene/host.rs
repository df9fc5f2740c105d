//! The host of a test's own code: it has the rights of the module that the test is for.

use super::Scene;
use model::{
    Ability, Args, Asker, Database, ExecRequest, ExecResult, Host, HostError, HttpRequest,
    HttpResponse, Leash, Level, Output, Question, SqlAnswer, SqlRequest, Stored, Unanswered, World,
};
use runtime::Guest;
use script::Sources;
use serde_json::Value;
use std::time::Duration;

impl Scene {
    /// The host as the module has it.
    fn with_rights<T>(
        &self,
        what: &str,
        work: impl FnOnce(&dyn Host) -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        if self.loading {
            let why = format!("`{what}` works in tests and calls, not while a file loads");
            return Err(HostError(why));
        }
        let runtime = self.runtime();
        let catalog = runtime.catalog();
        let module = self.hall.module(&self.part, &catalog)?;
        let below = self.hall.below(&self.part);
        let guest = match &module {
            Some(module) => Guest::Of(module),
            None => Guest::At(self.part.folder, below),
        };
        runtime.receive(&guest, &*self.world, work)
    }
}

impl Host for Scene {
    fn log(&self, level: Level, message: &str, fields: &Value) {
        self.world.hear(level, message, fields);
    }

    fn progress(&self, _done: f64, _total: Option<f64>, _message: Option<&str>) {}

    fn resource_updated(&self, _uri: &str) {}

    fn read(&self, path: &str) -> Result<String, HostError> {
        let files = self.hall.files(self.part.folder);
        let text = files.read(&path.to_owned());
        text.map_err(|why| HostError(format!("cannot read {path}: {why}")))
    }

    fn now_ms(&self) -> i64 {
        self.world.now_ms()
    }

    fn sleep(&self, time: Duration, leash: &Leash) {
        self.world.sleep(time, leash);
    }

    fn random(&self, count: usize) -> Result<Vec<u8>, HostError> {
        self.world.random(count)
    }

    fn http(&self, request: &HttpRequest, leash: &Leash) -> Result<HttpResponse, HostError> {
        self.with_rights("http", |host| host.http(request, leash))
    }

    fn exec(&self, request: &ExecRequest, leash: &Leash) -> Result<ExecResult, HostError> {
        self.with_rights("exec", |host| host.exec(request, leash))
    }

    fn sql(
        &self,
        database: &Database,
        request: &SqlRequest,
        leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        self.with_rights("sql", |host| host.sql(database, request, leash))
    }

    /// While a file loads, it sees what was there before the test.
    fn env(&self, name: &str) -> Result<Option<String>, HostError> {
        if self.loading {
            return Ok(self.world.variable(name));
        }
        self.with_rights("env", |host| host.env(name))
    }

    fn secret(&self, name: &str) -> Result<(), HostError> {
        self.with_rights("secret", |host| host.secret(name))
    }

    fn file_read(&self, path: &str) -> Result<String, HostError> {
        self.with_rights("files", |host| host.file_read(path))
    }

    fn file_list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.with_rights("files", |host| host.file_list(path))
    }

    fn file_exists(&self, path: &str) -> Result<bool, HostError> {
        self.with_rights("files", |host| host.file_exists(path))
    }

    fn file_write(&self, path: &str, text: &str) -> Result<(), HostError> {
        self.with_rights("files", |host| host.file_write(path, text))
    }

    fn state_get(&self, key: &str) -> Result<Option<Stored>, HostError> {
        self.with_rights("state", |host| host.state_get(key))
    }

    fn state_put(
        &self,
        key: &str,
        value: &Value,
        expected: Option<u64>,
    ) -> Result<bool, HostError> {
        self.with_rights("state", |host| host.state_put(key, value, expected))
    }

    fn state_delete(&self, key: &str) -> Result<bool, HostError> {
        self.with_rights("state", |host| host.state_delete(key))
    }

    fn state_list(&self, prefix: &str) -> Result<Vec<String>, HostError> {
        self.with_rights("state", |host| host.state_list(prefix))
    }

    fn call(&self, tool: &str, _args: Args) -> Result<Output, Unanswered> {
        let why = format!("{tool} is called with `t.call` in a test");
        Err(HostError(why).into())
    }

    fn can_ask(&self, ability: Ability) -> bool {
        self.world.can(ability)
    }

    fn ask(&self, questions: &[Question], leash: &Leash) -> Result<Vec<Value>, Unanswered> {
        Asker::ask(&*self.world, questions, leash)
    }
}
