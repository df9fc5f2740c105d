//! Why a client's file is left as it is.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("{}{wrong}", file.display())]
    Text { file: PathBuf, wrong: Wrong },
    #[error("cannot {doing} {}: {why}", file.display())]
    Disk { doing: &'static str, file: PathBuf, why: String },
    #[error("{} was changed by another program meanwhile; nothing is written: run this again", .0.display())]
    Overtaken(PathBuf),
    #[error("{0}")]
    Other(String),
}

/// What is wrong with a text, whichever file it is from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    #[error(":{line}:{column}: {message}; it is left as it is: mend it, then run this again")]
    Syntax { line: usize, column: usize, message: String },
    #[error(": {0}; it is left as it is")]
    Shape(String),
}

impl Wrong {
    /// In words like our own: lower case, and one line.
    pub(crate) fn syntax(text: &str, byte: usize, message: &str) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let mut message = message.trim().replace('\n', ", ");
        if let Some(first) = message.get(..1) {
            let first = first.to_lowercase();
            message.replace_range(..1, &first);
        }
        Self::Syntax {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            message,
        }
    }

    pub(crate) fn not_an_object(key: &str) -> Self {
        Self::Shape(format!("`{key}` does not hold other keys"))
    }
}
