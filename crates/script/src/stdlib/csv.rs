//! `csv`: rows of cells, as spreadsheets pass them on.

use super::checked::size::{gauge, items};
use super::show::{self, measure};
use crate::convert::write_json;
use crate::stdlib::prelude::*;
use ::csv::{QuoteStyle, ReaderBuilder, StringRecord, Terminator, WriterBuilder};
use std::collections::HashSet;

/// About what a cell takes beside its text: its place in a row, and in a dict its key.
const CELL: usize = 48;

fn delimiter(given: &str) -> anyhow::Result<u8> {
    match given.as_bytes() {
        [byte] if !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => bail!("csv: a delimiter is one character such as \",\" or \"\\t\", not {given:?}"),
    }
}

/// The names of the columns, each once.
fn header(record: &StringRecord) -> anyhow::Result<Vec<String>> {
    let mut seen = HashSet::new();
    if let Some(twice) = record.iter().find(|name| !seen.insert(*name)) {
        bail!("csv.decode: two columns are called \"{twice}\"; read them with header = False");
    }
    Ok(record.iter().map(str::to_owned).collect())
}

/// A cell as it is written: nested values as JSON, None as nothing.
fn cell<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<String> {
    if let Some(text) = value.unpack_str() {
        return Ok(text.to_owned());
    }
    if value.is_none() {
        return Ok(String::new());
    }
    measure(value, gauge(eval)?)?;
    Ok(write_json(value, eval.heap(), super::json::budget(eval)?)?)
}

/// The keys of all rows that are dicts, in the order they first come.
fn columns<'v>(rows: &[Value<'v>]) -> anyhow::Result<Vec<Value<'v>>> {
    let mut seen = HashSet::new();
    let mut columns = Vec::new();
    for dict in rows.iter().filter_map(|row| DictRef::from_value(*row)) {
        for key in dict.keys() {
            let Some(name) = key.unpack_str() else {
                bail!("csv.encode: a column's name must be a string, not a {}", key.get_type());
            };
            if seen.insert(name) {
                columns.push(key);
            }
        }
    }
    Ok(columns)
}

/// One row's cells, in the order of the columns if it is a dict.
fn row<'v>(
    row: Value<'v>,
    columns: &[Value<'v>],
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<Vec<String>> {
    let cells: Vec<Value<'v>> = if let Some(dict) = DictRef::from_value(row) {
        let found = columns.iter().map(|column| dict.get(*column));
        let found: Result<Vec<_>, _> = found.collect();
        let or_none = |cell: Option<Value<'v>>| cell.unwrap_or_else(Value::new_none);
        found?.into_iter().map(or_none).collect()
    } else if let (Some(list), true) = (ListRef::from_value(row), columns.is_empty()) {
        list.content().to_vec()
    } else if let (Some(tuple), true) = (TupleRef::from_value(row), columns.is_empty()) {
        tuple.content().to_vec()
    } else {
        let kind = row.get_type();
        return Err(anyhow::anyhow!(
            "csv.encode: rows are all dicts or all lists; here is a {kind} among them"
        )
        .into());
    };
    let cells: anyhow::Result<Vec<String>> = cells.into_iter().map(|c| cell(c, eval)).collect();
    Ok(cells?)
}

/// Rows of cells, as spreadsheets pass them on.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// The rows of a CSV text: dicts by the header, or lists with `header = False`.
    ///
    /// Cells are strings. Rows are of one length, the header's names all different. `delimiter` is
    /// one character, such as `;` or a tab.
    ///
    /// Examples:
    /// ```python
    /// >>> csv.decode("name,pieces\nscrews,3\n\"nuts, large\",12\n")
    /// [{"name": "screws", "pieces": "3"}, {"name": "nuts, large", "pieces": "12"}]
    /// >>> csv.decode("a;b", header = False, delimiter = ";")
    /// [["a", "b"]]
    /// >>> csv.decode("a,b\n1\n")
    /// error: csv.decode: line 2 has 1 cell, the first line has 2
    /// ```
    fn decode<'v>(
        #[starlark(require = pos)] s: &str,
        #[starlark(default = true)] header: bool,
        #[starlark(default = ",")] delimiter: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let gauge = gauge(eval)?;
        gauge.text(s.len(), "CSV")?;
        let heap = eval.heap();
        let text = s.strip_prefix('\u{feff}').unwrap_or(s);
        let delimiter = self::delimiter(delimiter)?;
        // Looked at before the reader, which takes a whole row at a time.
        let ends = text.bytes().filter(|byte| matches!(byte, b'\n') || *byte == delimiter);
        gauge.elements(ends.count(), "CSV")?;
        let mut reader = ReaderBuilder::new()
            .has_headers(header)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(text.as_bytes());
        let names = if header { self::header(reader.headers()?)? } else { Vec::new() };
        let mut receiver = Receiver::new(heap);
        let names: Result<Vec<Value>, _> = names.iter().map(|name| receiver.key(name)).collect();
        let names = names.map_err(|why| anyhow::anyhow!("csv.decode: {why}"))?;
        let mut width = header.then_some(names.len());
        let (mut rows, mut cells) = (Vec::new(), 0);
        let mut record = StringRecord::new();
        while reader.read_record(&mut record).map_err(|e| anyhow::anyhow!("csv.decode: {e}"))? {
            let width = *width.get_or_insert(record.len());
            if record.len() != width {
                let line = record.position().map_or(0, ::csv::Position::line);
                let (found, s) = (record.len(), if record.len() == 1 { "" } else { "s" });
                bail!("csv.decode: line {line} has {found} cell{s}, the first line has {width}");
            }
            cells += record.len();
            gauge.elements(cells, "CSV")?;
            gauge.outside_heap(record.len() * CELL);
            gauge.memory(eval)?;
            if rows.len() % 1_000 == 0 {
                gauge.in_time()?;
            }
            let cells = record.iter().map(|cell| receiver.cell(heap.alloc(cell)));
            let values: Result<Vec<Value>, _> = cells.collect();
            let values = values.map_err(|why| anyhow::anyhow!("csv.decode: {why}"))?;
            rows.push(if header {
                heap.alloc(AllocDict(names.iter().copied().zip(values).collect::<Vec<_>>()))
            } else {
                heap.alloc(AllocList(values))
            });
        }
        Ok(heap.alloc(AllocList(rows)))
    }

    /// Rows as CSV text: dicts, whose keys become the header, or lists.
    ///
    /// None becomes an empty cell, nested values become JSON.
    ///
    /// Examples:
    /// ```python
    /// >>> csv.encode([{"name": "screws", "pieces": 3}, {"name": "a \"b\", c", "used": True}])
    /// "name,pieces,used\nscrews,3,\n\"a \"\"b\"\", c\",,true\n"
    /// >>> csv.encode([[1, None, "x"]], delimiter = "\t")
    /// "1\t\tx\n"
    /// ```
    fn encode<'v>(
        #[starlark(require = pos)] rows: Value<'v>,
        #[starlark(default = true)] header: bool,
        #[starlark(default = ",")] delimiter: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<String> {
        let gauge = gauge(eval)?;
        let rows = items(rows, "csv.encode", eval)?;
        let columns = columns(&rows)?;
        gauge.elements(rows.len().saturating_mul(columns.len()), "CSV")?;
        let mut writer = WriterBuilder::new()
            .flexible(true)
            .delimiter(self::delimiter(delimiter)?)
            .quote_style(QuoteStyle::Necessary)
            .terminator(Terminator::Any(b'\n'))
            .from_writer(Vec::new());
        let mut length = 0_usize;
        let mut write = |cells: &[String]| -> anyhow::Result<()> {
            let longest = cells.iter().map(|cell| 2 * cell.len() + 3).sum::<usize>();
            length = length.saturating_add(longest);
            gauge.text(length, "CSV")?;
            gauge.in_time()?;
            Ok(writer.write_record(cells)?)
        };
        if header && !columns.is_empty() {
            let names: Vec<String> = columns.iter().map(|name| show::plain(*name)).collect();
            write(&names)?;
        }
        for value in rows {
            write(&row(value, &columns, eval)?)?;
        }
        let bytes = writer.into_inner().map_err(|e| anyhow::anyhow!("csv.encode: {e}"))?;
        Ok(String::from_utf8(bytes).map_err(anyhow::Error::from)?)
    }
}
