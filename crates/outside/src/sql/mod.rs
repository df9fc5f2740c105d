//! Databases that scripts talk to.

mod blob;
mod float;
mod leashed;
mod postgres;
mod rows;
mod sqlite;

use crate::executor::Executor;
use model::{HostError, Leash, Source, SqlAnswer, SqlRequest};
use postgres::Pools;

#[derive(Default)]
pub(crate) struct Databases {
    pools: Pools,
}

impl Databases {
    /// Errors do not say which database: whoever asked knows it by the name that a script gave it.
    pub(crate) fn ask(
        &self,
        executor: &Executor,
        source: &Source,
        request: &SqlRequest,
        leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        match source {
            Source::Sqlite { path, writable } => sqlite::ask(path, *writable, request, leash),
            Source::Postgres { url } => {
                let asked = executor.wait(self.pools.ask(url, request, leash));
                asked.map_err(HostError)?
            }
        }
    }
}

fn failed<T>(message: impl Into<String>) -> Result<T, HostError> {
    Err(HostError(message.into()))
}
