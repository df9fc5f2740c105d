//! Looks at how large a value is before it is compared or shown: one that holds itself twice, forty
//! times over, has no end.

use super::printer::DEEPEST;
use crate::gauge::Gauge;
use crate::stdlib::prelude::*;
use starlark::values::record::Record;
use starlark::values::structs::StructRef;

/// About how long the value is as text, or an error when it is too long or too deep.
pub(crate) fn measure(value: Value<'_>, gauge: &Gauge) -> anyhow::Result<usize> {
    if let Some(text) = value.unpack_str() {
        gauge.text(text.len(), "a text")?;
        return Ok(text.len());
    }
    let mut measure = Measure { left: gauge.text_budget(), budget: gauge.text_budget(), gauge };
    measure.value(value, 0)?;
    Ok(measure.budget - measure.left)
}

struct Measure<'a> {
    left: usize,
    budget: usize,
    gauge: &'a Gauge,
}

impl Measure<'_> {
    fn value(&mut self, value: Value<'_>, depth: usize) -> anyhow::Result<()> {
        if depth > DEEPEST {
            bail!(
                "a value nested deeper than {DEEPEST} cannot be shown, compared or used as a key"
            );
        }
        self.spend(value.unpack_str().map_or(4, str::len))?;
        if let Some(list) = ListRef::from_value(value) {
            return self.all(list.iter(), depth);
        }
        if let Some(dict) = DictRef::from_value(value) {
            return self.all(dict.iter().flat_map(|(k, v)| [k, v]), depth);
        }
        if let Some(tuple) = TupleRef::from_value(value) {
            return self.all(tuple.iter(), depth);
        }
        if let Some(fields) = StructRef::from_value(value) {
            return self.all(fields.iter().map(|(_, v)| v), depth);
        }
        if let Some(record) = Record::from_value(value) {
            return self.all(record.iter().map(|(_, v)| v), depth);
        }
        // A set is gone through as it is shown; a partial application cannot be looked into.
        if value.get_type() == "set" && value.length().is_ok_and(|n| n > 0) {
            let elements = value.length().unwrap_or_default();
            return self.spend(usize::try_from(elements).unwrap_or(0).saturating_mul(4));
        }
        Ok(())
    }

    fn all<'v>(
        &mut self,
        values: impl Iterator<Item = Value<'v>>,
        depth: usize,
    ) -> anyhow::Result<()> {
        for value in values {
            self.value(value, depth + 1)?;
        }
        Ok(())
    }

    fn spend(&mut self, bytes: usize) -> anyhow::Result<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => {
                self.gauge.leave_trial()?;
                bail!("the value is longer than {} bytes when shown or compared", self.budget)
            }
        }
        Ok(())
    }
}
