//! Requests to real servers on loopback, with names that each test resolves itself.

mod bodies;
mod guard;
mod hops;
mod server;
mod time;
mod tls;
mod tries;
mod vectors;

use super::Http;
use super::resolve::Lookup;
use crate::executor::Executor;
use model::{Bounds, Cancel, Egress, HttpRequest, HttpResponse, Leash};
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
        let granted = sites.iter().map(|site| (*site).to_owned());
        Self {
            http: Http {
                lookup: names(|_| vec![]),
                ..Http::new(&Bounds::default())
            },
            executor: Executor::default(),
            egress: Egress {
                granted: granted.collect(),
                public: false,
            },
        }
    }

    /// May reach every public host besides.
    fn and_public(mut self) -> Self {
        self.egress.public = true;
        self
    }

    fn names(
        mut self,
        answers: impl Fn(&str) -> Vec<&'static str> + Send + Sync + 'static,
    ) -> Self {
        self.http.lookup = names(answers);
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

fn leash() -> Leash {
    Leash {
        until: Instant::now() + Duration::from_mins(1),
        cancel: Cancel::default(),
    }
}

fn request(method: &str, url: &str) -> HttpRequest {
    HttpRequest {
        method: method.into(),
        url: url.into(),
        headers: Vec::new(),
        body: Vec::new(),
        timeout: None,
        redirects: true,
        retries: false,
    }
}

fn text(response: HttpResponse) -> String {
    String::from_utf8(response.body).unwrap()
}
