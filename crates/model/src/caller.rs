//! Who is calling.

/// The one a call is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub name: String,
}

impl Default for Caller {
    /// Whoever started the process: on stdio and on the command line nobody else can call.
    fn default() -> Self {
        Self {
            name: "local".into(),
        }
    }
}
