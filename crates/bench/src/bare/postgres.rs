//! A table of items on a server of its own, and tokio-postgres alone on it.

use anyhow::Result;
use cluster::Cluster;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls};

use super::{QUERY, Record, Rows};

pub(crate) struct Postgres {
    runtime: Runtime,
    client: Client,
}

impl Postgres {
    pub(crate) fn create(cluster: &Cluster, rows: u32) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let url = Self::url(cluster);
        let connecting = tokio_postgres::connect(&url, NoTls);
        let (client, connection) = runtime.block_on(connecting)?;
        runtime.spawn(connection);
        let create = format!(
            "CREATE TABLE item AS SELECT i::int8 AS id, 'item ' || i AS name, \
             i * 0.5::float8 AS score, NULL::text AS note FROM generate_series(1, {rows}) AS i; \
             VACUUM ANALYZE item"
        );
        for statement in create.split(';') {
            runtime.block_on(client.batch_execute(statement))?;
        }
        Ok(Self { runtime, client })
    }

    pub(crate) fn url(cluster: &Cluster) -> String {
        cluster.url("sslmode=disable")
    }

    /// Over a connection that is kept, and prepared for each query, as scripts come with any text.
    pub(crate) fn query(&self) -> Result<String> {
        let found = self.runtime.block_on(self.client.query(QUERY, &[]))?;
        let mut rows = Rows::default();
        for row in &found {
            rows.push(&Record {
                id: row.try_get(0)?,
                name: row.try_get(1)?,
                score: row.try_get(2)?,
                note: row.try_get(3)?,
            })?;
        }
        rows.end()
    }
}
