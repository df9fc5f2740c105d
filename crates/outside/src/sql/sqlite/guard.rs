//! Keeps a connection to its one file: whatever reaches for another is refused.

use parking_lot::Mutex;
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization, TransactionOperation};
use std::sync::Arc;

/// Settings of the file itself, and questions about it. Others reach the whole process, name
/// absolute paths, or undo the limits of a call.
const PRAGMAS: &[&str] = &[
    "application_id",
    "auto_vacuum",
    "collation_list",
    "compile_options",
    "data_version",
    "defer_foreign_keys",
    "encoding",
    "foreign_key_check",
    "foreign_key_list",
    "foreign_keys",
    "freelist_count",
    "function_list",
    "incremental_vacuum",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "journal_mode",
    "optimize",
    "page_count",
    "page_size",
    "pragma_list",
    "quick_check",
    "recursive_triggers",
    "schema_version",
    "secure_delete",
    "synchronous",
    "table_info",
    "table_list",
    "table_xinfo",
    "user_version",
    "wal_checkpoint",
];

/// Remembers why it refused: `SQLite` itself says only "not authorized".
#[derive(Default)]
pub(super) struct Guard(Arc<Mutex<Option<String>>>);

type Nobody = fn(AuthContext<'_>) -> Authorization;

impl Guard {
    pub(super) fn watch(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let reasons = Arc::clone(&self.0);
        connection.authorizer(Some(move |context: AuthContext<'_>| {
            let Some(reason) = refuse(&context.action) else {
                return Authorization::Allow;
            };
            *reasons.lock() = Some(reason);
            Authorization::Deny
        }))
    }

    pub(super) fn leave(connection: &mut Connection) -> rusqlite::Result<()> {
        connection.authorizer(None::<Nobody>)
    }

    pub(super) fn reason(&self) -> Option<String> {
        let mut reason = self.0.lock();
        reason.take()
    }
}

fn refuse(action: &AuthAction<'_>) -> Option<String> {
    match action {
        // VACUUM attaches a nameless file of its own.
        AuthAction::Attach { filename: "" } => None,
        AuthAction::Attach { .. } | AuthAction::Unknown { .. } => {
            Some("a statement can use the file it is given, and no other".into())
        }
        AuthAction::Pragma { pragma_name, .. } => {
            let known = |name: &&str| name.eq_ignore_ascii_case(pragma_name);
            let is_known = PRAGMAS.iter().any(known);
            (!is_known).then(|| format!("PRAGMA {pragma_name} cannot be used here"))
        }
        AuthAction::Function { function_name } => {
            let is_it = function_name.eq_ignore_ascii_case("load_extension");
            is_it.then(|| "extensions cannot be loaded".into())
        }
        // VACUUM begins like everybody.
        AuthAction::Transaction { operation } => {
            (*operation != TransactionOperation::Begin).then(|| {
                "a transaction cannot be ended here: \
                 sqlite.transaction([...]) runs statements all or none"
                    .into()
            })
        }
        _ => None,
    }
}
