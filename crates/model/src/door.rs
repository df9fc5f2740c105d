//! By which way something is asked of the server.

/// By which way something is asked of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Door {
    Stdio,
    Http,
    /// A command, such as `larkspur call`.
    #[default]
    Cli,
}

impl Door {
    pub fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Cli => "cli",
        }
    }
}
