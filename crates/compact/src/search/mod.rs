//! Finds tools by plain words: BM25 over everything that describes them.

mod findable;
mod similar;
mod thesaurus;
mod words;

pub use findable::Findable;

use findable::{FIELDS, Fields};
use std::collections::HashMap;

/// The tools of a catalog, by their words. Built once, then only read.
#[derive(Debug, Clone, Default)]
pub struct SearchIndex {
    /// The words of each tool's module and of its name.
    names: Vec<(Box<str>, Box<str>)>,
    /// Which tools have a word, and how much of it.
    words: HashMap<Box<str>, Vec<(u32, f32)>>,
}

/// BM25's own: how soon a repeated word counts no more, and how much a long text counts less.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;
/// A word of the same meaning counts a quarter: most of them mean the same in some requests only.
const ALIKE: f32 = 0.25;
/// A word that differs by a typing error counts half.
const MISTYPED: f32 = 0.5;

impl SearchIndex {
    pub fn new<'f>(tools: impl IntoIterator<Item = Findable<'f>>) -> Self {
        let tools = tools.into_iter().map(|tool| (tool.names(), tool.fields()));
        let (names, texts): (Vec<_>, Vec<_>) = tools.unzip();
        let lengths = mean_lengths(&texts);
        let mut index = Self { names, words: HashMap::new() };
        for (tool, fields) in (0..).zip(&texts) {
            for (word, amount) in amounts(fields, &lengths) {
                let places = index.words.entry(word.into()).or_default();
                places.push((tool, amount));
            }
        }
        for places in index.words.values_mut() {
            places.shrink_to_fit();
        }
        index
    }

    /// Returns the tools that fit, by their number, the best first; equally good ones in the order they came.
    /// A tool whose name is the query is the first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<usize> {
        let words = words::query_words(query);
        let mut scores = self.score(words.iter().map(|word| self.variants(word)));
        let query = words::words(query).join(" ");
        for (tool, score) in scores.iter_mut().enumerate() {
            if *score > 0.0 && self.is_named(tool, &query) {
                *score = f32::INFINITY;
            }
        }
        best(&scores, limit)
    }

    /// Returns the tools that are described by words similar to those of a query.
    pub fn search_similar(&self, query: &str, limit: usize) -> Vec<usize> {
        let words = words::query_words(query);
        let similar =
            |word: &String| self.similar(word).into_iter().map(|word| (word, 1.0)).collect();
        best(&self.score(words.iter().map(similar)), limit)
    }

    /// Scores each tool by words, each with its variants and how much they count.
    fn score<'w>(&self, words: impl Iterator<Item = Vec<(&'w str, f32)>>) -> Vec<f32> {
        let mut scores = vec![0.0_f32; self.names.len()];
        for variants in words {
            for (tool, score) in self.best_of(&variants) {
                scores[tool] += score;
            }
        }
        scores
    }

    /// Returns a word, those of the same meaning, and those that it may have been meant to be.
    fn variants<'w>(&'w self, word: &'w str) -> Vec<(&'w str, f32)> {
        let alike = thesaurus::alike(word).iter();
        let mut variants = vec![(word, 1.0)];
        variants.extend(alike.map(|word| (word.as_str(), ALIKE)));
        if !self.words.contains_key(word) {
            variants.extend(self.mistyped(word).into_iter().map(|word| (word, MISTYPED)));
        }
        variants
    }

    /// Whether the query is the tool's name, by itself or after its module's.
    fn is_named(&self, tool: usize, query: &str) -> bool {
        let (module, name) = &self.names[tool];
        query == &**name || query.strip_suffix(&**name) == Some(&format!("{module} "))
    }

    /// Scores the tools that have a variant of a word, by the best one they have.
    fn best_of(&self, variants: &[(&str, f32)]) -> Vec<(usize, f32)> {
        let mut best: Vec<(usize, f32)> = Vec::new();
        for (word, share) in variants {
            let Some(places) = self.words.get(*word) else {
                continue;
            };
            let rare = self.rarity(places.len());
            best.extend(places.iter().map(|(tool, amount)| {
                let score = share * rare * amount * (SATURATION + 1.0) / (amount + SATURATION);
                (*tool as usize, score)
            }));
        }
        best.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        best.dedup_by_key(|(tool, _)| *tool);
        best
    }

    #[expect(clippy::cast_precision_loss, reason = "there are never so many tools")]
    fn rarity(&self, having: usize) -> f32 {
        let (all, having) = (self.names.len() as f32, having as f32);
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }
}

/// Returns the numbers of the tools with the best scores.
fn best(scores: &[f32], limit: usize) -> Vec<usize> {
    let all = 0..scores.len();
    let mut found: Vec<usize> = all.filter(|tool| scores[*tool] > 0.0).collect();
    found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    found.truncate(limit);
    found
}

#[expect(clippy::cast_precision_loss, reason = "texts are never so long")]
fn mean_lengths(texts: &[Fields]) -> [f32; FIELDS] {
    let mean = |field: usize| {
        let all: usize = texts.iter().map(|fields| fields[field].1.len()).sum();
        (all as f32 / texts.len().max(1) as f32).max(1.0)
    };
    std::array::from_fn(mean)
}

/// How much of each word a tool has, in the order of the alphabet so that every build is the same.
#[expect(clippy::cast_precision_loss, reason = "texts are never so long")]
fn amounts(fields: &Fields, lengths: &[f32; FIELDS]) -> Vec<(String, f32)> {
    let mut all: Vec<(String, f32)> = Vec::new();
    for ((weight, words), length) in fields.iter().zip(lengths) {
        let norm = 1.0 - LENGTH + LENGTH * words.len() as f32 / length;
        all.extend(words.iter().map(|word| (word.clone(), weight / norm)));
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let mut sums: Vec<(String, f32)> = Vec::new();
    for (word, amount) in all {
        match sums.last_mut() {
            Some((last, sum)) if *last == word => *sum += amount,
            _ => sums.push((word, amount)),
        }
    }
    sums
}

#[cfg(test)]
mod search_tests;
