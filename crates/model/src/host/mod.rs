//! Everything a script can do to the world. Arguments and answers are plain data, so that a script
//! can one day run in another process.

mod address;
mod answer;
mod ask;
mod exec;
mod http;
mod redirect;
mod site;
mod sql;
mod world;

pub use address::is_public;
pub use answer::{Unfit, form};
pub use ask::{Ability, Asker, Question, Sample, Topic, Unanswered};
pub use exec::{ExecRequest, ExecResult};
pub use http::{Credential, HttpRequest, HttpResponse, is_credential};
pub use redirect::MOST_REDIRECTS;
pub use site::Site;
pub use sql::{Cell, Database, SqlAnswer, SqlRequest, Statement};
pub use world::{Source, Surroundings, World};

use crate::{Args, Leash, Output};
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

/// What the world answered instead; the text reaches the script's author and the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostError(pub String);

/// A value of a module's state, and which writing of it this is.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub value: Value,
    /// Never zero, which stands for "nothing is there".
    pub version: u64,
}

pub trait Host: Send + Sync {
    /// A line for the server's log; `fields` is an object.
    fn log(&self, level: Level, message: &str, fields: &Value);

    /// How far a call has come; `total` and `message` may be absent.
    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>);

    /// A resource is not what it was: whoever has subscribed to it is told.
    fn resource_updated(&self, uri: &str);

    /// The text of a file that came with the module, by its path below the folder that is served.
    fn read(&self, path: &str) -> Result<String, HostError>;

    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64;

    /// Waits so long, or until the leash ends it.
    fn sleep(&self, time: Duration, leash: &Leash);

    /// So many bytes that nobody can guess.
    fn random(&self, count: usize) -> Result<Vec<u8>, HostError>;

    /// Sends a request and waits for its answer.
    fn http(&self, request: &HttpRequest, leash: &Leash) -> Result<HttpResponse, HostError>;

    /// Sends several requests; the answers come in the order of the requests. A host that has
    /// threads sends them at once.
    fn http_all(
        &self,
        requests: &[HttpRequest],
        leash: &Leash,
    ) -> Vec<Result<HttpResponse, HostError>> {
        let answers = requests.iter().map(|request| self.http(request, leash));
        answers.collect()
    }

    /// Runs a command to its end.
    fn exec(&self, request: &ExecRequest, leash: &Leash) -> Result<ExecResult, HostError>;

    /// Asks a database.
    fn sql(
        &self,
        database: &Database,
        request: &SqlRequest,
        leash: &Leash,
    ) -> Result<SqlAnswer, HostError>;

    /// A variable of the environment.
    fn env(&self, name: &str) -> Result<Option<String>, HostError>;

    /// May the module use this secret, and is it set? What it is, a script never learns.
    fn secret(&self, name: &str) -> Result<(), HostError>;

    /// The text of a file that the module was granted, by its path relative to the module's folder.
    fn file_read(&self, path: &str) -> Result<String, HostError>;

    /// The names in a folder that the module was granted, in the order of the alphabet; folders end
    /// in `/`.
    fn file_list(&self, path: &str) -> Result<Vec<String>, HostError>;

    fn file_exists(&self, path: &str) -> Result<bool, HostError>;

    fn file_write(&self, path: &str, text: &str) -> Result<(), HostError>;

    /// What the module keeps under this key.
    fn state_get(&self, key: &str) -> Result<Option<Stored>, HostError>;

    /// Keeps a value; with an expected version only if that one is still there. Answers whether it
    /// was written: a script changes a value by reading, computing and trying, never under a lock.
    fn state_put(&self, key: &str, value: &Value, expected: Option<u64>)
    -> Result<bool, HostError>;

    /// Forgets a key; answers whether it was there.
    fn state_delete(&self, key: &str) -> Result<bool, HostError>;

    /// The keys with this beginning, in the order of the alphabet.
    fn state_list(&self, prefix: &str) -> Result<Vec<String>, HostError>;

    /// Calls another tool, as `module.tool`, down the road that every call takes. It may have
    /// questions of its own.
    fn call(&self, tool: &str, args: Args) -> Result<Output, Unanswered>;

    /// Can questions of this kind be asked?
    fn can_ask(&self, ability: Ability) -> bool;

    /// Asks whoever is behind the client; the answers come in the order of the questions.
    fn ask(&self, questions: &[Question], leash: &Leash) -> Result<Vec<Value>, Unanswered>;
}
