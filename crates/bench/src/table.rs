//! The table: figures side by side, and what they mean against the bar.

use std::fmt::{self, Display, Write};

use super::figure::{Amount, Figure, Unit};

pub(super) struct Row {
    what: String,
    larkspur: Option<Figure>,
    minimal: Option<Figure>,
    ratio: Option<f64>,
    bar: Option<Amount>,
    problem: Option<String>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    NoBar,
    Met,
    MissedBy(Amount),
    Failed(String),
}

impl Row {
    pub(super) fn new(what: impl Into<String>, larkspur: Figure) -> Self {
        Self {
            what: what.into(),
            larkspur: Some(larkspur),
            minimal: None,
            ratio: None,
            bar: None,
            problem: None,
        }
    }

    pub(super) fn failed(what: impl Into<String>, error: &anyhow::Error) -> Self {
        let problem = Some(format!("{error:#}").replace('|', "\\|").replace('\n', " "));
        Self { what: what.into(), larkspur: None, minimal: None, ratio: None, bar: None, problem }
    }

    pub(super) fn beside(mut self, minimal: Figure, ratio: impl Into<Option<f64>>) -> Self {
        self.minimal = Some(minimal);
        self.ratio = ratio.into();
        self
    }

    /// A bar in `Times` is for the ratio, any other for larkspur's own figure.
    pub(super) fn bar(mut self, bar: impl Into<Option<Amount>>) -> Self {
        self.bar = bar.into();
        self
    }

    /// Marks the row as worthless, and why.
    pub(super) fn spoiled(mut self, problem: Option<String>) -> Self {
        self.problem = problem;
        self
    }

    pub(super) fn verdict(&self) -> Verdict {
        if let Some(problem) = &self.problem {
            return Verdict::Failed(problem.clone());
        }
        let Some(Amount(limit, unit)) = self.bar else {
            return Verdict::NoBar;
        };
        let own = self.larkspur.as_ref().map(|figure| figure.amount.0);
        match if unit == Unit::Times { self.ratio } else { own } {
            Some(measured) if measured <= limit => Verdict::Met,
            Some(measured) => Verdict::MissedBy(Amount(measured - limit, unit)),
            None => Verdict::Failed("not measured".to_owned()),
        }
    }
}

impl Verdict {
    pub(super) fn is_bad(&self) -> bool {
        matches!(self, Self::MissedBy(_) | Self::Failed(_))
    }
}

pub(super) fn markdown(rows: &[Row]) -> String {
    let mut table = String::from(
        "| what | larkspur | minimal rmcp | ratio | bar | verdict |\n|---|---|---|---|---|---|\n",
    );
    for row in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} |",
            row.what,
            cell(row.larkspur.as_ref()),
            cell(row.minimal.as_ref()),
            cell(row.ratio.map(|ratio| Amount(ratio, Unit::Times))),
            cell(row.bar.map(|bar| format!("≤ {bar}"))),
            row.verdict()
        );
    }
    table
}

fn cell(content: Option<impl Display>) -> String {
    content.map_or_else(|| "–".to_owned(), |content| content.to_string())
}

impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBar => f.write_str("–"),
            Self::Met => f.write_str("met"),
            Self::MissedBy(amount) => write!(f, "**missed by {amount}**"),
            Self::Failed(problem) => write!(f, "**failed**: {problem}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(millis: f64) -> Row {
        Row::new("start", Amount(millis, Unit::Millis).noted("min 9.0"))
    }

    #[test]
    fn verdicts_follow_the_bar() {
        let bar = Amount(15.0, Unit::Millis);
        let beside = || Amount(2.0, Unit::Millis).alone();
        assert_eq!(row(12.0).verdict(), Verdict::NoBar);
        assert_eq!(row(15.0).bar(bar).verdict(), Verdict::Met);
        assert_eq!(row(17.5).bar(bar).verdict(), Verdict::MissedBy(Amount(2.5, Unit::Millis)));
        assert_eq!(
            row(17.5).beside(beside(), 1.2).bar(Amount(1.3, Unit::Times)).verdict(),
            Verdict::Met
        );
        assert_eq!(
            row(1.0).bar(Amount(1.3, Unit::Times)).verdict(),
            Verdict::Failed("not measured".to_owned())
        );
        assert_eq!(
            row(1.0).spoiled(Some("no".to_owned())).verdict(),
            Verdict::Failed("no".to_owned())
        );
    }

    #[test]
    fn the_table_is_markdown() {
        let rows = [
            row(17.5)
                .beside(Amount(2.0, Unit::Millis).alone(), 8.75)
                .bar(Amount(15.0, Unit::Millis)),
            Row::failed("reload", &anyhow::anyhow!("a|b\nc")),
        ];
        let lines = "\
| what | larkspur | minimal rmcp | ratio | bar | verdict |
|---|---|---|---|---|---|
| start | 17.5 ms (min 9.0) | 2.0 ms | 8.75 × | ≤ 15.0 ms | **missed by 2.5 ms** |
| reload | – | – | – | – | **failed**: a\\|b c |
";
        assert_eq!(markdown(&rows), lines);
    }
}
