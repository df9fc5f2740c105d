//! A secret in the clear: it goes into a request or a child's environment, and cannot be printed.

use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself: for those who put it where it belongs.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Whose secret is meant: of which module, by which name, and for whom it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretName<'a> {
    pub module: &'a str,
    pub name: &'a str,
    /// The caller: what he has put in himself comes before what is there for all.
    pub user: &'a str,
}
