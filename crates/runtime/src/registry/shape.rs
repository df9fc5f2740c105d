//! In which form a result leaves: as it is, or in as few tokens as it can be said in.

use crate::catalog::Handle;
use crate::life::LastError;
use compact::{
    Compact, Format, Ways, Wish, break_json_lines, compact, compact_each, count_tokens,
    first_block, is_bare_json,
};
use model::{
    Args, Content, FIELDS, Grouped, Limits, Output, Problem, Rejected, Selection, Stop, Tool,
};
use script::{CallFailure, Turn};
use serde_json::Value;
use settings::StructuredResults;
use std::time::Instant;

/// What is wanted of a result.
#[derive(Debug, Clone, Default)]
pub enum Shape {
    /// The result itself, whatever the tool declares: for programs, scripts, and references between tasks.
    #[default]
    Raw,
    /// What a client reads that calls the tool by its own name.
    Declared,
    /// A text in few tokens, and nothing beside it.
    Compact(Asked),
}

/// How a caller wants a result to be said.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The smallest, if none is named.
    pub format: Option<Format>,
    pub select: Option<Selection>,
    /// What the caller writes to get more.
    pub ways: Ways<'static>,
    /// The result is the list of a `foreach`'s results, and each of them is shaped by itself.
    pub foreach: Option<ForeachResults>,
}

/// What is known of the results of a `foreach` besides their values.
#[derive(Debug, Clone)]
pub struct ForeachResults {
    /// Places of items that failed: null there is no result of the tool.
    pub failed: Vec<usize>,
}

/// A longer result is not made compact where its call arrived: that alone takes a while.
const TRIAL_ANSWER: usize = 16 << 10;

impl Shape {
    /// The shape for calls of this tool: by its own name, `fields` among the arguments chooses fields.
    pub(crate) fn of_tool(self, tool: &Tool, args: &mut Args) -> Result<Self, Rejected> {
        if !matches!(self, Self::Declared) || !tool.is_compact() {
            return Ok(self);
        }
        let takes_fields = tool.takes_fields();
        let fields = takes_fields.then(|| args.remove(FIELDS)).flatten();
        let fields = fields.filter(|fields| !fields.is_null());
        let select = fields.as_ref().map(Selection::parse).transpose();
        let select = select.map_err(|why| {
            Rejected(vec![Problem {
                field: String::new(),
                message: why.to_string().replace("`select`", "`fields`"),
            }])
        })?;
        Ok(Self::Compact(Asked::by_name(tool, select)))
    }
}

/// A result, and what is known while it is shaped.
pub(crate) struct Shaping<'a> {
    pub(crate) handle: &'a Handle,
    /// In tokens.
    pub(crate) budget: usize,
    pub(crate) results: StructuredResults,
    pub(crate) turn: &'a Turn<'a>,
    /// The time of the call holds for this as well.
    pub(crate) until: Instant,
}

impl Shaping<'_> {
    /// A result in few tokens, as one text.
    pub(crate) fn compact(&self, output: Output, asked: &Asked) -> Result<Output, CallFailure> {
        let has_data = output.structured.is_some() || output.content.iter().all(is_text);
        if output.is_error || !has_data {
            return Ok(guarded(output));
        }
        if self.turn.trial && output.plain_text().len() > TRIAL_ANSWER {
            return Err(CallFailure::NeedsThread);
        }
        let others = output.content.iter().filter(|block| !is_text(block));
        let others: Vec<Content> = others.cloned().collect();
        let raw = output.into_json();
        let said = self.say(&raw, asked)?;
        let mut content = vec![Content::text(said.text())];
        content.extend(others);
        let tool = &self.handle.tool().tool;
        let is_read = self.results == StructuredResults::Always && tool.output.is_some();
        Ok(Output { content, structured: is_read.then_some(raw), ..Output::default() })
    }

    /// A result of a tool that declares no shorter form, called by its own name. Objects stay JSON.
    pub(crate) fn declared(&self, mut output: Output) -> Result<Output, CallFailure> {
        if output.is_error {
            return Ok(guarded(output));
        }
        let tool = &self.handle.tool().tool;
        let tokens = tokens_above(&output, self.budget);
        let is_structured =
            self.results == StructuredResults::Auto && self.results.listed_schema(tool).is_some();
        if let Some(tokens) = tokens.filter(|_| is_structured) {
            return Ok(Output::error(self.too_long(tokens)));
        }
        let is_text = tool.output.as_ref().is_some_and(|schema| schema["type"] == "string");
        let is_bare = matches!(
            output.content.as_slice(),
            [Content::Text { text, .. }] if is_bare_json(text)
        );
        if tokens.is_some() || is_bare && !is_text {
            let structured = output.structured.clone();
            if is_text {
                output.structured = Some(Value::String(output.plain_text()));
            }
            let mut output = self.compact(output, &Asked::by_name(tool, None))?;
            output.structured = structured;
            return Ok(output);
        }
        if let [Content::Text { text, .. }] = output.content.as_mut_slice()
            && !is_text
        {
            *text = break_json_lines(std::mem::take(text));
        }
        Ok(guarded(output))
    }

    /// What a caller reads of a result that is promised whole, and is too long.
    fn too_long(&self, tokens: usize) -> String {
        let (tokens, budget) = (Grouped(tokens), Grouped(self.budget));
        let input = self.handle.tool().tool.input.to_json();
        let names = input["properties"].as_object().into_iter().flatten();
        let names: Vec<&str> = names.map(|(name, _)| name.as_str()).take(8).collect();
        let less = match names.as_slice() {
            [] => {
                "it takes no parameters, so only its author can make it shorter, by `select`".into()
            }
            names => format!("ask for less by its parameters: {}", names.join(", ")),
        };
        format!(
            "{} ran, but its result has about {tokens} tokens, of which at most {budget} are sent \
             (`result_tokens`); {less}",
            self.handle
        )
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
        let limits = Limits { time: left.min(self.turn.limits.time), ..self.turn.limits.clone() };
        let turn = Turn { limits: &limits, cancel: self.turn.cancel.clone(), ..*self.turn };
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
        tracing::warn!(target: "script", report = %fault, "{name} failed: {}", fault.message);
        self.handle.module.life.failed(LastError {
            of: name,
            message: fault.message.clone(),
            kind: None,
            data: None,
            report: fault.to_string(),
        });
    }
}

fn is_text(block: &Content) -> bool {
    matches!(block, Content::Text { .. })
}

/// The tokens of the texts of a result, if they are more than a budget.
fn tokens_above(output: &Output, budget: usize) -> Option<usize> {
    let texts = output.content.iter().filter_map(|block| match block {
        Content::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    // No text has more tokens than bytes.
    if texts.clone().map(str::len).sum::<usize>() <= budget {
        return None;
    }
    let tokens = texts.map(count_tokens).sum();
    (tokens > budget).then_some(tokens)
}

/// A result whose first block is a text of its author's.
fn guarded(mut output: Output) -> Output {
    if let Some(Content::Text { text, .. }) = output.content.first_mut() {
        *text = first_block(std::mem::take(text));
    }
    output
}

impl Asked {
    /// Of a call by the tool's own name, with the `fields` of the caller.
    pub fn by_name(tool: &Tool, fields: Option<Selection>) -> Self {
        let ways = if tool.takes_fields() { Ways::FIELDS } else { Ways::NONE };
        Self { format: None, select: fields, ways, foreach: None }
    }

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
