//! Yes or no, and because of which line.

use super::Pattern;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict<'p> {
    /// There are no roles, or none for whoever runs the server.
    Open,
    Allowed {
        role: &'p str,
        pattern: &'p Pattern,
    },
    Denied {
        role: &'p str,
        pattern: &'p Pattern,
    },
    /// No role of his says anything.
    Unmatched,
}

impl Verdict<'_> {
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Open | Self::Allowed { .. })
    }
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("allowed: no role restricts this caller"),
            Self::Allowed { role, pattern } => {
                write!(f, "allowed: `{pattern}` in `allow` of [role.{role}]")
            }
            Self::Denied { role, pattern } => {
                write!(f, "denied: `{pattern}` in `deny` of [role.{role}]")
            }
            Self::Unmatched => f.write_str("denied: no role of this caller allows it"),
        }
    }
}
