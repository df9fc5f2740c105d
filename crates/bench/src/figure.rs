//! A measured amount with its unit, and perhaps a remark.

use std::fmt::{self, Display};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unit {
    Micros,
    Millis,
    Megabytes,
    Times,
    Tokens,
    Percent,
    Instructions,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amount(pub(super) f64, pub(super) Unit);

/// An amount, and a remark on it.
pub(super) struct Figure {
    pub(super) amount: Amount,
    note: String,
}

impl Amount {
    pub(super) fn alone(self) -> Figure {
        self.noted("")
    }

    pub(super) fn noted(self, note: impl Into<String>) -> Figure {
        Figure { amount: self, note: note.into() }
    }
}

impl Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value, unit) = self;
        match unit {
            Unit::Micros => write!(f, "{value:.1} µs"),
            Unit::Millis => write!(f, "{value:.1} ms"),
            Unit::Megabytes => write!(f, "{value:.1} MB"),
            Unit::Times => write!(f, "{value:.2} ×"),
            Unit::Tokens => write!(f, "{value:.0} tokens"),
            Unit::Percent => write!(f, "{value:.1} %"),
            Unit::Instructions => write!(f, "{value:.0}"),
        }
    }
}

impl Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.note.as_str() {
            "" => self.amount.fmt(f),
            note => write!(f, "{} ({note})", self.amount),
        }
    }
}
