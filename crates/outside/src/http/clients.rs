//! The clients that keep connections, made when they are first wanted.

use super::resolve::{self, Lookup, Resolver};
use model::Reach;
use reqwest::{Certificate, Client};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

const CONNECT_TIME: Duration = Duration::from_secs(10);
const IDLE_TIME: Duration = Duration::from_secs(30);
const MOST_IDLE: usize = 256;

pub(crate) struct Clients {
    pub(super) lookup: Lookup,
    /// Trusted besides the machine's own.
    pub(super) certificates: Vec<Certificate>,
    /// Two, since a connection is used again without asking where it leads: what one module was
    /// granted would be open to another that may reach public hosts only.
    granted: OnceLock<Result<Client, String>>,
    public: OnceLock<Result<Client, String>>,
}

impl Default for Clients {
    fn default() -> Self {
        Self {
            lookup: resolve::system(),
            certificates: Vec::new(),
            granted: OnceLock::new(),
            public: OnceLock::new(),
        }
    }
}

impl Clients {
    pub(super) fn get(&self, reach: Reach) -> Result<&Client, String> {
        let kept = match reach {
            Reach::Granted => &self.granted,
            Reach::Public => &self.public,
        };
        let built = kept.get_or_init(|| self.build(reach));
        built.as_ref().map_err(Clone::clone)
    }

    fn build(&self, reach: Reach) -> Result<Client, String> {
        let builder = || {
            let resolver = Resolver { lookup: Arc::clone(&self.lookup), reach };
            Client::builder()
                .user_agent(concat!("larkspur/", env!("CARGO_PKG_VERSION")))
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                .dns_resolver(resolver)
                .connect_timeout(CONNECT_TIME)
                .pool_idle_timeout(IDLE_TIME)
                .pool_max_idle_per_host(MOST_IDLE)
        };
        let trusting = builder().tls_certs_merge(self.certificates.clone());
        // A machine that trusts nobody can still be used for http.
        let built = trusting.build().or_else(|_| builder().tls_certs_only([]).build());
        built.map_err(|error| format!("no client could be made: {error}"))
    }
}
