//! Walls.
fn roof() {}
// todo: walls
