//! A world with nothing in it: for those who only look at modules, and for tests of ours.

use model::World;

#[derive(Debug, Default)]
pub struct Closed;

impl World for Closed {}
