//! What `sqlite` and `postgres` have in common: statements go out, rows come back.

use crate::stdlib::prelude::*;
use model::{Cell, Database, SqlAnswer, SqlRequest, Statement};
use serde_json::Value as Json;

/// The functions of a library for databases: how a script names one, and, where tables lie in schemas,
/// the parameter for it.
macro_rules! database_natives {
    (
        $(#[$about:meta])*
        ($database:ident: $type:ty => $open:ident $(, $schema:ident)?)
        $(#[$query:meta])* query;
        $(#[$execute:meta])* execute;
        $(#[$transaction:meta])* transaction;
        $(#[$list_tables:meta])* list_tables;
        $(#[$describe_table:meta])* describe_table;
    ) => {
        $(#[$about])*
        #[starlark_module]
        pub(super) fn natives(builder: &mut GlobalsBuilder) {
            $(#[$query])*
            fn query<'v>(
                $database: $type,
                query: &str,
                params: Option<Value<'v>>,
                #[starlark(require = named)] max_rows: Option<Value<'v>>,
                eval: &mut Evaluator<'v, '_, '_>,
            ) -> anyhow::Result<Value<'v>> {
                let statement = sql::statement(query, params, eval)?;
                let max_rows = sql::row_count(max_rows)?;
                sql::rows(&$open($database)?, &SqlRequest::Query { statement, max_rows }, eval)
            }

            $(#[$execute])*
            fn execute<'v>(
                $database: $type,
                statement: &str,
                params: Option<Value<'v>>,
                eval: &mut Evaluator<'v, '_, '_>,
            ) -> anyhow::Result<u64> {
                let request = SqlRequest::Execute(sql::statement(statement, params, eval)?);
                // Rows changed by the only statement there was.
                Ok(sql::ask(&$open($database)?, &request, eval)?.changed.iter().sum())
            }

            $(#[$transaction])*
            fn transaction<'v>(
                $database: $type,
                statements: Value<'v>,
                eval: &mut Evaluator<'v, '_, '_>,
            ) -> anyhow::Result<Value<'v>> {
                let request = SqlRequest::Transaction(sql::statements(statements, eval)?);
                let answer = sql::ask(&$open($database)?, &request, eval)?;
                Ok(eval.heap().alloc(AllocList(answer.changed)))
            }

            $(#[$list_tables])*
            fn list_tables<'v>(
                $database: $type,
                $(#[starlark(default = "public")] $schema: &str,)?
                eval: &mut Evaluator<'v, '_, '_>,
            ) -> anyhow::Result<Value<'v>> {
                let schema = None$(.or(Some($schema.to_owned())))?;
                sql::rows(&$open($database)?, &SqlRequest::Tables { schema }, eval)
            }

            $(#[$describe_table])*
            fn describe_table<'v>(
                $database: $type,
                table_name: &str,
                $(#[starlark(default = "public")] $schema: &str,)?
                eval: &mut Evaluator<'v, '_, '_>,
            ) -> anyhow::Result<Value<'v>> {
                let schema = None$(.or(Some($schema.to_owned())))?;
                let table = table_name.to_owned();
                sql::rows(&$open($database)?, &SqlRequest::Describe { table, schema }, eval)
            }
        }
    };
}

pub(super) use database_natives;

/// Asks the host. When the time ran out meanwhile, that is what ends the call, not its echo.
pub(super) fn ask(
    database: &Database,
    request: &SqlRequest,
    eval: &Evaluator<'_, '_, '_>,
) -> anyhow::Result<SqlAnswer> {
    let gauge = &Cx::of(eval)?.gauge;
    let answer = Cx::host(eval)?.sql(database, request, &gauge.leash());
    answer.or_else(|error| {
        gauge.in_time()?;
        Err(error.into())
    })
}

/// A statement with its parameters: none, a list or a tuple.
pub(super) fn statement<'v>(
    sql: &str,
    params: Option<Value<'v>>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Statement> {
    let params = match params.filter(|params| !params.is_none()) {
        None => Vec::new(),
        Some(params) => match items(params) {
            Some(items) => items.iter().map(|item| json(*item, eval)).collect::<Result<_, _>>()?,
            None => bail!("params must be a list, not a {}", params.get_type()),
        },
    };
    Ok(Statement { sql: sql.to_owned(), params })
}

/// The argument `max_rows`, if it is given.
pub(super) fn row_count(max_rows: Option<Value<'_>>) -> anyhow::Result<Option<usize>> {
    let Some(given) = max_rows.filter(|given| !given.is_none()) else {
        return Ok(None);
    };
    let count = given.unpack_i32().and_then(|count| usize::try_from(count).ok());
    match count.filter(|count| *count > 0) {
        Some(count) => Ok(Some(count)),
        None => bail!("max_rows must be an integer greater than zero"),
    }
}

/// Statements of a transaction: each a text, or a text with its parameters.
pub(super) fn statements<'v>(
    given: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Vec<Statement>> {
    let Some(given) = items(given) else {
        bail!("statements must be a list, not a {}", given.get_type());
    };
    let one = |item: &Value<'v>| {
        if let Some(sql) = item.unpack_str() {
            return statement(sql, None, eval);
        }
        let pair = items(*item).unwrap_or_default();
        match (pair.first().and_then(|sql| sql.unpack_str()), pair) {
            (Some(sql), [_]) => statement(sql, None, eval),
            (Some(sql), [_, params]) => statement(sql, Some(*params), eval),
            _ => bail!("a statement is a string, or a pair (sql, params)"),
        }
    };
    given.iter().map(one).collect()
}

/// The rows of an answer, as dicts that share their keys.
pub(super) fn rows<'v>(
    database: &Database,
    request: &SqlRequest,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Value<'v>> {
    let (answer, heap) = (ask(database, request, eval)?, eval.heap());
    let mut receiver = Receiver::new(heap);
    let keys = answer.columns.iter().map(|name| receiver.key(name));
    let keys: Vec<Value<'v>> = keys.collect::<Result<_, _>>()?;
    let mut rows = Vec::with_capacity(answer.rows.len());
    for row in &answer.rows {
        let mut entries = Vec::with_capacity(keys.len());
        for (key, cell) in keys.iter().zip(row) {
            entries.push((*key, value(cell, &mut receiver, heap)?));
        }
        rows.push(heap.alloc(AllocDict(entries)));
    }
    Ok(heap.alloc(AllocList(rows)))
}

fn value<'v>(
    cell: &Cell,
    receiver: &mut Receiver<'v>,
    heap: Heap<'v>,
) -> anyhow::Result<Value<'v>> {
    let scalar = match cell {
        Cell::Null => Value::new_none(),
        Cell::Bool(truth) => Value::new_bool(*truth),
        Cell::Int(integer) => heap.alloc(*integer),
        Cell::Float(float) => heap.alloc(*float),
        Cell::Text(text) => heap.alloc(text.as_str()),
        Cell::Json(json) => return Ok(receiver.field(json)?),
    };
    Ok(receiver.cell(scalar)?)
}

fn items(value: Value<'_>) -> Option<&[Value<'_>]> {
    let list = ListRef::from_value(value).map(ListRef::content);
    list.or_else(|| TupleRef::from_value(value).map(TupleRef::content))
}

fn json<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<Json> {
    let budget = Budget::from(&Cx::of(eval)?.gauge.limits);
    Ok(to_json(value, eval.heap(), budget)?)
}
