//! reqwest alone, asking a server.

use std::time::Instant;

use anyhow::Result;
use reqwest::Client;
use tokio::runtime::{Builder, Runtime};

pub(crate) struct Http {
    runtime: Runtime,
    client: Client,
}

impl Http {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            runtime: Builder::new_multi_thread().worker_threads(2).enable_all().build()?,
            client: Client::builder().no_proxy().build()?,
        })
    }

    /// Microseconds a request, of so many, over a connection that is kept.
    pub(crate) fn micros(&self, url: &str, requests: u32) -> Result<f64> {
        let begin = Instant::now();
        for _ in 0..requests {
            self.runtime.block_on(self.ask(url))?;
        }
        Ok(begin.elapsed().as_secs_f64() * 1e6 / f64::from(requests))
    }

    async fn ask(&self, url: &str) -> Result<()> {
        let answer = self.client.get(url).send().await?.error_for_status()?;
        answer.bytes().await?;
        Ok(())
    }
}
