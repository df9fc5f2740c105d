//! Everything a script can do to the world. Arguments and answers are plain data, so that a script
//! can one day run in another process.

use serde_json::Value;

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

pub trait Host: Send + Sync {
    /// A line for the server's log; `fields` is an object.
    fn log(&self, level: Level, message: &str, fields: &Value);

    /// How far a call has come; `total` and `message` may be absent.
    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>);

    /// A resource is not what it was: whoever has subscribed to it is told.
    fn resource_updated(&self, uri: &str);

    /// The text of a file of the module, by its path relative to the module's folder.
    fn read(&self, path: &str) -> Result<String, HostError>;

    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64;
}
