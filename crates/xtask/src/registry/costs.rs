//! What the services sent, beside what the model reads of it.

use std::fmt;

use serde_json::Value;
use standins::Standins;

use super::plan::Task;

pub(super) struct Costs(Vec<Row>);

struct Row {
    name: String,
    requests: usize,
    /// Tokens.
    sent: usize,
    read: usize,
}

impl Costs {
    pub(super) fn of(standins: &Standins, tasks: &[Task], answer: &Value) -> Self {
        let rows = standins.by_module().map(|(module, standin)| {
            let given = standin.given();
            let own = tasks.iter().filter(|task| task.module == module);
            let texts = own.filter_map(|task| answer["results"][&task.id].as_str());
            Row {
                name: module.to_owned(),
                requests: given.len(),
                sent: given.iter().map(|one| tokens(&one.body)).sum(),
                read: texts.map(tokens).sum(),
            }
        });
        let mut rows = Vec::from(rows);
        rows.push(Row {
            name: "in all".to_owned(),
            requests: rows.iter().map(|row| row.requests).sum(),
            sent: rows.iter().map(|row| row.sent).sum(),
            read: rows.iter().map(|row| row.read).sum(),
        });
        Self(rows)
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "          requests   services sent   the model reads")?;
        for row in &self.0 {
            let thousandths = 1000 * row.read / row.sent.max(1);
            let share = format!("{}.{} %", thousandths / 10, thousandths % 10);
            let (requests, sent, read) = (row.requests, row.sent, row.read);
            write!(f, "{:<10}{requests:>8}", row.name)?;
            writeln!(f, "{sent:>9} tokens{read:>11} tokens{share:>8}")?;
        }
        write!(f, "{COUNTED}")
    }
}

#[cfg(feature = "o200k")]
const COUNTED: &str = "counted by o200k";

#[cfg(feature = "o200k")]
fn tokens(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

#[cfg(not(feature = "o200k"))]
const COUNTED: &str = "estimated, at three characters a token";

#[cfg(not(feature = "o200k"))]
fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(3)
}
