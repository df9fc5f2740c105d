//! A span for every request: whose trace it belongs to, what was asked and how it ended. Arguments and
//! results are in none of them.

mod names;
mod parent;
mod span;
mod traced;

pub(crate) use traced::Traced;
