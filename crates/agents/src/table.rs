//! The table: cases against clients, characters read.

use crate::case::Row;
use crate::client::Column;
use crate::reading::Reading;

/// One case in one client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    text: String,
    pub(crate) problem: Option<String>,
}

impl Cell {
    pub(crate) fn passed(text: impl Into<String>) -> Self {
        Self { text: text.into(), problem: None }
    }

    pub(crate) fn failed(problem: String) -> Self {
        Self { text: "**fails**".to_owned(), problem: Some(problem) }
    }

    pub(crate) fn not_installed(package: &str) -> Self {
        Self {
            text: "**not installed**".to_owned(),
            problem: Some(format!("{package} is not installed; npm says above why")),
        }
    }

    /// A row that does not concern the client.
    fn empty() -> Self {
        Self::passed("–")
    }
}

impl From<Reading> for Cell {
    fn from(reading: Reading) -> Self {
        let read = thousands(reading.read);
        let text = match (reading.cut_from, &reading.problem) {
            (_, Some(_)) => format!("**{read}**"),
            (Some(sent), None) => format!("{read} of {}", thousands(sent)),
            (None, None) => read,
        };
        Self { text, problem: reading.problem }
    }
}

/// Cells by row and column.
pub(crate) struct Table {
    titles: Vec<String>,
    /// Each with its title.
    columns: Vec<(String, Vec<Cell>)>,
    versions: Vec<String>,
}

impl Table {
    pub(crate) fn new(rows: &[Row]) -> Self {
        Self {
            titles: rows.iter().map(|row| row.title.clone()).collect(),
            columns: Vec::new(),
            versions: Vec::new(),
        }
    }

    /// Adds a client; rows without a cell do not concern it.
    pub(crate) fn push(&mut self, version: &str, column: &Column, cells: Vec<Option<Cell>>) {
        self.versions.push(version.to_owned());
        let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(Cell::empty));
        self.columns.push((column.title.clone(), cells.collect()));
    }

    pub(crate) fn failures(&self) -> Vec<String> {
        let columns = self.columns.iter();
        let cells = columns.flat_map(|(column, cells)| {
            let cells = self.titles.iter().zip(cells);
            cells.filter_map(move |(title, cell)| {
                let problem = cell.problem.as_ref()?;
                Some(format!("{column}: {title}: {problem}"))
            })
        });
        cells.collect()
    }

    pub(crate) fn markdown(&self) -> String {
        let columns = self.columns.iter();
        let titles: Vec<&str> = columns.map(|(title, _)| title.as_str()).collect();
        let mut lines = vec![
            format!("| characters read | {} |", titles.join(" | ")),
            format!("|---|{}", "---|".repeat(titles.len())),
            format!("| version | {} |", self.versions.join(" | ")),
        ];
        for (index, title) in self.titles.iter().enumerate() {
            let cells = self.columns.iter().map(|(_, cells)| cells[index].text.as_str());
            let cells: Vec<&str> = cells.collect();
            lines.push(format!("| {title} | {} |", cells.join(" | ")));
        }
        lines.join("\n") + "\n"
    }
}

/// A number with a comma after every three digits.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Asks;

    #[test]
    fn failures_are_bold_and_named() {
        let row =
            |title: &str| Row::new(title, Asks::Find { words: Vec::new(), tools: Vec::new() });
        let mut table = Table::new(&[row("a"), row("b"), row("c"), row("d")]);
        let column = Column { name: "x".to_owned(), title: "X".to_owned(), model: "m".to_owned() };
        let reading = |read, cut_from, problem: Option<&str>| {
            let problem = problem.map(str::to_owned);
            Some(Cell::from(Reading { read, cut_from, problem }))
        };
        let cells = vec![
            reading(1234, None, None),
            reading(12, Some(1_234_567), None),
            reading(8, None, Some("more than sent")),
            None,
        ];
        table.push("1.0", &column, cells);
        let expected = "\
| characters read | X |
|---|---|
| version | 1.0 |
| a | 1,234 |
| b | 12 of 1,234,567 |
| c | **8** |
| d | – |
";
        assert_eq!(table.markdown(), expected);
        assert_eq!(table.failures(), ["X: c: more than sent"]);
    }
}
