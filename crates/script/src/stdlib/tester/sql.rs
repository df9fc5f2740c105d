//! `t.sqlite` and `t.postgres`: databases that are played.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use super::{Behind, add, data};
use crate::stage::{Exchange, Kind, SqlExchange};
use crate::stdlib::prelude::*;

native_value! {
    pub(crate) struct Sqlite(pub(super) Behind);
    Sqlite: "t_sqlite", |_, f| f.write_str("t.sqlite"), SQLITE = sqlite
}

native_value! {
    pub(crate) struct Postgres(pub(super) Behind);
    Postgres: "t_postgres", |_, f| f.write_str("t.postgres"), POSTGRES = postgres
}

/// SQLite databases that a test plays.
#[starlark_module]
fn sqlite(builder: &mut MethodsBuilder) {
    /// Answers a statement with these rows, each a dict, or with how many it changed.
    ///
    /// In the statement `*` stands for anything, and spaces and line ends for each other.
    /// `list_tables` and `describe_table NAME` stand for those functions. Once a test has given one,
    /// no file is opened. Several that fit answer in turn, as those of `t.http.on` do. With `error`
    /// the database refuses it, and that is why.
    ///
    /// Examples:
    /// ```python
    /// def test_stock(t):
    ///     t.sqlite.on("SELECT name FROM items WHERE *", rows = [{"name": "screws"}])
    ///     testing.eq(t.call("shop.scarce").value, ["screws"])
    /// ```
    fn on<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] sql: &str,
        #[starlark(require = named)] rows: Option<UnpackList<Value<'v>>>,
        #[starlark(require = named, default = 0)] changed: u32,
        #[starlark(require = named, default = NoneOr::None)] error: NoneOr<String>,
        #[starlark(require = named, default = false)] optional: bool,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let exchange = Exchange::Sqlite(exchange(sql, rows, changed, error.into_option(), eval)?);
        add(exchange, optional, eval)
    }

    /// The statements that were run so far: dicts with `sql`, `params` and `path`.
    #[starlark(attribute)]
    fn requests<'v>(this: &Sqlite, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        this.0.asked(Kind::Sqlite, heap)
    }
}

/// PostgreSQL databases that a test plays.
#[starlark_module]
fn postgres(builder: &mut MethodsBuilder) {
    /// Answers a statement with these rows, each a dict, or with how many it changed.
    ///
    /// It is as for `t.sqlite.on`. A server is asked for real only with `--live`.
    ///
    /// Examples:
    /// ```python
    /// def test_prices(t):
    ///     t.postgres.on("SELECT name, price FROM items*", rows = [{"name": "screws", "price": "0.10"}])
    ///     testing.eq(t.call("shop.prices").value, {"screws": "0.10"})
    /// ```
    fn on<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] sql: &str,
        #[starlark(require = named)] rows: Option<UnpackList<Value<'v>>>,
        #[starlark(require = named, default = 0)] changed: u32,
        #[starlark(require = named, default = NoneOr::None)] error: NoneOr<String>,
        #[starlark(require = named, default = false)] optional: bool,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let exchange = Exchange::Postgres(exchange(sql, rows, changed, error.into_option(), eval)?);
        add(exchange, optional, eval)
    }

    /// The statements that were run so far: dicts with `sql`, `params` and `connection`.
    #[starlark(attribute)]
    fn requests<'v>(this: &Postgres, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        this.0.asked(Kind::Postgres, heap)
    }
}

fn exchange<'v>(
    sql: &str,
    rows: Option<UnpackList<Value<'v>>>,
    changed: u32,
    error: Option<String>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<SqlExchange> {
    let mut given = Vec::new();
    for row in rows.into_iter().flat_map(|rows| rows.items) {
        let row = data(row, eval)?;
        if !row.is_object() {
            bail!("a row is a dict with a value for each column, not {row}");
        }
        given.push(row);
    }
    Ok(SqlExchange { sql: sql.to_owned(), rows: given, changed: changed.into(), error })
}
