//! Writes a value as text within a budget: floats so that they read back, containers element by
//! element, everything else as the engine does.

use super::float::write_float;
use crate::gauge::Gauge;
use crate::stdlib::prelude::*;
use crate::stdlib::secret::Secret;
use starlark::values::float::StarlarkFloat;
use starlark::values::record::Record;
use starlark::values::string::StarlarkStr;
use starlark::values::structs::StructRef;
use std::fmt::{self, Write};

/// Deeper than this, a value would need more stack than a thread has.
pub(crate) const DEEPEST: usize = 500;
/// Values written between two looks at the clock.
const STRIDE: usize = 1 << 14;
/// Bytes of what the engine alone can write and a script can fill with values.
const LONGEST_CLOSED: usize = 1 << 16;
/// How those begin: a partial application, a record type, a field, a set without a heap at hand.
const CLOSED: [&str; 4] = ["partial(", "record(", "field(", "set("];

/// What is done with a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secrets {
    /// An error: the text can be sent anywhere, and would not hold the secret.
    Refused,
    /// Its name in angle brackets, in lines for people.
    Named,
}

pub(crate) struct Printer<'v, 'g> {
    pub(crate) out: String,
    budget: usize,
    /// The evaluation that pays for it, if there is one.
    gauge: Option<&'g Gauge>,
    /// Sets are iterated with it.
    heap: Option<Heap<'v>>,
    secrets: Secrets,
    written: usize,
}

impl<'v, 'g> Printer<'v, 'g> {
    pub(crate) fn new(gauge: &'g Gauge, heap: Heap<'v>, secrets: Secrets) -> Self {
        Self {
            out: String::new(),
            budget: gauge.text_budget(),
            gauge: Some(gauge),
            heap: Some(heap),
            secrets,
            written: 0,
        }
    }

    /// Outside of an evaluation's limits: for messages, which name secrets and are cut.
    pub(super) fn bounded(budget: usize, heap: Option<Heap<'v>>) -> Self {
        Self { out: String::new(), budget, gauge: None, heap, secrets: Secrets::Named, written: 0 }
    }

    /// As `str` gives it: a text is itself.
    pub(crate) fn str(&mut self, value: Value<'v>) -> anyhow::Result<()> {
        match value.unpack_str() {
            Some(text) => self.push(text),
            None => self.repr(value),
        }
    }

    /// As it would be written in a script.
    pub(crate) fn repr(&mut self, value: Value<'v>) -> anyhow::Result<()> {
        self.value(value, 0)
    }

    pub(crate) fn push(&mut self, text: &str) -> anyhow::Result<()> {
        self.room(text.len())?;
        self.out.push_str(text);
        Ok(())
    }

    /// May this many bytes be added?
    pub(crate) fn room(&self, more: usize) -> anyhow::Result<()> {
        if self.out.len().saturating_add(more) > self.budget {
            if let Some(gauge) = self.gauge {
                gauge.leave_trial()?;
            }
            bail!("the text is longer than {} bytes", self.budget);
        }
        Ok(())
    }

    fn value(&mut self, value: Value<'v>, depth: usize) -> anyhow::Result<()> {
        if depth > DEEPEST {
            bail!("a value nested deeper than {DEEPEST} cannot be shown or compared");
        }
        self.tick()?;
        if let Some(text) = value.unpack_str() {
            self.quote(text, value)?;
        } else if let Some(int) = value.unpack_i32() {
            let _ = write!(self.out, "{int}");
        } else if let Some(list) = ListRef::from_value(value) {
            self.items("[", list.iter(), "]", depth)?;
        } else if let Some(dict) = DictRef::from_value(value) {
            self.entries(&dict, depth)?;
        } else if let Some(float) = value.downcast_ref::<StarlarkFloat>() {
            write_float(&mut self.out, float.0);
        } else if let Some(tuple) = TupleRef::from_value(value) {
            let close = if tuple.len() == 1 { ",)" } else { ")" };
            self.items("(", tuple.iter(), close, depth)?;
        } else {
            self.rare(value, depth)?;
        }
        self.room(0)
    }

    fn quote(&mut self, text: &str, value: Value<'v>) -> anyhow::Result<()> {
        let room = self.room(text.len() + 2);
        if room.is_ok() {
            value.collect_repr(&mut self.out);
        } else if self.gauge.is_none() {
            // A message shows how a long text begins.
            let left = self.budget.saturating_sub(self.out.len());
            let begin = &text[..text.floor_char_boundary(left)];
            self.out.push_str(&StarlarkStr::repr(begin));
        }
        room
    }

    fn rare(&mut self, value: Value<'v>, depth: usize) -> anyhow::Result<()> {
        if matches!(value.get_type(), "NoneType" | "bool" | "int") {
            value.collect_repr(&mut self.out);
            return Ok(());
        }
        if let Some(fields) = StructRef::from_value(value) {
            let fields: Vec<_> = fields.iter().collect();
            let fields = fields.iter().map(|(name, value)| (name.as_str(), *value));
            return self.fields("struct(", fields, depth);
        }
        if let Some(record) = Record::from_value(value) {
            return self.fields(&opening(value), record.iter(), depth);
        }
        if let Some(name) = Secret::name_of(value)
            && self.secrets == Secrets::Refused
        {
            return Err(Secret::refusal(name));
        }
        if value.get_type() == "set"
            && let Some(heap) = self.heap
        {
            let items = value.iterate(heap).map_err(starlark::Error::into_anyhow)?;
            return self.items("set([", items, "])", depth);
        }
        self.closed(value)
    }

    fn items(
        &mut self,
        open: &str,
        items: impl Iterator<Item = Value<'v>>,
        close: &str,
        depth: usize,
    ) -> anyhow::Result<()> {
        self.out.push_str(open);
        for (i, item) in items.enumerate() {
            self.comma(i);
            self.value(item, depth + 1)?;
        }
        self.out.push_str(close);
        Ok(())
    }

    fn entries(&mut self, dict: &DictRef<'v>, depth: usize) -> anyhow::Result<()> {
        self.out.push('{');
        for (i, (key, value)) in dict.iter().enumerate() {
            self.comma(i);
            self.value(key, depth + 1)?;
            self.out.push_str(": ");
            self.value(value, depth + 1)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn fields<'n>(
        &mut self,
        open: &str,
        fields: impl Iterator<Item = (&'n str, Value<'v>)>,
        depth: usize,
    ) -> anyhow::Result<()> {
        self.out.push_str(open);
        for (i, (name, value)) in fields.enumerate() {
            self.comma(i);
            self.push(name)?;
            self.out.push('=');
            self.value(value, depth + 1)?;
        }
        self.out.push(')');
        Ok(())
    }

    fn comma(&mut self, i: usize) {
        if i > 0 {
            self.out.push_str(", ");
        }
    }

    /// What the engine writes of a value that cannot be looked into. Values inside of it would be
    /// written by the engine too, so they are left out.
    fn closed(&mut self, value: Value<'v>) -> anyhow::Result<()> {
        let left = self.budget.saturating_sub(self.out.len());
        let is_function = matches!(value.get_type(), "function" | "field" | "set");
        let most = if is_function { LONGEST_CLOSED.min(left) } else { left };
        let mut head = Head::new(most, None);
        let whole = write!(head, "{value}").is_ok();
        let holder = CLOSED.iter().find(|open| head.text.starts_with(**open));
        match holder {
            Some(open) if is_function => self.push(&format!("{open}...)")),
            _ if whole => self.push(&head.text),
            _ if is_function => self.push(&format!("{}...", head.text)),
            _ => self.room(left.saturating_add(1)),
        }
    }

    fn tick(&mut self) -> anyhow::Result<()> {
        self.written += 1;
        match self.gauge {
            Some(gauge) if self.written.is_multiple_of(STRIDE) => gauge.in_time(),
            _ => Ok(()),
        }
    }
}

/// `record[Point](`: the type's name is known to the engine alone.
fn opening(record: Value<'_>) -> String {
    let mut head = Head::new(LONGEST_CLOSED, Some('('));
    let _ = write!(head, "{record}");
    head.text + "("
}

/// The beginning of what is written to it: so many bytes, or up to a character.
struct Head {
    text: String,
    most: usize,
    until: Option<char>,
}

impl Head {
    fn new(most: usize, until: Option<char>) -> Self {
        Self { text: String::new(), most, until }
    }
}

impl Write for Head {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if let Some(end) = self.until.and_then(|until| text.find(until)) {
            self.text.push_str(&text[..end]);
            return Err(fmt::Error);
        }
        if self.text.len() + text.len() > self.most {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}
