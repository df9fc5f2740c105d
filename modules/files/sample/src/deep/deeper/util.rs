fn roof() {}
// todo: walls
