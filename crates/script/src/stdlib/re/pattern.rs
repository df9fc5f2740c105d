//! Patterns, compiled within bounds and kept for the evaluation.

use crate::cx::Cx;
use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};
use starlark::eval::Evaluator;
use std::cell::RefCell;
use std::sync::Arc;

/// A pattern may have so many bytes as text, and so many groups.
const LONGEST_PATTERN: usize = 1 << 14;
const MOST_GROUPS: usize = 50;
/// A text that is searched may have so many bytes.
const LONGEST_TEXT: usize = 4 << 20;
/// At worst a search takes as many steps as text and places of the pattern multiplied, some 100 ns
/// each: this bounds the product.
const MOST_WORK: usize = 1 << 27;
const LARGEST_COMPILED: usize = 1 << 20;
/// Memory that the engine may use for shortcuts, for each pattern kept.
const SHORTCUTS: usize = 1 << 20;
const MOST_KEPT: usize = 16;
const DEEPEST: u32 = 100;

/// The patterns of one evaluation, the latest last.
#[derive(Default)]
pub(crate) struct Patterns(RefCell<Vec<Pattern>>);

#[derive(Clone)]
struct Pattern {
    text: String,
    /// Shared: a clone of it would begin without what the engine has learnt.
    regex: Arc<Regex>,
    /// Characters it stands for, repetitions written out.
    places: usize,
}

/// The pattern, if a search of this text with it is within bounds.
pub(crate) fn pattern(
    pattern: &str,
    text: &str,
    eval: &Evaluator<'_, '_, '_>,
) -> anyhow::Result<Arc<Regex>> {
    let cx = Cx::of(eval)?;
    cx.gauge.text(text.len(), "a text")?;
    if text.len() > LONGEST_TEXT {
        let length = text.len();
        anyhow::bail!("re: a text of {length} bytes; re looks through {LONGEST_TEXT}");
    }
    let Pattern { regex, places, .. } = kept(pattern, &cx.patterns)?;
    let work = places.saturating_mul(text.len());
    if work > MOST_WORK {
        let (length, most) = (text.len(), MOST_WORK / text.len().max(1));
        anyhow::bail!(
            "re: the pattern stands for {places} characters, its repetitions written out; \
             in a text of {length} bytes it may for {most}"
        );
    }
    // On a trial, what takes a while is done elsewhere.
    cx.gauge.elements(work / 128, "a search")?;
    Ok(regex)
}

fn kept(pattern: &str, patterns: &Patterns) -> anyhow::Result<Pattern> {
    let mut kept = patterns.0.borrow_mut();
    if let Some(known) = kept.iter().find(|known| known.text == pattern) {
        return Ok(known.clone());
    }
    let made = Pattern::new(pattern)?;
    if kept.len() == MOST_KEPT {
        kept.remove(0);
    }
    kept.push(made.clone());
    Ok(made)
}

impl Pattern {
    fn new(text: &str) -> anyhow::Result<Self> {
        if text.len() > LONGEST_PATTERN {
            let length = text.len();
            anyhow::bail!("re: a pattern of {length} bytes; it may have {LONGEST_PATTERN}");
        }
        let parsed = ParserBuilder::new().nest_limit(DEEPEST).build().parse(text);
        let parsed = parsed.map_err(|error| explain(text, &error.to_string()))?;
        let regex = RegexBuilder::new(text)
            .nest_limit(DEEPEST)
            .size_limit(LARGEST_COMPILED)
            .dfa_size_limit(SHORTCUTS)
            .build();
        let regex = regex.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => anyhow::anyhow!(
                "re: the pattern \"{text}\" is too large once its repetitions are written out; \
                 use smaller counts"
            ),
            error => explain(text, &error.to_string()),
        })?;
        let groups = regex.captures_len() - 1;
        if groups > MOST_GROUPS {
            anyhow::bail!("re: a pattern with {groups} groups; it may have {MOST_GROUPS}");
        }
        Ok(Self { text: text.to_owned(), regex: Arc::new(regex), places: places(&parsed) })
    }
}

/// How many characters a pattern stands for; it is nested no deeper than the parser allows.
fn places(hir: &Hir) -> usize {
    let all = |parts: &[Hir]| parts.iter().map(places).fold(0, usize::saturating_add);
    match hir.kind() {
        HirKind::Empty => 0,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(_) | HirKind::Look(_) => 1,
        HirKind::Capture(capture) => places(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => all(parts),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.max(1));
            places(&repetition.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
    }
}

/// The engine's report has a drawing; its last line says what is wrong.
fn explain(pattern: &str, report: &str) -> anyhow::Error {
    let last = report.lines().last().unwrap_or_default();
    let why = last.strip_prefix("error: ").unwrap_or(last);
    anyhow::anyhow!("re: in the pattern \"{pattern}\": {why}")
}
