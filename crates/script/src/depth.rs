//! Looks now and then at how deeply values are nested. The engine recurses where it hashes, removes
//! and prints them, and a stack that overflows ends the process.

use crate::stdlib::prelude::*;
use crate::stdlib::show::DEEPEST;
use starlark::values::record::Record;
use starlark::values::structs::StructRef;
use std::cell::Cell;

/// Statements between two looks: a prime, so that a loop does not always show the same statement.
const STATEMENTS: u32 = 1_021;
/// Bytes that the heap may grow by between two looks: one statement can nest in a comprehension.
const GROWTH: usize = 1 << 20;
/// Containers that one look visits, and elements at either end of each.
const VISITS: usize = 2_048;
const ENDS: usize = 32;

/// When the next look is due.
#[derive(Default)]
pub(crate) struct DepthWatch {
    statements: Cell<u32>,
    heap: Cell<usize>,
    looks: Cell<usize>,
}

impl DepthWatch {
    /// Comes before each statement, with the bytes on the heap.
    pub(crate) fn statement(
        &self,
        heap: usize,
        eval: &Evaluator<'_, '_, '_>,
    ) -> anyhow::Result<()> {
        let statements = self.statements.get() + 1;
        self.statements.set(statements);
        if statements < STATEMENTS && heap.saturating_sub(self.heap.get()) < GROWTH {
            return Ok(());
        }
        self.statements.set(0);
        self.heap.set(heap);
        self.look(eval)
    }

    /// Looks into the variables of the function that runs; a loop that nests keeps what it has made
    /// in one of them.
    fn look(&self, eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<()> {
        let variables = eval.local_variables();
        let looks = self.looks.get();
        self.looks.set(looks.wrapping_add(1));
        // Each look begins with another variable, so that a large one cannot hide the others.
        let begin = looks % variables.len().max(1);
        let mut visits = VISITS;
        let later = variables.iter().skip(begin);
        for (name, value) in later.chain(variables.iter().take(begin)) {
            if is_deep(*value, &mut visits) {
                bail!(
                    "the value of `{name}` is nested deeper than {DEEPEST}; keep elements in one list instead"
                );
            }
        }
        Ok(())
    }
}

/// Goes down the last elements first: a chain is found after as many visits as it has links.
fn is_deep(value: Value<'_>, visits: &mut usize) -> bool {
    let mut waiting = vec![(value, 0)];
    while let Some((value, depth)) = waiting.pop() {
        if depth > DEEPEST {
            return true;
        }
        let Some(left) = visits.checked_sub(1) else {
            return false;
        };
        *visits = left;
        let hold = |element| (!is_scalar(element)).then_some((element, depth + 1));
        if let Some(list) = ListRef::from_value(value) {
            waiting.extend(ends(list.content()).filter_map(hold));
        } else if let Some(tuple) = TupleRef::from_value(value) {
            waiting.extend(ends(tuple.content()).filter_map(hold));
        } else if let Some(dict) = DictRef::from_value(value) {
            let entries = dict.iter().take(2 * ENDS);
            waiting.extend(entries.flat_map(|(k, v)| [k, v]).filter_map(hold));
        } else if let Some(fields) = StructRef::from_value(value) {
            waiting.extend(fields.iter().map(|(_, v)| v).filter_map(hold));
        } else if let Some(record) = Record::from_value(value) {
            waiting.extend(record.iter().map(|(_, v)| v).filter_map(hold));
        }
    }
    false
}

/// The elements at both ends of a sequence.
fn ends<'a, 'v>(values: &'a [Value<'v>]) -> impl Iterator<Item = Value<'v>> + use<'a, 'v> {
    let (first, rest) = values.split_at(values.len().min(ENDS));
    let last = &rest[rest.len().saturating_sub(ENDS)..];
    first.iter().chain(last).copied()
}

fn is_scalar(value: Value<'_>) -> bool {
    value.unpack_str().is_some() || value.unpack_i32().is_some() || value.is_none()
}
