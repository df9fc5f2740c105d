//! One connection, and the requests that go over it.

use super::cells::to_map;
use super::error::said;
use super::keyword::no_transaction;
use super::params::convert;
use crate::sql::rows::Rows;
use futures_util::TryStreamExt;
use model::{HostError, Leash, SqlAnswer, SqlRequest, Statement};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::AbortHandle;
use tokio_postgres::{Client, Error};
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

pub(super) struct Session {
    pub(super) client: Client,
    pub(super) connection: AbortHandle,
    /// Why it ended, if it has: whoever asks over it hears only that it did.
    pub(super) ended: Arc<OnceLock<HostError>>,
    pub(super) tls: MakeRustlsConnect,
    /// Its place in the pool, while somebody uses it.
    pub(super) room: Option<OwnedSemaphorePermit>,
}

impl Session {
    pub(super) fn is_open(&self) -> bool {
        !self.client.is_closed()
    }

    pub(super) fn close(self) {
        self.connection.abort();
    }

    /// Tells the server to stop what it does for us; it does not see by itself that nobody waits.
    pub(super) fn cancel(&self) {
        let (token, tls) = (self.client.cancel_token(), self.tls.clone());
        tokio::spawn(tokio::time::timeout(PATIENCE, async move {
            token.cancel_query(tls).await
        }));
    }

    pub(super) async fn forget(&self) -> Result<(), HostError> {
        let forgotten = tokio::time::timeout(PATIENCE, self.batch(FORGET)).await;
        forgotten.unwrap_or_else(|_| Err(HostError("no answer".into())))
    }

    pub(super) async fn ask(
        &self,
        request: &SqlRequest,
        leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        let time = (leash.left() + GRACE).as_millis().clamp(1, 1 << 30);
        match request {
            SqlRequest::Query(statement) => self.query(statement, time).await,
            SqlRequest::Execute(statement) => self.execute(statement, time).await,
            SqlRequest::Transaction(statements) => self.transaction(statements, time).await,
            SqlRequest::Tables { schema } => {
                let params = [schema.as_deref().unwrap_or("public")];
                self.query(&fixed(TABLES, &params), time).await
            }
            SqlRequest::Describe { table, schema } => {
                let params = [schema.as_deref().unwrap_or("public"), table];
                self.query(&fixed(DESCRIBE, &params), time).await
            }
        }
    }

    /// The time is set by a SELECT: after one, a transaction can no longer be made a writing one.
    async fn query(&self, statement: &Statement, time: u128) -> Result<SqlAnswer, HostError> {
        let begin = format!(
            "BEGIN READ ONLY; SELECT pg_catalog.set_config('statement_timeout', '{time}', true)"
        );
        self.batch(&begin).await?;
        let prepared = self.client.prepare(&statement.sql).await;
        let prepared = prepared.map_err(|error| self.said(&error))?;
        let params = convert(prepared.params(), &statement.params)?;
        let rows = self.client.query_raw(&prepared, params).await;
        let mut stream = pin!(rows.map_err(|error| self.said(&error))?);
        let mut rows = Rows::default();
        while let Some(row) = stream.try_next().await.map_err(|error| self.said(&error))? {
            let taken = to_map(&row).and_then(|map| rows.push(map));
            taken.inspect_err(|_| self.cancel())?;
        }
        Ok(SqlAnswer {
            rows: rows.into_inner(),
            changed: Vec::new(),
        })
    }

    /// Not in a transaction, as some statements refuse to run in one.
    async fn execute(&self, statement: &Statement, time: u128) -> Result<SqlAnswer, HostError> {
        self.batch(&format!("SET statement_timeout = {time}"))
            .await?;
        let changed = vec![self.change(statement).await?];
        Ok(SqlAnswer {
            changed,
            ..SqlAnswer::default()
        })
    }

    async fn transaction(
        &self,
        statements: &[Statement],
        time: u128,
    ) -> Result<SqlAnswer, HostError> {
        self.batch(&format!("BEGIN; SET LOCAL statement_timeout = {time}"))
            .await?;
        let mut changed = Vec::with_capacity(statements.len());
        for (index, statement) in statements.iter().enumerate() {
            match self.change(statement).await {
                Ok(rows) => changed.push(rows),
                Err(HostError(why)) => {
                    // Locks are gone when the script hears of it, not some time later.
                    self.batch("ROLLBACK").await.ok();
                    return Err(HostError(format!("statement {}: {why}", index + 1)));
                }
            }
        }
        self.batch("COMMIT").await?;
        Ok(SqlAnswer {
            changed,
            ..SqlAnswer::default()
        })
    }

    async fn change(&self, statement: &Statement) -> Result<u64, HostError> {
        no_transaction(&statement.sql)?;
        let prepared = self.client.prepare(&statement.sql).await;
        let prepared = prepared.map_err(|error| self.said(&error))?;
        let params = convert(prepared.params(), &statement.params)?;
        let changed = self.client.execute_raw(&prepared, params).await;
        changed.map_err(|error| self.said(&error))
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
    Statement {
        sql: sql.to_owned(),
        params: params.iter().map(|&param| param.into()).collect(),
    }
}
