//! Built-in functions whose work grows with the product of two lengths: `SQLite` asks nobody while
//! one of them runs, so that each call is bounded before it begins.

use super::like;
use crate::term::Term;
use model::show_size;
use parking_lot::Mutex;
use rusqlite::functions::{Context, FunctionFlags, SubType};
use rusqlite::limits::Limit;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, ErrorCode, params_from_iter};
use std::sync::Arc;

/// Most bytes compared by a call, where they are compared with `memcmp`: about a second.
const FAST_WORK: u64 = 1 << 34;
/// The same, where they are compared one by one.
const SLOW_WORK: u64 = 1 << 28;
/// Marks text as JSON for the JSON functions around it.
const JSON: SubType = Some('J' as u32);

/// Work of a call, from the lengths of its first two arguments.
type Work = fn(u64, u64) -> u64;

/// Name, number of arguments, work and the most of it.
const BOUNDED: [(&str, i32, Work, u64); 8] = [
    ("instr", 2, u64::saturating_mul, FAST_WORK),
    ("replace", 3, u64::saturating_mul, FAST_WORK),
    ("trim", 2, u64::saturating_mul, SLOW_WORK),
    ("ltrim", 2, u64::saturating_mul, SLOW_WORK),
    ("rtrim", 2, u64::saturating_mul, SLOW_WORK),
    ("unhex", 2, u64::saturating_mul, SLOW_WORK),
    ("json_patch", 2, keys_by_keys, FAST_WORK),
    ("jsonb_patch", 2, keys_by_keys, FAST_WORK),
];

/// Every key of the patch is looked for among those of the target and those added so far.
fn keys_by_keys(target: u64, patch: u64) -> u64 {
    patch.saturating_mul(target.saturating_add(patch))
}

/// Replaces these functions, and `LIKE` and `GLOB`, on a connection.
pub(super) fn bound(connection: &Connection, term: &Term) -> rusqlite::Result<()> {
    let original = Arc::new(Original::new(connection.limit(Limit::SQLITE_LIMIT_LENGTH)?));
    for (name, count, work, most) in BOUNDED {
        let original = Arc::clone(&original);
        connection.create_scalar_function(name, count, flags(), move |context| {
            check(context, name, work, most)?;
            original.call(name, context)
        })?;
    }
    like::register(connection, term, &original)
}

/// Without these, views and indexes could not use them.
pub(super) fn flags() -> FunctionFlags {
    FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS
        | FunctionFlags::SQLITE_RESULT_SUBTYPE
}

fn check(context: &Context<'_>, name: &str, work: Work, most: u64) -> rusqlite::Result<()> {
    let lengths = [0, 1].map(|index| length(context.get_raw(index)));
    if work(lengths[0] as u64, lengths[1] as u64) <= most {
        return Ok(());
    }
    let [first, second] = lengths.map(show_size);
    let why = format!("{name}() of {first} and {second} takes too long: shorten one of them");
    Err(Error::UserFunctionError(why.into()))
}

fn length(value: ValueRef<'_>) -> usize {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
        // A number is a text of at most 24 characters.
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 24,
    }
}

/// The built-in functions themselves, on an empty database that is opened for the first call.
pub(super) struct Original {
    connection: Mutex<Option<Connection>>,
    longest: i32,
}

impl Original {
    fn new(longest: i32) -> Self {
        Self { connection: Mutex::default(), longest }
    }

    fn call(&self, name: &str, context: &Context<'_>) -> rusqlite::Result<(Value, SubType)> {
        let places = vec!["?"; context.len()].join(", ");
        let given = (0..context.len()).map(|index| context.get_raw(index));
        let value = self.evaluate(&format!("SELECT {name}({places})"), given)?;
        let subtype = if name == "json_patch" { JSON } else { None };
        Ok((value, subtype))
    }

    /// A value as `SQLite` writes it.
    pub(super) fn text(&self, value: ValueRef<'_>) -> rusqlite::Result<Value> {
        self.evaluate("SELECT CAST(? AS TEXT)", std::iter::once(value))
    }

    fn evaluate<'v>(
        &self,
        sql: &str,
        given: impl Iterator<Item = ValueRef<'v>>,
    ) -> rusqlite::Result<Value> {
        let mut opened = self.connection.lock();
        let connection = match &mut *opened {
            Some(connection) => connection,
            none => none.insert(self.open()?),
        };
        let mut statement = connection.prepare_cached(sql)?;
        let given = params_from_iter(given.map(rusqlite::types::ToSqlOutput::Borrowed));
        let value = statement.query_row(given, |row| row.get(0));
        value.map_err(|error| match error {
            // With its words it would be an error like any other.
            Error::SqliteFailure(code, _) if code.code == ErrorCode::TooBig => {
                Error::SqliteFailure(code, None)
            }
            error => error,
        })
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open_in_memory()?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, self.longest)?;
        Ok(connection)
    }
}
