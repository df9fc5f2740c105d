//! Requests to real servers on loopback, with names that each test resolves itself.

mod bodies;
mod guard;
mod hops;
mod server;
mod time;
mod tls;
mod tries;
mod turns;
mod vectors;

use super::Http;
use super::resolve::Lookup;
use crate::executor::Executor;
use model::{Cancel, Egress, HttpRequest, HttpResponse, Leash, Rights};
use settings::{Bounds, Project};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A module with a network of its own.
struct Net {
    http: Http,
    executor: Executor,
    egress: Egress,
}

impl Net {
    /// May reach these.
    fn granted(sites: &[&str]) -> Self {
        let mut http = Http::new(&Bounds::default());
        http.clients.lookup = names(|_| vec![]);
        Self { http, executor: Executor::default(), egress: egress(sites, false) }
    }

    /// May reach every public host, and these.
    fn public(sites: &[&str]) -> Self {
        Self { egress: egress(sites, true), ..Self::granted(sites) }
    }

    fn names(
        mut self,
        answers: impl Fn(&str) -> Vec<&'static str> + Send + Sync + 'static,
    ) -> Self {
        self.http.clients.lookup = names(answers);
        self
    }

    fn get(&self, url: &str) -> Result<HttpResponse, String> {
        self.send(&request("GET", url))
    }

    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, String> {
        self.send_on(request, &leash())
    }

    fn send_on(&self, request: &HttpRequest, leash: &Leash) -> Result<HttpResponse, String> {
        let sent = self.http.send(&self.executor, request, &self.egress, leash);
        sent.map_err(|error| error.0)
    }
}

/// What a single file may reach, as the operator says.
fn egress(sites: &[&str], public: bool) -> Egress {
    let sites = sites.iter().copied().chain(public.then_some("*"));
    let sites: Vec<&str> = sites.collect();
    let text = format!("module.x.grant.http = {sites:?}");
    let project = Project::parse("larkspur.toml", &text).unwrap();
    Rights::of_extension("x", &[], project.modules["x"].grant.as_ref()).egress()
}

fn names(answers: impl Fn(&str) -> Vec<&'static str> + Send + Sync + 'static) -> Lookup {
    Arc::new(move |name| {
        let found: Vec<IpAddr> = answers(name).iter().map(|a| a.parse().unwrap()).collect();
        let found = if found.is_empty() {
            Err(io::Error::other("there is no such name"))
        } else {
            Ok(found)
        };
        Box::pin(std::future::ready(found))
    })
}

/// Tries until it is so, which must not take long.
fn soon(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < end, "not in 30 s: {what}");
        std::thread::yield_now();
    }
}

fn leash() -> Leash {
    Leash { until: Instant::now() + Duration::from_mins(1), cancel: Cancel::default() }
}

fn request(method: &str, url: &str) -> HttpRequest {
    HttpRequest {
        method: method.into(),
        url: url.into(),
        headers: Vec::new(),
        credentials: Vec::new(),
        private: Vec::new(),
        body: Vec::new(),
        timeout: None,
        redirects: true,
        retries: false,
    }
}

fn text(response: HttpResponse) -> String {
    String::from_utf8(response.body).unwrap()
}
