//! Protocol revisions, and what each of them knows.

use crate::wire::Era;
use rmcp::model::ProtocolVersion;
use std::fmt::{self, Display, Formatter};

/// A revision that this server speaks; later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Revision {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

impl Revision {
    pub(crate) const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// What `initialize` agrees on with a client that asks for this.
    pub(crate) fn agree(asked: &str) -> Self {
        let known = Self::parse(asked).filter(|known| !known.is_modern());
        known.unwrap_or(Self::V2025_11_25)
    }

    /// Without `initialize` and sessions: every request says what it needs.
    pub(crate) fn is_modern(self) -> bool {
        self >= Self::V2026_07_28
    }

    pub(crate) fn era(self) -> Era {
        if self.is_modern() { Era::Modern } else { Era::Legacy }
    }

    pub(crate) fn has_batches(self) -> bool {
        self == Self::V2025_03_26
    }

    /// Clients of older revisions parse the empty data of a priming event as JSON, and disconnect.
    pub(crate) fn has_priming_events(self) -> bool {
        self >= Self::V2025_11_25
    }

    pub(crate) fn wire(self) -> ProtocolVersion {
        match self {
            Self::V2024_11_05 => ProtocolVersion::V_2024_11_05,
            Self::V2025_03_26 => ProtocolVersion::V_2025_03_26,
            Self::V2025_06_18 => ProtocolVersion::V_2025_06_18,
            Self::V2025_11_25 => ProtocolVersion::V_2025_11_25,
            Self::V2026_07_28 => ProtocolVersion::V_2026_07_28,
        }
    }

    pub(crate) fn all_wire() -> Vec<ProtocolVersion> {
        Self::ALL.map(Self::wire).to_vec()
    }
}

impl Display for Revision {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initialize_agrees_on_a_revision_that_has_it() {
        for (asked, expected) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("2099-01-01", "2025-11-25"),
            ("", "2025-11-25"),
        ] {
            assert_eq!(Revision::agree(asked).as_str(), expected, "{asked}");
        }
    }
}
