//! One connection, and the requests that go over it.

use super::cells::cell;
use super::error::said;
use super::keyword::{a_query, one_of_many};
use super::params::convert;
use super::spelled::{cannot_be_read, spelled};
use crate::sql::rows::{Most, Rows};
use crate::term::Term;
use futures_util::TryStreamExt;
use futures_util::future::join;
use model::{HostError, SqlAnswer, SqlRequest, Statement};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::AbortHandle;
use tokio_postgres::{Client, Column, Error, SimpleQueryMessage, Statement as Prepared};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The server is told to stop by us; should that get lost, it stops by itself a little later.
const GRACE: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(5);

const TABLES: &str = "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = $1 \
     ORDER BY tablename";
const DESCRIBE: &str = "SELECT column_name, data_type, is_nullable, column_default, \
     character_maximum_length FROM information_schema.columns \
     WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position";

/// All that a session can be told to keep, but for the statements that the client keeps itself.
const FORGET: &str = "ROLLBACK; CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; \
     UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES;";

/// How long a statement may take for the server's part, in milliseconds; 0 for as long as it wants.
const OWN_TIME: &str = "SELECT (1000 * extract(epoch FROM \
     pg_catalog.current_setting('statement_timeout')::pg_catalog.interval))::pg_catalog.int8";

/// The same behind a query: what it set ends with its transaction, and only these locks do not.
const FORGET_QUERY: &str = "ROLLBACK; SELECT pg_catalog.pg_advisory_unlock_all();";

pub(super) struct Session {
    client: Client,
    connection: AbortHandle,
    /// Why it ended, if it has: whoever asks over it hears only that it did.
    ended: Arc<OnceLock<HostError>>,
    tls: MakeRustlsConnect,
    /// The server's own bound, which ours must not stretch.
    own_time: Option<u128>,
    /// It was kept for the next request, and has not answered that yet.
    unheard: AtomicBool,
    /// A cancellation is on its way, and may arrive after the statement that it is for.
    cancelled: AtomicBool,
    /// Its place in the pool, while somebody uses it.
    pub(super) room: Option<OwnedSemaphorePermit>,
}

impl Session {
    pub(super) async fn new(
        client: Client,
        connection: AbortHandle,
        ended: Arc<OnceLock<HostError>>,
        tls: MakeRustlsConnect,
    ) -> Result<Self, HostError> {
        let mut session = Self {
            client,
            connection,
            ended,
            tls,
            own_time: None,
            unheard: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
            room: None,
        };
        let told = session.client.simple_query(OWN_TIME).await;
        let told = told.map_err(|error| session.said(&error))?;
        let millis = told.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
            _ => None,
        });
        session.own_time = millis.filter(|millis| *millis > 0);
        Ok(session)
    }

    /// It comes from the pool: somebody may have ended it there, unseen.
    pub(super) fn kept(&self) {
        self.unheard.store(true, Ordering::Relaxed);
    }

    fn heard(&self) {
        self.unheard.store(false, Ordering::Relaxed);
    }

    /// It was over before anything was asked, so that another one can be asked instead.
    pub(super) fn was_dead(&self) -> bool {
        self.unheard.load(Ordering::Relaxed)
    }

    pub(super) fn was_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn is_open(&self) -> bool {
        !self.client.is_closed()
    }

    pub(super) fn close(self) {
        self.connection.abort();
    }

    /// Tells the server to stop what it does for us; it does not see by itself that nobody waits.
    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        let (token, tls) = (self.client.cancel_token(), self.tls.clone());
        tokio::spawn(tokio::time::timeout(PATIENCE, async move { token.cancel_query(tls).await }));
    }

    pub(super) async fn forget(&self, wrote: bool) -> Result<(), HostError> {
        let what = if wrote { FORGET } else { FORGET_QUERY };
        let forgotten = tokio::time::timeout(PATIENCE, self.batch(what)).await;
        forgotten.unwrap_or_else(|_| Err(HostError("no answer".into())))
    }

    pub(super) async fn ask(
        &self,
        request: &SqlRequest,
        most: Most,
        term: &Term,
    ) -> Result<SqlAnswer, HostError> {
        let time = (term.left() + GRACE).as_millis().clamp(1, 1 << 30);
        let time = self.own_time.map_or(time, |own| own.min(time));
        match request {
            SqlRequest::Query { statement, max_rows } => {
                a_query(&statement.sql)?;
                let rows = Rows::new(most, *max_rows);
                self.query(statement, rows, time).await
            }
            SqlRequest::Execute(statement) => self.execute(statement, time).await,
            SqlRequest::Transaction(statements) => self.transaction(statements, time).await,
            SqlRequest::Tables { schema } => {
                let params = [schema.as_deref().unwrap_or("public")];
                let rows = Rows::new(most, None);
                self.query(&fixed(TABLES, &params), rows, time).await
            }
            SqlRequest::Describe { table, schema } => {
                let params = [schema.as_deref().unwrap_or("public"), table];
                let rows = Rows::new(most, None);
                self.query(&fixed(DESCRIBE, &params), rows, time).await
            }
        }
    }

    /// The time is set by a SELECT: after one, a transaction can no longer be made a writing one.
    async fn query(
        &self,
        statement: &Statement,
        mut rows: Rows,
        time: u128,
    ) -> Result<SqlAnswer, HostError> {
        let begin = format!(
            "BEGIN READ ONLY; SELECT pg_catalog.set_config('statement_timeout', '{time}', true)"
        );
        let prepared = self.begin(&begin, &statement.sql).await?;
        let prepared = self.readable(prepared, &statement.sql).await?;
        let params = convert(prepared.params(), &statement.params)?;
        let stream = self.client.query_raw(&prepared, params).await;
        let mut stream = pin!(stream.map_err(|error| self.said(&error))?);
        rows.name(prepared.columns().iter().map(Column::name));
        while let Some(row) = stream.try_next().await.map_err(|error| self.said(&error))? {
            let taken = rows.push(|index| cell(&row, index));
            taken.inspect_err(|_| self.cancel())?;
            if rows.is_complete() {
                self.cancel();
                break;
            }
        }
        Ok(rows.into_answer())
    }

    /// Not in a transaction, as some statements refuse to run in one.
    async fn execute(&self, statement: &Statement, time: u128) -> Result<SqlAnswer, HostError> {
        let begin = format!("SET statement_timeout = {time}");
        let prepared = self.begin(&begin, &statement.sql).await?;
        let changed = vec![self.change(&prepared, statement).await?];
        Ok(SqlAnswer { changed, ..SqlAnswer::default() })
    }

    async fn transaction(
        &self,
        statements: &[Statement],
        time: u128,
    ) -> Result<SqlAnswer, HostError> {
        self.batch(&format!("BEGIN; SET LOCAL statement_timeout = {time}")).await?;
        self.heard();
        let mut changed = Vec::with_capacity(statements.len());
        for (index, statement) in statements.iter().enumerate() {
            match self.prepare_and_change(statement).await {
                Ok(rows) => changed.push(rows),
                Err(HostError(why)) => {
                    // Locks are gone when the script hears of it, not some time later.
                    self.batch("ROLLBACK").await.ok();
                    return Err(HostError(format!("statement {}: {why}", index + 1)));
                }
            }
        }
        self.batch("COMMIT").await?;
        Ok(SqlAnswer { changed, ..SqlAnswer::default() })
    }

    async fn prepare_and_change(&self, statement: &Statement) -> Result<u64, HostError> {
        one_of_many(&statement.sql)?;
        let prepared = self.client.prepare(&statement.sql).await;
        let prepared = prepared.map_err(|error| self.said(&error))?;
        self.change(&prepared, statement).await
    }

    async fn change(&self, prepared: &Prepared, statement: &Statement) -> Result<u64, HostError> {
        let params = convert(prepared.params(), &statement.params)?;
        let changed = self.client.execute_raw(prepared, params).await;
        changed.map_err(|error| self.said(&error))
    }

    /// Both go out at once, and the server takes them one after the other.
    async fn begin(&self, begin: &str, sql: &str) -> Result<Prepared, HostError> {
        one_of_many(sql).inspect_err(|_| self.heard())?;
        let (begun, prepared) = join(self.batch(begin), self.client.prepare(sql)).await;
        begun?;
        self.heard();
        prepared.map_err(|error| self.said(&error))
    }

    /// The same statement, or one whose every column can be read.
    async fn readable(&self, prepared: Prepared, sql: &str) -> Result<Prepared, HostError> {
        let Some(sql) = spelled(sql, prepared.columns()) else {
            return Ok(prepared);
        };
        let other = self.client.prepare(&sql).await;
        other.map_err(|_| cannot_be_read(prepared.columns()))
    }

    fn said(&self, error: &Error) -> HostError {
        let ended = self.ended.get().filter(|_| error.is_closed());
        ended.cloned().unwrap_or_else(|| said(error))
    }

    async fn batch(&self, sql: &str) -> Result<(), HostError> {
        let done = self.client.batch_execute(sql).await;
        done.map_err(|error| self.said(&error))
    }
}

fn fixed(sql: &str, params: &[&str]) -> Statement {
    Statement { sql: sql.to_owned(), params: params.iter().map(|&param| param.into()).collect() }
}
