//! The reference of what scripts can name: looked up, and shown in a terminal or as pages of the book.

mod book;
mod find;
mod text;

pub(crate) use book::pages;
pub(crate) use find::{Found, find};
pub(crate) use text::{entry, library, overview};
