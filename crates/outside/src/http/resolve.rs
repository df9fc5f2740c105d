//! Names become addresses here, and one that may not be reached goes no further: what is let through
//! is what is connected to, so nothing can change in between.

use model::{Reach, is_public};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

type Found = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// How a name is looked up; a test gives answers of its own.
pub(crate) type Lookup = Arc<dyn Fn(&str) -> Found + Send + Sync>;

/// As the machine is set up to do it.
pub(crate) fn system() -> Lookup {
    Arc::new(|name| {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unresolved {
    #[error("nobody knows this name")]
    Unknown,
    #[error("this name does not stand for a public address")]
    NotPublic,
}

pub(crate) struct Resolver {
    pub(crate) lookup: Lookup,
    pub(crate) reach: Reach,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let found = (self.lookup)(name.as_str());
        let reach = self.reach;
        Box::pin(async move {
            let addresses = found.await.unwrap_or_default();
            let addresses = judged(addresses, reach)?;
            let sockets = addresses.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(sockets) as Addrs)
        })
    }
}

/// One private address among public ones is a trap more often than a mistake: all or nothing.
fn judged(addresses: Vec<IpAddr>, reach: Reach) -> Result<Vec<IpAddr>, Unresolved> {
    if addresses.is_empty() {
        return Err(Unresolved::Unknown);
    }
    let may = |address: &IpAddr| reach == Reach::Granted || is_public(*address);
    if addresses.iter().all(may) { Ok(addresses) } else { Err(Unresolved::NotPublic) }
}
