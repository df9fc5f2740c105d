//! What scripts log, in MCP's words.

#![expect(
    deprecated,
    reason = "the protocol keeps logging until 2027 at least, and clients use it"
)]

use model::Level;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use serde_json::{Map, Value};

/// The least grave of our lines that a client wants, if it wants any.
pub(crate) fn from_level(wanted: LoggingLevel) -> Option<Level> {
    match wanted {
        LoggingLevel::Debug => Some(Level::Debug),
        LoggingLevel::Info => Some(Level::Info),
        LoggingLevel::Notice | LoggingLevel::Warning => Some(Level::Warn),
        LoggingLevel::Error => Some(Level::Error),
        // Scripts have nothing graver to say than that something failed.
        LoggingLevel::Critical | LoggingLevel::Alert | LoggingLevel::Emergency => None,
    }
}

/// A message is a text; with fields it is one of them.
pub(crate) fn line(
    module: &str,
    level: Level,
    message: &str,
    fields: &Value,
) -> LoggingMessageNotificationParam {
    let level = match level {
        Level::Debug => LoggingLevel::Debug,
        Level::Info => LoggingLevel::Info,
        Level::Warn => LoggingLevel::Warning,
        Level::Error => LoggingLevel::Error,
    };
    let data = match fields {
        Value::Object(fields) if !fields.is_empty() => {
            let mut data = Map::from_iter([("message".to_owned(), message.into())]);
            data.extend(fields.clone());
            Value::Object(data)
        }
        _ => message.into(),
    };
    let mut line = LoggingMessageNotificationParam::new(level, data);
    line.logger = Some(module.to_owned());
    line
}
