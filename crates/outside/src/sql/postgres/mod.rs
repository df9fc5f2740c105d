//! `PostgreSQL` servers: the same requests, over connections that are kept for the next one.

mod cells;
mod dates;
mod error;
mod keyword;
mod numeric;
mod params;
mod pool;
mod raw;
mod session;
mod settings;
mod spelled;
mod target;
mod tls;
mod trust;

use super::failed;
use super::leashed::held;
use super::rows::Most;
use crate::term::Term;
use model::{HostError, SqlAnswer, SqlRequest};
use parking_lot::Mutex;
use pool::Pool;
use std::collections::HashMap;
use std::sync::Arc;

/// A script that makes up connection strings does not fill the memory with pools.
const MOST_POOLS: usize = 64;

/// A pool for each connection string.
#[derive(Default)]
pub(super) struct Pools(Mutex<HashMap<String, Arc<Pool>>>);

impl Pools {
    pub(super) async fn ask(
        &self,
        url: &str,
        request: &SqlRequest,
        most: Most,
        term: &Term,
    ) -> Result<SqlAnswer, HostError> {
        let pool = self.pool(url)?;
        let writes = matches!(request, SqlRequest::Execute(_) | SqlRequest::Transaction(_));
        loop {
            let session = held(term, pool.take()).await??;
            return match held(term, session.ask(request, most, term)).await {
                Ok(Ok(answer)) => {
                    if session.was_cancelled() {
                        session.close();
                    } else {
                        pool.give_back(session, writes);
                    }
                    Ok(answer)
                }
                Ok(Err(_)) if session.was_dead() => continue,
                // Whatever state it is in, nobody else shall find it so.
                Ok(Err(error)) => {
                    session.close();
                    Err(error)
                }
                Err(over) => {
                    session.cancel();
                    session.close();
                    Err(over)
                }
            };
        }
    }

    fn pool(&self, url: &str) -> Result<Arc<Pool>, HostError> {
        let mut pools = self.0.lock();
        if let Some(pool) = pools.get(url) {
            return Ok(Arc::clone(pool));
        }
        if pools.len() >= MOST_POOLS {
            pools.retain(|_, pool| Arc::strong_count(pool) > 1);
        }
        if pools.len() >= MOST_POOLS {
            return failed(format!("more than {MOST_POOLS} connection strings are in use at once"));
        }
        let pool = Pool::new(url)?;
        pools.insert(url.to_owned(), Arc::clone(&pool));
        Ok(pool)
    }
}
