//! `text.format(…)`: the engine's would write floats wrongly.

use crate::stdlib::show::{self, Secrets};
use anyhow::{anyhow, bail};
use starlark::eval::Evaluator;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark_syntax::dot_format_parser::{FormatConv, FormatParser, FormatToken};

/// Every place filled in.
pub(super) fn format<'v>(
    text: &str,
    args: &[Value<'v>],
    named: &DictRef<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<String> {
    let mut printer = show::printer(Secrets::Refused, eval)?;
    let mut parser = FormatParser::new(text);
    let mut places = Places { args, named, numbering: None };
    while let Some(token) = parser.next()? {
        match token {
            FormatToken::Text(text) => printer.push(text)?,
            FormatToken::Escape(brace) => printer.push(brace.as_str())?,
            FormatToken::Capture { capture, conv, .. } => {
                let value = places.value(capture)?;
                match conv {
                    FormatConv::Str => printer.str(value)?,
                    FormatConv::Repr => printer.repr(value)?,
                }
            }
        }
    }
    Ok(printer.out)
}

/// What fills the places.
struct Places<'a, 'v> {
    args: &'a [Value<'v>],
    named: &'a DictRef<'v>,
    numbering: Option<Numbering>,
}

/// Places without a name are counted, or all have numbers.
enum Numbering {
    /// The next one's number.
    Counted(usize),
    Given,
}

impl<'v> Places<'_, 'v> {
    fn value(&mut self, place: &str) -> anyhow::Result<Value<'v>> {
        if place.is_empty() {
            let next = match self.numbering {
                None => 0,
                Some(Numbering::Counted(next)) => next,
                Some(Numbering::Given) => bail!(MIXED),
            };
            self.numbering = Some(Numbering::Counted(next + 1));
            return self.at(next);
        }
        if place.bytes().all(|byte| byte.is_ascii_digit()) {
            if matches!(self.numbering, Some(Numbering::Counted(_))) {
                bail!(MIXED);
            }
            self.numbering = Some(Numbering::Given);
            return self.at(place.parse().unwrap_or(usize::MAX));
        }
        if let Some(sign) = place.chars().find(|c| ".,:[]".contains(*c)) {
            bail!("format: `{sign}` in {{{place}}}; a place is {{}}, {{0}} or {{name}}");
        }
        let given = self.named.get_str(place);
        given.ok_or_else(|| anyhow!("format: there is no value for {{{place}}}"))
    }

    fn at(&self, index: usize) -> anyhow::Result<Value<'v>> {
        let given = self.args.get(index).copied();
        let count = self.args.len();
        given.ok_or_else(|| anyhow!("format: the text has more places than values; {count} given"))
    }
}

const MIXED: &str = "format: write either {} or {0} for all places, not both";
