//! Words of an index that resemble a word that it does not have.

use super::SearchIndex;
use strsim::osa_distance;

/// Shorter words are never taken for mistyped ones.
const SHORTEST: usize = 4;
/// Longer words are not compared with others.
const LONGEST: usize = 32;
/// In words of this length two typing errors are accepted, in shorter ones one.
const LONG: usize = 8;
/// Similar words that are taken.
const MOST: usize = 8;

impl SearchIndex {
    /// Returns the words from which a word differs by a typing error, after its first letter.
    pub(super) fn mistyped(&self, word: &str) -> Vec<&str> {
        if !(SHORTEST..=LONGEST).contains(&word.len()) || !word.is_ascii() {
            return Vec::new();
        }
        let most = if word.len() < LONG { 1 } else { 2 };
        let is_candidate = |known: &&str| {
            known.len().abs_diff(word.len()) <= most
                && known.len() + 1 >= SHORTEST
                && known.as_bytes()[0] == word.as_bytes()[0]
                && osa_distance(known, word) <= most
        };
        let words = self.words.keys().map(|known| &**known);
        let mut words: Vec<&str> = words.filter(is_candidate).collect();
        words.sort_unstable();
        words
    }

    /// Returns the most similar words: those that begin alike, and those with a few other letters.
    pub(super) fn similar(&self, word: &str) -> Vec<&str> {
        if !(SHORTEST - 1..=LONGEST).contains(&word.len()) || !word.is_ascii() {
            return Vec::new();
        }
        let distance = |known: &str| {
            let is_beginning = known.len() >= SHORTEST
                && word.len() >= SHORTEST
                && (known.starts_with(word) || word.starts_with(known));
            let distance = osa_distance(known, word);
            (is_beginning || distance <= known.len().max(word.len()) / 3).then_some(distance)
        };
        let words = self.words.keys().map(|known| &**known);
        let words = words.filter(|known| known.len() <= LONGEST && known.is_ascii());
        let mut words: Vec<(usize, &str)> =
            words.filter_map(|known| Some((distance(known)?, known))).collect();
        words.sort_unstable();
        words.truncate(MOST);
        words.into_iter().map(|(_, word)| word).collect()
    }
}
