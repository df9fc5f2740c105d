//! `sqlite`: databases in files.

use super::sql::{self, database_natives};
use crate::stdlib::prelude::*;
use model::{Database, SqlRequest};

fn file(path: &str) -> anyhow::Result<Database> {
    Ok(Database::Sqlite(path.to_owned()))
}

database_natives! {
    /// Databases in files.
    (db_path: &str => file)

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
    query;

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
    execute;

    /// Runs statements all or none: `[(sql, params), …]`; how many rows each changed.
    ///
    /// Examples:
    /// ```python
    /// >>> sqlite.transaction("data/shop.db", [("DELETE FROM items WHERE name = ?", ["nuts"]), "INSERT INTO log DEFAULT VALUES"])
    /// [1, 1]
    /// ```
    transaction;

    /// The tables in a file, as `[{"name": …}]` in the order of the alphabet.
    ///
    /// Examples:
    /// ```python
    /// >>> sqlite.list_tables("data/shop.db")
    /// [{"name": "items"}]
    /// ```
    list_tables;

    /// A table's columns: a list of dicts with `cid`, `name`, `type`, `notnull`, `dflt_value` and `pk`.
    ///
    /// It is empty if there is no such table.
    ///
    /// Examples:
    /// ```python
    /// >>> [column["name"] for column in sqlite.describe_table("data/shop.db", "items")]
    /// ["name", "pieces"]
    /// ```
    describe_table;
}
