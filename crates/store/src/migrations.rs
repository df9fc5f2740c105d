//! The tables, as steps from nothing to what this version knows. A step that was released is never
//! edited: what comes next is a further step.

use rusqlite::{Connection, Result, TransactionBehavior};

/// A database that has taken the first n steps says so: its `user_version` is n.
pub(crate) const MIGRATIONS: &[&str] = &[STATE, TASKS, VAULT, NAMES];

/// Every write takes its version from one counter, which no delete sets back: so a version names one
/// write for ever. The triggers count what each module keeps, in the transaction that changes it.
const STATE: &str = "
CREATE TABLE counter (version INTEGER NOT NULL) STRICT;
INSERT INTO counter VALUES (0);

CREATE TABLE state (
    module  TEXT NOT NULL,
    key     TEXT NOT NULL,
    value   TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (module, key)
) STRICT;

CREATE TABLE usage (
    module TEXT NOT NULL PRIMARY KEY,
    keys   INTEGER NOT NULL,
    bytes  INTEGER NOT NULL
) STRICT;

CREATE TRIGGER state_added AFTER INSERT ON state BEGIN
    INSERT INTO usage
    VALUES (new.module, 1, octet_length(new.key) + octet_length(new.value))
    ON CONFLICT DO UPDATE SET keys = keys + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER state_changed AFTER UPDATE ON state BEGIN
    UPDATE usage SET bytes = bytes + octet_length(new.value) - octet_length(old.value)
    WHERE module = new.module;
END;

CREATE TRIGGER state_removed AFTER DELETE ON state BEGIN
    UPDATE usage
    SET keys = keys - 1, bytes = bytes - octet_length(old.key) - octet_length(old.value)
    WHERE module = old.module;
END;
";

/// What nobody looks at from outside is one JSON text.
const TASKS: &str = "
CREATE TABLE tasks (
    id      TEXT NOT NULL PRIMARY KEY,
    owner   TEXT NOT NULL,
    status  TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    runner  TEXT NOT NULL,
    lease   INTEGER NOT NULL,
    body    TEXT NOT NULL
) STRICT;

CREATE INDEX tasks_by_end ON tasks (expires);
CREATE INDEX tasks_by_runner ON tasks (runner, status);
";

/// What is sealed is sealed before it gets here. Of the keys only their names are kept, and what tells
/// a right one from a wrong one; a lease says who is renewing a token, and until when.
const VAULT: &str = "
CREATE TABLE vault_keys (
    kid   TEXT NOT NULL PRIMARY KEY,
    next  INTEGER NOT NULL,
    salt  BLOB,
    proof BLOB NOT NULL,
    link  BLOB
) STRICT;

CREATE TABLE secrets (
    module  TEXT NOT NULL,
    name    TEXT NOT NULL,
    owner   TEXT NOT NULL,
    kind    TEXT NOT NULL,
    version INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    kid     TEXT NOT NULL,
    wrapped BLOB NOT NULL,
    sealed  BLOB NOT NULL,
    holder  TEXT NOT NULL DEFAULT '',
    lease   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (module, name, owner)
) STRICT;

CREATE INDEX secrets_by_key ON secrets (kid);
";

/// The owner is a tool, as `module.tool`.
const NAMES: &str = "
CREATE TABLE names (
    name  TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL
) STRICT;
";

/// How many steps this database has taken.
pub(crate) fn taken(connection: &Connection) -> Result<usize> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(version as usize)
}

/// Whether anybody has made tables in it.
pub(crate) fn has_tables(connection: &Connection) -> Result<bool> {
    connection.prepare("SELECT 1 FROM sqlite_schema")?.exists([])
}

/// Takes the steps that are missing. Of several processes one does, and the others wait for it.
pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    if taken(connection)? >= MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Asked again, now that nobody else can answer by taking steps.
    let taken = taken(&transaction)?;
    for (number, step) in (1..).zip(MIGRATIONS).skip(taken) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", number)?;
    }
    transaction.commit()
}
