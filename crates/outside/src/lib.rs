//! What lies outside the process, for real: the network, other programs, databases, files. It judges
//! nothing but addresses; who may ask for what is decided before.

mod executor;
mod files;
mod http;
mod outside;
mod process;
mod sql;
mod term;

pub use outside::Outside;
