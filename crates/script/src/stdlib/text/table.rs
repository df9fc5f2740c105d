//! Rows laid out in columns, by the width that characters have on a terminal.

use super::lines::width;
use crate::convert::write_json;
use crate::gauge::Gauge;
use crate::stdlib::prelude::*;
use crate::stdlib::show;
use std::collections::HashSet;

/// Each takes some memory until the table is written.
const MOST_CELLS: usize = 1_000_000;
/// Between two columns.
const GAP: &str = "  ";

pub(super) struct Table {
    header: Option<Vec<Cell>>,
    rows: Vec<Vec<Cell>>,
    columns: Vec<Column>,
}

struct Cell {
    text: String,
    width: usize,
    is_number: bool,
}

#[derive(Clone)]
struct Column {
    width: usize,
    /// Nothing but numbers, and at least one.
    numbers: bool,
    texts: bool,
}

impl Table {
    pub(super) fn of<'v>(
        rows: &[Value<'v>],
        header: Option<Vec<Value<'v>>>,
        eval: &Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Self> {
        let header = header.or_else(|| keys(rows));
        let gauge = &crate::cx::Cx::of(eval)?.gauge;
        let mut cells = 0_usize;
        let mut made = Vec::with_capacity(rows.len());
        for row in rows {
            let values = values(*row, header.as_deref())?;
            cells += values.len();
            gauge.elements(cells, "a table")?;
            if cells > MOST_CELLS {
                return Err(anyhow::anyhow!("text.table: more than {MOST_CELLS} cells").into());
            }
            gauge.in_time()?;
            let row: anyhow::Result<Vec<Cell>> =
                values.into_iter().map(|value| cell(value, eval)).collect();
            made.push(row?);
        }
        let header = header.map(|names| names.into_iter().map(|name| cell(name, eval)).collect());
        let header: Option<Vec<Cell>> = header.transpose()?;
        let columns = columns(header.as_deref(), &made);
        Ok(Self { header, rows: made, columns })
    }

    pub(super) fn render(&self, gauge: &Gauge) -> anyhow::Result<String> {
        // A character takes at most four bytes, whatever its width; a line ends in a break.
        let line: usize = self.columns.iter().map(|column| column.width + 2).sum();
        let texts: usize = self.rows.iter().flatten().map(|cell| cell.text.len()).sum();
        let lines = self.rows.len() + 2;
        gauge.text(line.saturating_mul(lines).saturating_add(texts), "a table")?;
        let mut out = String::new();
        if let Some(header) = &self.header {
            self.line(header, &mut out);
            let dashes = self.columns.iter().map(|column| "-".repeat(column.width));
            out.push_str(&dashes.collect::<Vec<_>>().join(GAP));
            out.push('\n');
        }
        for row in &self.rows {
            self.line(row, &mut out);
        }
        Ok(out)
    }

    fn line(&self, cells: &[Cell], out: &mut String) {
        let start = out.len();
        for (i, (cell, column)) in cells.iter().zip(&self.columns).enumerate() {
            out.push_str(if i > 0 { GAP } else { "" });
            let padding = std::iter::repeat_n(' ', column.width - cell.width);
            if column.numbers && !column.texts {
                out.extend(padding);
                out.push_str(&cell.text);
            } else {
                out.push_str(&cell.text);
                out.extend(padding);
            }
        }
        let end = out.trim_end_matches(' ').len().max(start);
        out.truncate(end);
        out.push('\n');
    }
}

/// The keys of all rows that are dicts, in the order they first come; None if there is no dict.
fn keys<'v>(rows: &[Value<'v>]) -> Option<Vec<Value<'v>>> {
    let mut seen = HashSet::new();
    let mut keys = Vec::new();
    for dict in rows.iter().filter_map(|row| DictRef::from_value(*row)) {
        let new = dict.keys().filter(|key| seen.insert(show::plain(*key)));
        keys.extend(new.collect::<Vec<_>>());
    }
    (!keys.is_empty()).then_some(keys)
}

fn values<'v>(row: Value<'v>, header: Option<&[Value<'v>]>) -> starlark::Result<Vec<Value<'v>>> {
    if let Some(dict) = DictRef::from_value(row) {
        let cell = |key: &Value<'v>| Ok(dict.get(*key)?.unwrap_or_else(Value::new_none));
        return header.unwrap_or_default().iter().map(cell).collect();
    }
    if let Some(list) = ListRef::from_value(row) {
        return Ok(list.content().to_vec());
    }
    if let Some(tuple) = TupleRef::from_value(row) {
        return Ok(tuple.content().to_vec());
    }
    let kind = row.get_type();
    Err(anyhow::anyhow!("text.table: a row is a dict or a list, not a {kind}").into())
}

/// One line of text: breaks and tabs become blanks, nested values JSON.
fn cell<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<Cell> {
    let is_number = matches!(value.get_type(), "int" | "float");
    let text = match value.unpack_str() {
        Some(text) => text.to_owned(),
        None if value.is_none() => String::new(),
        None => {
            let budget = crate::stdlib::json::budget(eval)?;
            match write_json(value, eval.heap(), budget) {
                Ok(json) => json,
                Err(_) => show::text(value, eval)?,
            }
        }
    };
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let width = text.chars().map(width).sum();
    Ok(Cell { text, width, is_number })
}

fn columns(header: Option<&[Cell]>, rows: &[Vec<Cell>]) -> Vec<Column> {
    let widest = rows.iter().map(Vec::len).chain(header.map(<[Cell]>::len));
    let none = Column { width: 0, numbers: false, texts: false };
    let mut columns = vec![none; widest.max().unwrap_or(0)];
    for row in rows {
        for (cell, column) in row.iter().zip(&mut columns) {
            column.width = column.width.max(cell.width);
            column.numbers |= cell.is_number;
            column.texts |= !cell.is_number && !cell.text.is_empty();
        }
    }
    for (cell, column) in header.unwrap_or_default().iter().zip(&mut columns) {
        column.width = column.width.max(cell.width);
    }
    columns
}
