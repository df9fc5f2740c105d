//! The reference: what scripts can name, looked up and shown in a terminal, and the pages of the book
//! that follow from the code.

mod argument;
mod book;
mod command_line;
mod find;
mod keys;
mod made;
mod metrics;
mod text;

pub(crate) use book::pages;
pub(crate) use find::{Found, find};
pub(crate) use made::made;
pub(crate) use text::{entry, library, overview};
