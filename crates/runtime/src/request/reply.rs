//! Results of requests, as far as the audit log and counters read them.

use model::{Completion, Contents, Conversation, Output};

pub(crate) trait Reply: Send + 'static {
    /// Bytes, for the audit log.
    fn bytes(&self) -> usize;

    /// The tool itself says that it has failed.
    fn is_error(&self) -> bool {
        false
    }

    /// The text of such a result.
    fn error_text(&self) -> String {
        String::new()
    }
}

impl Reply for Output {
    fn bytes(&self) -> usize {
        self.size()
    }

    fn is_error(&self) -> bool {
        self.is_error
    }

    fn error_text(&self) -> String {
        self.plain_text()
    }
}

impl Reply for Vec<Contents> {
    fn bytes(&self) -> usize {
        self.iter().map(Contents::size).sum()
    }
}

impl Reply for Conversation {
    fn bytes(&self) -> usize {
        self.size()
    }
}

impl Reply for Completion {
    fn bytes(&self) -> usize {
        0
    }
}
