//! Who is calling.

use std::borrow::Cow;

/// The one a call is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub name: Cow<'static, str>,
}

impl Default for Caller {
    /// Whoever started the process: on stdio and on the command line nobody else can call.
    fn default() -> Self {
        Self {
            name: Cow::Borrowed("local"),
        }
    }
}
