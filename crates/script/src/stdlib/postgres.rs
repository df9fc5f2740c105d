//! `postgres`: databases on `PostgreSQL` servers.

use super::secret::Secret;
use super::sql::{self, database_natives};
use crate::stdlib::prelude::*;
use model::{Database, SqlRequest};

fn server(connection: Value<'_>) -> anyhow::Result<Database> {
    if let Some(secret) = Secret::name_of(connection) {
        return Ok(Database::PostgresSecret(secret.to_owned()));
    }
    match connection.unpack_str() {
        Some(text) => Ok(Database::Postgres(text.to_owned())),
        None => bail!(
            "postgres: a connection is a name, a connection string or a secret, not a {}",
            connection.get_type()
        ),
    }
}

database_natives! {
    /// Databases on PostgreSQL servers.
    (connection_string: Value<'v> => server, schema)

    /// The rows of a SELECT, as a list of dicts; nothing may change.
    ///
    /// `connection_string` is a connection's name in larkspur.toml, or a secret that leads to one of its
    /// `hosts`. A module lists the names as `postgres`: in `[permissions]` of its `module.toml`, or in
    /// `permissions(…)` of a single file; a file in starlark-mcp's form may also use a connection string. `$1` stands for a value from `params`.
    ///
    /// numeric comes as a string with every digit, dates and times as ISO 8601 (timestamptz in UTC),
    /// json as its value, arrays as lists, bytea as `{"base64": "…"}`; a string is taken for a value of
    /// any type, for json as JSON text. Types without a form in JSON come as text. A column with the
    /// name of an earlier one is called `id_2`, `id_3` and so on, past names that other columns have.
    /// More than 10,000 rows or 8 MiB are an error: say `LIMIT`, or give `max_rows` to read that many
    /// rows and no more.
    ///
    /// Examples:
    /// ```python
    /// >>> postgres.query("shop", "SELECT name, price FROM items WHERE pieces < $1", [10])
    /// [{"name": "screws", "price": "0.10"}]
    /// ```
    query;

    /// Runs one statement that changes something; how many rows it changed.
    ///
    /// Examples:
    /// ```python
    /// >>> postgres.execute("shop", "UPDATE items SET pieces = $1 WHERE name = $2", [12, "screws"])
    /// 1
    /// ```
    execute;

    /// Runs statements all or none: `[(sql, params), …]`; how many rows each changed.
    ///
    /// Examples:
    /// ```python
    /// >>> postgres.transaction("shop", [("DELETE FROM items WHERE name = $1", ["nuts"]), "INSERT INTO log DEFAULT VALUES"])
    /// [1, 1]
    /// ```
    transaction;

    /// The tables of a schema, as `[{"tablename": …}]` in the order of the alphabet.
    ///
    /// Examples:
    /// ```python
    /// >>> postgres.list_tables("shop")
    /// [{"tablename": "items"}]
    /// ```
    list_tables;

    /// A table's columns, as a list of dicts that is empty if there is no such table.
    ///
    /// Each has `column_name`, `data_type`, `is_nullable`, `column_default` and
    /// `character_maximum_length`.
    ///
    /// Examples:
    /// ```python
    /// >>> [column["column_name"] for column in postgres.describe_table("shop", "items")]
    /// ["name", "price"]
    /// ```
    describe_table;
}
