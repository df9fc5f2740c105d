//! Results of requests, as far as the audit log, counters and the cache read them.

use crate::answers::Kept;
use model::{Completion, Contents, Conversation, Output};

pub(crate) trait RequestReply: Send + Sized + 'static {
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

    fn to_cache(&self) -> Option<Kept> {
        None
    }

    fn from_cache(_kept: &Kept) -> Option<Self> {
        None
    }
}

impl RequestReply for Output {
    fn bytes(&self) -> usize {
        self.size()
    }

    fn is_error(&self) -> bool {
        self.is_error
    }

    fn error_text(&self) -> String {
        self.plain_text()
    }

    fn to_cache(&self) -> Option<Kept> {
        (!self.is_error).then(|| Kept::Output(self.clone()))
    }

    fn from_cache(kept: &Kept) -> Option<Self> {
        let Kept::Output(output) = kept else {
            return None;
        };
        let mut output = output.clone();
        output.cached = true;
        Some(output)
    }
}

impl RequestReply for Vec<Contents> {
    fn bytes(&self) -> usize {
        self.iter().map(Contents::size).sum()
    }

    fn to_cache(&self) -> Option<Kept> {
        Some(Kept::Read(self.clone()))
    }

    fn from_cache(kept: &Kept) -> Option<Self> {
        match kept {
            Kept::Read(contents) => Some(contents.clone()),
            Kept::Output(_) => None,
        }
    }
}

impl RequestReply for Conversation {
    fn bytes(&self) -> usize {
        self.size()
    }
}

impl RequestReply for Completion {
    fn bytes(&self) -> usize {
        0
    }
}
