//! Columns of types that have no form in JSON, spelled out by the server.

use super::cells::is_readable;
use model::HostError;
use tokio_postgres::Column;

/// The same statement, with such columns as text; nothing if there are none.
pub(super) fn spelled(sql: &str, columns: &[Column]) -> Option<String> {
    unreadable(columns)?;
    let (mut names, mut chosen) = (Vec::new(), Vec::new());
    for (index, column) in columns.iter().enumerate() {
        let cast = if is_readable(column.type_()) { "" } else { "::pg_catalog.text" };
        let name = column.name().replace('"', "\"\"");
        chosen.push(format!("c{index}{cast} AS \"{name}\""));
        names.push(format!("c{index}"));
    }
    let (names, chosen) = (names.join(", "), chosen.join(", "));
    let sql = sql.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    // On a line of its own, in case that the statement ends in a comment.
    Some(format!("SELECT {chosen} FROM ({sql}\n) AS t({names})"))
}

/// What is said where that does not work.
pub(super) fn cannot_be_read(columns: &[Column]) -> HostError {
    let Some(column) = unreadable(columns) else {
        return HostError("the answer cannot be read here".into());
    };
    let (name, kind) = (column.name(), column.type_().name());
    HostError(format!("column `{name}` of type {kind} cannot be read here: select it as ::text"))
}

fn unreadable(columns: &[Column]) -> Option<&Column> {
    let mut columns = columns.iter();
    columns.find(|column| !is_readable(column.type_()))
}
