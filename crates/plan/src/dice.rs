//! The same chances everywhere, every time.

pub(super) struct Dice(pub(super) u64);

impl Dice {
    /// Below `sides`, by Knuth's constants.
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    pub(super) fn percent(&mut self, chance: usize) -> bool {
        self.roll(100) < chance
    }

    pub(super) fn pick<'o, T>(&mut self, of: &'o [T]) -> &'o T {
        &of[self.roll(of.len())]
    }
}
