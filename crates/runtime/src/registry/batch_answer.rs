//! Answer of a batch: a text for each task that has something to show, all within one budget.

use super::shape::{Asked, ForeachResults};
use compact::{Compact, Format, Ways, count_tokens};
use model::{Content, Output, ToolPath};
use plan::{EndedTask, Report, Shown};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Who reads the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// A model: everything is text, and shares one budget.
    Model,
    /// A script or the command line: results with `raw_output` are data, whole, and each text has the budget.
    Program,
}

/// Every result, and the texts of those that are shown as text.
pub struct BatchAnswer {
    report: Report,
    /// By the task's place in the plan.
    texts: Vec<ResultText>,
    /// Tokens of the whole answer.
    budget: usize,
    reader: Reader,
    /// Each task's share of the budget, once all results have been written.
    shares: Option<Vec<usize>>,
}

enum ResultText {
    /// There is none.
    Absent,
    /// To be written within this many tokens.
    Wanted(usize),
    Written(Compact),
}

impl ResultText {
    fn tokens(&self) -> usize {
        match self {
            Self::Written(written) => written.tokens,
            Self::Absent | Self::Wanted(_) => 0,
        }
    }
}

/// A result that is to be written as text.
pub(super) struct NextText {
    pub(super) place: usize,
    pub(super) tool: ToolPath,
    pub(super) value: Arc<Value>,
    pub(super) asked: Asked,
    pub(super) tokens: usize,
}

impl BatchAnswer {
    pub(super) fn new(report: Report, budget: usize, reader: Reader) -> Self {
        let is_text = |ended: &EndedTask<'_>| match ended.task.shown {
            Shown::Nothing => false,
            Shown::As(_) => true,
            Shown::Raw => reader == Reader::Model,
        };
        let texts = report.tasks().map(|ended| match ended.value {
            Some(_) if is_text(&ended) => ResultText::Wanted(budget),
            _ => ResultText::Absent,
        });
        Self { texts: texts.collect(), report, budget, reader, shares: None }
    }

    /// The next result to write. All are written within the whole budget first; if they exceed it together,
    /// those that exceed their share are written again.
    pub(super) fn next_to_write(&mut self) -> Option<NextText> {
        if let Some(next) = self.find_wanted() {
            return Some(next);
        }
        if self.shares.is_some() || self.reader == Reader::Program {
            return None;
        }
        self.share_budget();
        self.find_wanted()
    }

    /// A result that cannot be written is left out.
    pub(super) fn set(&mut self, place: usize, text: Option<Compact>) {
        self.texts[place] = text.map_or(ResultText::Absent, ResultText::Written);
    }

    fn find_wanted(&self) -> Option<NextText> {
        let mut ended = self.report.tasks().zip(&self.texts).enumerate();
        ended.find_map(|(place, (ended, text))| match text {
            ResultText::Wanted(tokens) => Some(NextText {
                place,
                tool: ended.task.tool.clone(),
                value: Arc::clone(ended.value?),
                asked: asked(&ended),
                tokens: *tokens,
            }),
            _ => None,
        })
    }

    fn share_budget(&mut self) {
        let beside: Vec<usize> = self.report.tasks().map(|ended| tokens_beside(&ended)).collect();
        let sizes = self.texts.iter().zip(&beside).map(|(text, beside)| beside + text.tokens());
        let shares = share_out(self.budget, &sizes.collect::<Vec<_>>());
        for ((text, share), beside) in self.texts.iter_mut().zip(&shares).zip(beside) {
            // A long error leaves half to the result.
            let left = share.saturating_sub(beside).max(share / 2);
            if text.tokens() > left {
                *text = ResultText::Wanted(left);
            }
        }
        self.shares = Some(shares);
    }

    /// Did nothing come of it, though something was tried?
    pub fn is_error(&self) -> bool {
        self.report.is_error()
    }

    /// One content block per task that has something to show, each ending with a line break: some clients
    /// join blocks with nothing between them.
    pub(super) fn into_output(self) -> Output {
        let shares = self.shares.iter().flatten();
        let tasks = self.report.tasks().zip(&self.texts).zip(shares);
        let blocks = tasks.map(|((ended, text), share)| {
            let left = share.saturating_sub(text.tokens());
            let failures = cut_text(ended.describe_failures(), left);
            match text {
                ResultText::Written(written) => failures + &block(&ended, written),
                _ => failures,
            }
        });
        let mut blocks: Vec<String> = blocks.filter(|block| !block.is_empty()).collect();
        if blocks.is_empty() {
            blocks.push("done; no task has `output: true`, so no result is shown\n".to_owned());
        }
        Output {
            content: blocks.into_iter().map(Content::text).collect(),
            is_error: self.is_error(),
            ..Output::default()
        }
    }

    /// `{"results", "errors", "tasks"}`; beside a task whose result is text stands in which notation.
    pub fn into_json(self) -> Value {
        let (mut forms, mut notes) = (Map::new(), Vec::new());
        let ids = self.report.tasks().map(|ended| ended.task.id.to_string());
        for (id, text) in ids.zip(self.texts) {
            if let ResultText::Written(written) = text {
                forms.insert(id.clone(), Value::String(written.body));
                notes.push((id, written.format, written.note));
            }
        }
        let mut answer = self.report.answer(forms);
        for (id, format, note) in notes {
            let task = &mut answer["tasks"][&id];
            task["format"] = format.to_string().into();
            if let Some(note) = note {
                task["note"] = note.into();
            }
        }
        answer
    }
}

fn asked(ended: &EndedTask<'_>) -> Asked {
    let failed = ended.failed.map(<[usize]>::to_vec);
    Asked {
        format: match ended.task.shown {
            Shown::As(format) => format,
            Shown::Raw | Shown::Nothing => Some(Format::Json),
        },
        select: ended.task.select.clone(),
        ways: Ways::BATCH,
        foreach: failed.map(|failed| ForeachResults { failed }),
    }
}

/// Tokens of what a block has besides the result.
fn tokens_beside(ended: &EndedTask<'_>) -> usize {
    let header = ended.value.map_or(0, |_| count_tokens(ended.task.id.as_str()) + 2);
    header + count_tokens(&ended.describe_failures())
}

/// The task's id and the note on one line, then the result.
fn block(ended: &EndedTask<'_>, written: &Compact) -> String {
    let (id, body) = (&ended.task.id, written.body.trim_end_matches('\n'));
    match &written.note {
        Some(note) => format!("{id}: {}\n{body}\n", note.trim_end()),
        None => format!("{id}:\n{body}\n"),
    }
}

/// Shares of a total: what is smaller than an equal share leaves the rest to the others.
fn share_out(total: usize, sizes: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|place| sizes[*place]);
    let (mut shares, mut left) = (vec![0; sizes.len()], total);
    for (done, place) in order.into_iter().enumerate() {
        shares[place] = sizes[place].min(left / (sizes.len() - done));
        left -= shares[place];
    }
    shares
}

/// Bytes of a token, at least.
const BYTES_PER_TOKEN: usize = 2;

/// A text of at most about this many tokens.
fn cut_text(text: String, tokens: usize) -> String {
    if count_tokens(&text) <= tokens {
        return text;
    }
    let kept = &text[..text.floor_char_boundary(tokens * BYTES_PER_TOKEN)];
    format!("{kept} … (cut, {} bytes more)\n", text.len() - kept.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_texts_leave_their_share_to_large_ones() {
        for (total, sizes, expected) in [
            (10, &[][..], &[][..]),
            (10, &[3, 4], &[3, 4]),
            (10, &[20, 20], &[5, 5]),
            (10, &[1, 20, 20], &[1, 4, 5]),
            (10, &[20, 1, 4], &[5, 1, 4]),
            (0, &[1, 2], &[0, 0]),
        ] {
            assert_eq!(share_out(total, sizes), expected, "{sizes:?}");
        }
    }

    #[test]
    fn long_errors_are_cut() {
        assert_eq!(cut_text("a: error\n".to_owned(), 100), "a: error\n");
        let cut = cut_text("é".repeat(1000), 50);
        assert_eq!(cut, format!("{} … (cut, 1900 bytes more)\n", "é".repeat(50)));
    }
}
