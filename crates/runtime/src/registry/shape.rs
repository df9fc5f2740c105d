//! In which form an answer leaves: as it is, or in as few tokens as it can be said in.

use crate::catalog::Handle;
use crate::life::LastError;
use model::{
    Compact, Content, Format, Limits, Output, Selection, Stop, Ways, Wish, compact, compact_each,
};
use script::{CallFailure, Turn};
use serde_json::Value;
use std::time::Instant;

/// What is wanted of an answer.
#[derive(Debug, Clone, Default)]
pub enum Shape {
    /// As the tool declares it: the answer, or what its `select` or `compact` leaves of it.
    #[default]
    Declared,
    /// The answer itself, whatever the tool declares: for scripts, and for references between tasks.
    Raw,
    /// A text in few tokens, and nothing beside it.
    Compact(Asked),
}

/// How a caller wants an answer to be said.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The smallest, if none is named.
    pub format: Option<Format>,
    pub select: Option<Selection>,
    /// What he writes to get more.
    pub ways: Ways<'static>,
    /// The answer is the list of a `foreach`'s results, and each of them is shaped by itself.
    pub foreach: Option<ForeachResults>,
}

/// What is known of the results of a `foreach` besides their values.
#[derive(Debug, Clone)]
pub struct ForeachResults {
    /// Places of items that failed: null there is no result of the tool.
    pub failed: Vec<usize>,
}

/// A longer answer is not made compact where its call arrived: that alone takes a while.
const TRIAL_ANSWER: usize = 16 << 10;

impl Shape {
    /// Is the answer to be made compact?
    pub(crate) fn asked(&self, handle: &Handle) -> Option<Asked> {
        match self {
            Self::Compact(asked) => Some(asked.clone()),
            Self::Declared if handle.tool().is_compact() => Some(Asked {
                format: None,
                select: None,
                ways: Ways::FLAT,
                foreach: None,
            }),
            Self::Declared | Self::Raw => None,
        }
    }
}

/// An answer, and what is known while it is made compact.
pub(crate) struct Shaping<'a> {
    pub(crate) handle: &'a Handle,
    /// In tokens.
    pub(crate) budget: usize,
    pub(crate) turn: &'a Turn<'a>,
    /// The time of the call holds for this as well.
    pub(crate) until: Instant,
}

impl Shaping<'_> {
    /// The blocks that say an answer in few tokens: its text, and a line about what is not in it.
    pub(crate) fn shape(&self, output: Output, asked: &Asked) -> Result<Output, CallFailure> {
        let is_text = |block: &Content| matches!(block, Content::Text { .. });
        let has_data = output.structured.is_some() || output.content.iter().all(is_text);
        if output.is_error || !has_data {
            return Ok(output);
        }
        if self.turn.trial && output.plain_text().len() > TRIAL_ANSWER {
            return Err(CallFailure::NeedsThread);
        }
        let others = output.content.iter().filter(|block| !is_text(block));
        let others: Vec<Content> = others.cloned().collect();
        let raw = output.into_json();
        let said = self.say(&raw, asked)?;
        let mut content = vec![Content::text(said.body)];
        content.extend(said.note.map(Content::text));
        content.extend(others);
        Ok(Output {
            content,
            structured: Some(raw),
            is_error: false,
            ..Output::default()
        })
    }

    pub(crate) fn say(&self, raw: &Value, asked: &Asked) -> Result<Compact, CallFailure> {
        let wish = asked.wish(self.handle, self.budget);
        if !wish.wants_authors() {
            return Ok(asked.say_plainly(raw, self.handle, self.budget));
        }
        match (&asked.foreach, raw) {
            (Some(foreach), Value::Array(results)) => {
                let made = self.authors_of_each(results, &foreach.failed)?;
                Ok(compact_each(results, &made, &wish))
            }
            _ => Ok(compact(raw, self.authors(raw)?.as_ref(), &wish)),
        }
    }

    /// What the author's function makes of each result. All runs share the time of one call: when it is
    /// up, the results that are left stay as they are.
    fn authors_of_each(
        &self,
        results: &[Value],
        failed: &[usize],
    ) -> Result<Vec<Option<Value>>, CallFailure> {
        let mut made = Vec::new();
        for (place, result) in results.iter().enumerate() {
            if failed.contains(&place) {
                made.push(None);
                continue;
            }
            match self.authors(result) {
                Ok(one) => made.push(one),
                Err(CallFailure::Stopped { stop, fault }) => {
                    if stop == Stop::Deadline {
                        self.failed(&fault);
                    }
                    break;
                }
                Err(other) => return Err(other),
            }
        }
        Ok(made)
    }

    /// What the author's function makes of it. What the tool did is done: where that function fails,
    /// the answer is said without it.
    fn authors(&self, raw: &Value) -> Result<Option<Value>, CallFailure> {
        let left = self.until.saturating_duration_since(Instant::now());
        let limits = Limits {
            time: left.min(self.turn.limits.time),
            ..self.turn.limits.clone()
        };
        let turn = Turn {
            limits: &limits,
            cancel: self.turn.cancel.clone(),
            ..*self.turn
        };
        let module = &self.handle.module;
        match module.script.compact(self.handle.tool(), raw, &turn) {
            None => Ok(None),
            Some(Ok(made)) => Ok(Some(made)),
            Some(Err(CallFailure::Failed { fault, .. })) => {
                self.failed(&fault);
                Ok(None)
            }
            Some(Err(CallFailure::Stopped { stop, fault }))
                if !matches!(stop, Stop::Cancelled | Stop::Deadline | Stop::Memory) =>
            {
                self.failed(&fault);
                Ok(None)
            }
            Some(Err(other)) => Err(other),
        }
    }

    fn failed(&self, fault: &model::Fault) {
        let name = format!("compact of {}", self.handle);
        tracing::warn!(target: "script", "{name} failed: {fault}");
        self.handle.module.life.failed(LastError {
            of: name,
            message: fault.message.clone(),
            kind: None,
            data: None,
            report: fault.to_string(),
        });
    }
}

impl Asked {
    /// An answer in few tokens, without the author's function.
    pub(super) fn say_plainly(&self, raw: &Value, handle: &Handle, budget: usize) -> Compact {
        let wish = self.wish(handle, budget);
        match (&self.foreach, raw) {
            (Some(_), Value::Array(results)) => compact_each(results, &[], &wish),
            _ => compact(raw, None, &wish),
        }
    }

    fn wish<'w>(&'w self, handle: &'w Handle, budget: usize) -> Wish<'w> {
        Wish {
            format: self.format,
            select: self.select.as_ref(),
            declared: handle.tool().tool.select.as_ref(),
            budget,
            ways: self.ways,
        }
    }
}
