//! `sqlite`: databases in files.

use super::sql::{ask, changed, row_count, rows, statement, statements};
use model::{Database, SqlRequest};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::list::AllocList;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    builder.namespace("sqlite", natives);
}

fn file(path: &str) -> Database {
    Database::Sqlite(path.to_owned())
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// The rows of a SELECT, as a list of dicts; nothing may change.
    ///
    /// `?` stands for a value from `params`. Integers have 64 bits, bytes are `{"base64": "…"}`,
    /// True and False are 1 and 0. A column with the name of an earlier one is called `id_2`, `id_3` and
    /// so on, past names that other columns have. More than 10,000 rows or 8 MiB are an error: say
    /// `LIMIT`, or give `max_rows` to read that many rows and no more.
    ///
    /// The path is relative to the module's folder. A module names the files it may read as `sqlite` and
    /// those it may write as `sqlite_write`: in `[permissions]` of its `module.toml`, or in `permissions(…)` of a
    /// single file.
    ///
    /// Examples:
    /// ```python
    /// >>> sqlite.query("data/shop.db", "SELECT name, pieces FROM items WHERE pieces < ?", [10])
    /// [{"name": "screws", "pieces": 3}]
    /// ```
    fn query<'v>(
        db_path: &str,
        query: &str,
        params: Option<Value<'v>>,
        #[starlark(require = named)] max_rows: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let request = SqlRequest::Query {
            statement: statement(query, params, eval)?,
            max_rows: row_count(max_rows)?,
        };
        rows(&ask(&file(db_path), &request, eval)?, eval.heap())
    }

    /// Runs one statement that changes something; how many rows it changed.
    ///
    /// A file that is not there is made. Several statements that belong together go to
    /// `sqlite.transaction`.
    ///
    /// Examples:
    /// ```python
    /// >>> sqlite.execute("data/shop.db", "UPDATE items SET pieces = ? WHERE name = ?", [12, "screws"])
    /// 1
    /// ```
    fn execute<'v>(
        db_path: &str,
        statement: &str,
        params: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<u64> {
        let request = SqlRequest::Execute(self::statement(statement, params, eval)?);
        Ok(changed(&ask(&file(db_path), &request, eval)?))
    }

    /// Runs statements all or none: `[(sql, params), …]`; how many rows each changed.
    ///
    /// Examples:
    /// ```python
    /// >>> sqlite.transaction("data/shop.db", [("DELETE FROM items WHERE name = ?", ["nuts"]), "INSERT INTO log DEFAULT VALUES"])
    /// [1, 1]
    /// ```
    fn transaction<'v>(
        db_path: &str,
        statements: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let request = SqlRequest::Transaction(self::statements(statements, eval)?);
        let answer = ask(&file(db_path), &request, eval)?;
        Ok(eval.heap().alloc(AllocList(answer.changed)))
    }

    /// The tables in a file, as `[{"name": …}]` in the order of the alphabet.
    ///
    /// Examples:
    /// ```python
    /// >>> sqlite.list_tables("data/shop.db")
    /// [{"name": "items"}]
    /// ```
    fn list_tables<'v>(
        db_path: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let request = SqlRequest::Tables { schema: None };
        rows(&ask(&file(db_path), &request, eval)?, eval.heap())
    }

    /// A table's columns: a list of dicts with `cid`, `name`, `type`, `notnull`, `dflt_value` and `pk`.
    ///
    /// It is empty if there is no such table.
    ///
    /// Examples:
    /// ```python
    /// >>> [column["name"] for column in sqlite.describe_table("data/shop.db", "items")]
    /// ["name", "pieces"]
    /// ```
    fn describe_table<'v>(
        db_path: &str,
        table_name: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let request = SqlRequest::Describe { table: table_name.to_owned(), schema: None };
        rows(&ask(&file(db_path), &request, eval)?, eval.heap())
    }
}
