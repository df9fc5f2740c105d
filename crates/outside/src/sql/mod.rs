//! Databases that scripts talk to.

mod blob;
mod float;
mod leashed;
mod postgres;
mod rows;
mod sqlite;

use crate::executor::Executor;
use crate::term::Term;
use model::{HostError, Leash, Source, SqlAnswer, SqlRequest};
use postgres::Pools;
use rows::Most;
use settings::Bounds;
use std::time::Duration;

pub(crate) struct Databases {
    pools: Pools,
    time: Duration,
    most: Most,
}

impl Databases {
    pub(crate) fn new(bounds: &Bounds) -> Self {
        Self {
            pools: Pools::default(),
            time: bounds.sql_time,
            most: Most { rows: bounds.sql_rows, bytes: bounds.sql_bytes },
        }
    }

    /// Errors do not say which database: whoever asked knows it by the name that a script gave it.
    pub(crate) fn ask(
        &self,
        executor: &Executor,
        source: &Source,
        request: &SqlRequest,
        leash: &Leash,
    ) -> Result<SqlAnswer, HostError> {
        let term = Term::new(leash, None, self.time, "sql_time");
        match source {
            Source::Sqlite { path, writable } => {
                sqlite::ask(path, *writable, request, self.most, &term)
            }
            Source::Postgres { url } => {
                let asked = executor.wait(self.pools.ask(url, request, self.most, &term));
                asked.map_err(HostError)?
            }
        }
    }
}

fn failed<T>(message: impl Into<String>) -> Result<T, HostError> {
    Err(HostError(message.into()))
}
