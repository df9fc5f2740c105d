//! The least one would write with reqwest to ask a server: the yardstick of `http.get`. Reads how many
//! requests to make, a number a line, and answers with the nanoseconds they took.

use std::io::{Write, stdin, stdout};
use std::time::Instant;

use anyhow::{Context, Result};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<()> {
    let url = std::env::args().nth(1).context("a URL is missing")?;
    let client = reqwest::Client::builder().no_proxy().build()?;
    for line in stdin().lines() {
        let count: u32 = line?.trim().parse()?;
        let begin = Instant::now();
        for _ in 0..count {
            let answer = client.get(&url).send().await?.error_for_status()?;
            answer.bytes().await?;
        }
        writeln!(stdout(), "{}", begin.elapsed().as_nanos())?;
    }
    Ok(())
}
