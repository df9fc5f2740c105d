//! Open connections per address, so that one client cannot take all there are.

use model::truncate;
use parking_lot::Mutex;
use settings::ConnectionSettings;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

/// A client that has one IPv6 address usually has all of its network.
const IPV6_NETWORK: u32 = 64;
/// Pause between two log lines about one address.
const LOG_PAUSE: Duration = Duration::from_mins(1);
/// Addresses whose last log line is remembered.
const MOST_LOGGED: usize = 1024;

const REJECTION: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Connection: close\r\n\
    Retry-After: 10\r\n\
    Content-Type: application/json\r\n\
    Content-Length: 51\r\n\
    \r\n\
    {\"error\":\"too many connections from this address\"}\n";

/// Counts open connections by address; IPv6 addresses of one network are one.
pub(super) struct ConnectionLimit {
    settings: ConnectionSettings,
    state: Mutex<ConnectionState>,
}

#[derive(Default)]
struct ConnectionState {
    open: HashMap<IpAddr, usize>,
    /// When a rejection was last logged.
    logged: HashMap<IpAddr, Instant>,
}

/// A connection that is counted until this is dropped.
pub(super) struct CountedConnection {
    limit: Arc<ConnectionLimit>,
    /// Absent where the address has no limit.
    address: Option<IpAddr>,
}

/// The address has as many connections as it may.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooManyConnections {
    /// No rejection of this address was logged lately.
    pub(super) is_news: bool,
}

impl ConnectionLimit {
    pub(super) fn new(settings: ConnectionSettings) -> Self {
        Self { settings, state: Mutex::default() }
    }

    pub(super) fn most(&self) -> usize {
        self.settings.per_address
    }

    pub(super) fn count(
        self: &Arc<Self>,
        address: IpAddr,
        now: Instant,
    ) -> Result<CountedConnection, TooManyConnections> {
        let proxies = &self.settings.trusted_proxies;
        let is_trusted = proxies.iter().any(|range| range.contains(address));
        let address = (!is_trusted).then(|| network(address));
        if let Some(address) = address {
            let mut state = self.state.lock();
            let open = state.open.entry(address).or_default();
            if *open >= self.settings.per_address {
                let is_news = state.is_news(address, now);
                return Err(TooManyConnections { is_news });
            }
            *open += 1;
        }
        let limit = Arc::clone(self);
        Ok(CountedConnection { limit, address })
    }
}

impl ConnectionState {
    fn is_news(&mut self, address: IpAddr, now: Instant) -> bool {
        let is_old = |since: &Instant| now.duration_since(*since) >= LOG_PAUSE;
        if self.logged.get(&address).is_some_and(|since| !is_old(since)) {
            return false;
        }
        if self.logged.len() >= MOST_LOGGED {
            self.logged.retain(|_, since| !is_old(since));
        }
        if self.logged.len() >= MOST_LOGGED {
            return false;
        }
        self.logged.insert(address, now);
        true
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let Some(address) = self.address else { return };
        let mut state = self.limit.state.lock();
        let Some(open) = state.open.get_mut(&address) else {
            return;
        };
        *open -= 1;
        if *open == 0 {
            state.open.remove(&address);
        }
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        long @ IpAddr::V6(_) => truncate(long, IPV6_NETWORK),
        short @ IpAddr::V4(_) => short,
    }
}

/// Sends a short response and closes. What the client has sent is taken out first: closing over it would
/// discard the response.
pub(super) fn reject(stream: TcpStream) {
    let Ok(mut stream) = stream.into_std() else {
        return;
    };
    // The socket does not block: nothing here waits for the client.
    let _ = stream.read(&mut [0; 4096]);
    let _ = stream.write(REJECTION);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(trusted: &[&str]) -> Arc<ConnectionLimit> {
        let trusted = trusted.iter().map(|range| range.parse().unwrap());
        Arc::new(ConnectionLimit::new(ConnectionSettings {
            per_address: 2,
            trusted_proxies: trusted.collect(),
        }))
    }

    fn count(
        limit: &Arc<ConnectionLimit>,
        address: &str,
    ) -> Result<CountedConnection, TooManyConnections> {
        limit.count(address.parse().unwrap(), Instant::now())
    }

    #[test]
    fn every_address_has_its_own_connections() {
        let limit = limit(&[]);
        let held =
            ["10.0.0.1", "::ffff:10.0.0.1"].map(|address| count(&limit, address).ok().unwrap());
        assert!(count(&limit, "10.0.0.1").is_err());
        assert!(count(&limit, "10.0.0.2").is_ok());
        drop(held);
        assert!(count(&limit, "10.0.0.1").is_ok());
        assert!(limit.state.lock().open.is_empty());
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one() {
        let limit = limit(&[]);
        let _held = ["2001:db8:1:1::1", "2001:db8:1:1:ffff::2"]
            .map(|address| count(&limit, address).ok().unwrap());
        assert!(count(&limit, "2001:db8:1:1::3").is_err());
        assert!(count(&limit, "2001:db8:1:2::3").is_ok());
    }

    #[test]
    fn trusted_proxies_are_not_counted() {
        let limit = limit(&["10.0.0.0/8", "2001:db8::1"]);
        for address in ["10.1.2.3", "2001:db8::1"] {
            let _held = [(); 5].map(|()| count(&limit, address).ok().unwrap());
        }
        let _held = [(); 2].map(|()| count(&limit, "11.0.0.1").ok().unwrap());
        assert!(count(&limit, "11.0.0.1").is_err());
    }

    #[test]
    fn rejections_are_logged_once_a_minute_per_address() {
        let limit = limit(&[]);
        let start = Instant::now();
        let _held = ["10.0.0.1", "10.0.0.2"]
            .map(|address| [(); 2].map(|()| count(&limit, address).ok().unwrap()));
        let is_news = |address: &str, after: u64| {
            let now = start + Duration::from_secs(after);
            limit.count(address.parse().unwrap(), now).err().unwrap().is_news
        };
        assert!(is_news("10.0.0.1", 0));
        assert!(!is_news("10.0.0.1", 59));
        assert!(is_news("10.0.0.2", 59));
        assert!(is_news("10.0.0.1", 60));
    }
}
