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

/// What the module's own host does, by the library that scripts know it by.
macro_rules! forward {
    ($($library:literal: $name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        $(fn $name(&self, $($argument: $type),*) -> Result<$output, HostError> {
            self.with_rights($library, |host| host.$name($($argument),*))
        })*
    };
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

    /// While a file loads, it sees what was there before the test.
    fn env(&self, name: &str) -> Result<Option<String>, HostError> {
        if self.loading {
            return Ok(self.world.variable(name));
        }
        self.with_rights("env", |host| host.env(name))
    }

    forward! {
        "http": http(request: &HttpRequest, leash: &Leash) -> HttpResponse;
        "exec": exec(request: &ExecRequest, leash: &Leash) -> ExecResult;
        "sql": sql(database: &Database, request: &SqlRequest, leash: &Leash) -> SqlAnswer;
        "secret": secret(name: &str) -> ();
        "files": file_read(path: &str) -> String;
        "files": file_list(path: &str) -> Vec<String>;
        "files": file_exists(path: &str) -> bool;
        "files": file_write(path: &str, text: &str) -> ();
        "state": state_get(key: &str) -> Option<Stored>;
        "state": state_put(key: &str, value: &Value, expected: Option<u64>) -> bool;
        "state": state_delete(key: &str) -> bool;
        "state": state_list(prefix: &str) -> Vec<String>;
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
