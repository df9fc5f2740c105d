//! Calls that go on while their clients do something else.

use crate::{Store, StoreError};
use model::{Task, TaskBody, TaskStatus};
use rusqlite::types::Type;
use rusqlite::{
    Connection, OptionalExtension, Result, Row, ToSql, TransactionBehavior, named_params,
};

/// Tasks that are kept at one time, those that have ended among them.
pub const MOST_TASKS: u64 = 10_000;

impl Store {
    /// Keeps a new task, and forgets those whose time is over. Answers whether there was room.
    pub fn add_task(&self, task: &Task) -> std::result::Result<bool, StoreError> {
        let body = text(&task.body);
        self.lock().made(|open| {
            let transaction = open.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction
                .prepare_cached("DELETE FROM tasks WHERE expires < ?1")?
                .execute([task.created_ms])?;
            let count: i64 = transaction
                .prepare_cached("SELECT count(*) FROM tasks")?
                .query_row([], |row| row.get(0))?;
            if count.cast_unsigned() >= MOST_TASKS {
                return Ok(false);
            }
            insert(&transaction, task, &body)?;
            transaction.commit()?;
            Ok(true)
        })
    }

    /// A task of this owner; what belongs to somebody else is not there.
    pub fn task(&self, id: &str, owner: &str) -> std::result::Result<Option<Task>, StoreError> {
        let found = self.lock().found(|open| read(open, id, owner))?;
        Ok(found.flatten())
    }

    /// Changes a task as one step; `change` says whether there is something to keep. Answers with the
    /// task as it is then.
    pub fn change_task(
        &self,
        id: &str,
        owner: &str,
        change: impl FnOnce(&mut Task) -> bool,
    ) -> std::result::Result<Option<Task>, StoreError> {
        let changed = self.lock().found(|open| {
            let transaction = open.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let Some(mut task) = read(&transaction, id, owner)? else {
                return Ok(None);
            };
            if change(&mut task) {
                update(&transaction, &task)?;
                transaction.commit()?;
            }
            Ok(Some(task))
        })?;
        Ok(changed.flatten())
    }

    /// This server is still at work; answers with those of its tasks that others have ended.
    pub fn renew_tasks(
        &self,
        runner: &str,
        lease_ms: i64,
    ) -> std::result::Result<Vec<String>, StoreError> {
        let ended = self.lock().found(|open| {
            open.prepare_cached(
                "UPDATE tasks SET lease = ?2 WHERE runner = ?1 AND status = 'working'",
            )?
            .execute(rusqlite::params![runner, lease_ms])?;
            open.prepare_cached("SELECT id FROM tasks WHERE runner = ?1 AND status = 'cancelled'")?
                .query_map([runner], |row| row.get(0))?
                .collect()
        })?;
        Ok(ended.unwrap_or_default())
    }
}

/// Nothing in a task is without a JSON form: it came as JSON.
fn text(body: &TaskBody) -> String {
    serde_json::to_string(body).unwrap_or_default()
}

fn insert(open: &Connection, task: &Task, body: &str) -> Result<()> {
    open.prepare_cached(
        "INSERT INTO tasks VALUES
         (:id, :owner, :status, :created, :updated, :expires, :runner, :lease, :body)",
    )?
    .execute(named_params! {
        ":id": task.id, ":owner": task.owner, ":status": task.status.name(),
        ":created": task.created_ms, ":updated": task.updated_ms, ":expires": task.expires_ms,
        ":runner": task.runner, ":lease": task.lease_ms, ":body": body,
    })?;
    Ok(())
}

fn update(open: &Connection, task: &Task) -> Result<()> {
    let body = text(&task.body);
    let values: [(&str, &dyn ToSql); 6] = [
        (":id", &task.id),
        (":status", &task.status.name()),
        (":updated", &task.updated_ms),
        (":runner", &task.runner),
        (":lease", &task.lease_ms),
        (":body", &body),
    ];
    open.prepare_cached(
        "UPDATE tasks SET status = :status, updated = :updated, runner = :runner, lease = :lease,
         body = :body WHERE id = :id",
    )?
    .execute(&values)?;
    Ok(())
}

fn read(open: &Connection, id: &str, owner: &str) -> Result<Option<Task>> {
    open.prepare_cached(
        "SELECT id, owner, status, created, updated, expires, runner, lease, body
         FROM tasks WHERE id = ?1 AND owner = ?2",
    )?
    .query_row([id, owner], task_of)
    .optional()
}

fn task_of(row: &Row<'_>) -> Result<Task> {
    let status: String = row.get(2)?;
    let known = TaskStatus::ALL.into_iter().find(|s| s.name() == status);
    let status = known.ok_or_else(|| {
        let why = format!("`{status}` is no status of a task");
        rusqlite::Error::FromSqlConversionFailure(2, Type::Text, why.into())
    })?;
    let body: String = row.get(8)?;
    let body = serde_json::from_str(&body).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(8, Type::Text, Box::new(error))
    })?;
    Ok(Task {
        id: row.get(0)?,
        owner: row.get(1)?,
        status,
        created_ms: row.get(3)?,
        updated_ms: row.get(4)?,
        expires_ms: row.get(5)?,
        runner: row.get(6)?,
        lease_ms: row.get(7)?,
        body,
    })
}
