//! Requests to other servers: judged, followed, tried again, and never longer than they may.

mod address;
mod egress;
mod exchange;
mod failure;
mod redirect;
mod resolve;
mod retry;
#[cfg(test)]
mod tests;

use crate::executor::Executor;
use crate::term::Term;
use egress::{Reach, judge};
use failure::Failure;
use model::{Bounds, Egress, HostError, HttpRequest, HttpResponse, Leash};
use reqwest::{Certificate, Client, Url};
use resolve::{Lookup, Resolver};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

const CONNECT_TIME: Duration = Duration::from_secs(10);
const IDLE_TIME: Duration = Duration::from_secs(30);
const MOST_IDLE: usize = 256;
const CANCEL_LOOK: Duration = Duration::from_millis(50);

pub(crate) struct Http {
    time: Duration,
    /// The longest body, unpacked.
    body: usize,
    lookup: Lookup,
    /// Trusted besides the machine's own.
    certificates: Vec<Certificate>,
    /// Two, since a connection is used again without asking where it leads: what one module was
    /// granted would be open to another that may reach public hosts only.
    granted: OnceLock<Result<Client, String>>,
    public: OnceLock<Result<Client, String>>,
}

impl Http {
    pub(crate) fn new(bounds: &Bounds) -> Self {
        Self {
            time: bounds.http_time,
            body: bounds.http_body,
            lookup: resolve::system(),
            certificates: Vec::new(),
            granted: OnceLock::new(),
            public: OnceLock::new(),
        }
    }

    pub(crate) fn send(
        &self,
        executor: &Executor,
        request: &HttpRequest,
        egress: &Egress,
        leash: &Leash,
    ) -> Result<HttpResponse, HostError> {
        let term = Term::new(leash, request.timeout, self.time, "http_time");
        let work = async {
            tokio::select! {
                outcome = self.try_until(request, egress, &term) => outcome,
                () = cancelled(&term) => {
                    Err(Failure::Final("the call was cancelled".into()))
                }
            }
        };
        let outcome = executor.wait(work).map_err(HostError)?;
        outcome.map_err(|failure| HostError(failure.into_words()))
    }

    async fn try_until(
        &self,
        request: &HttpRequest,
        egress: &Egress,
        term: &Term,
    ) -> Result<HttpResponse, Failure> {
        let until: Instant = term.until().into();
        let late = Failure::Final(format!("no answer {}", term.words));
        let mut last = Err(late.of(&shown(request)));
        let mut tried = 0;
        loop {
            let Ok(outcome) = tokio::time::timeout_at(until, self.follow(request, egress)).await
            else {
                return last;
            };
            tried += 1;
            let wait = match &outcome {
                Ok(response) if retry::is_busy(response) => {
                    let asked = retry::wait(response, SystemTime::now());
                    asked.unwrap_or_else(|| retry::backoff(tried))
                }
                Err(Failure::OnTheWay(_)) => retry::backoff(tried),
                _ => return outcome,
            };
            let next = Instant::now().checked_add(wait);
            let Some(next) = next.filter(|next| tried < retry::tries(request) && *next < until)
            else {
                return outcome;
            };
            last = outcome;
            tokio::time::sleep_until(next).await;
        }
    }

    /// One try, through all redirects.
    async fn follow(
        &self,
        request: &HttpRequest,
        egress: &Egress,
    ) -> Result<HttpResponse, Failure> {
        let mut current = request.clone();
        for _ in 0..=redirect::MOST_REDIRECTS {
            let shown = shown(&current);
            let hop = self.hop(&current, egress).await;
            match hop.map_err(|failure| failure.of(&shown))? {
                Hop::End(response) => return Ok(response),
                Hop::On(next) => current = *next,
            }
        }
        let most = redirect::MOST_REDIRECTS;
        let why = format!("redirected more than {most} times");
        Err(Failure::Final(why).of(&shown(request)))
    }

    async fn hop(&self, request: &HttpRequest, egress: &Egress) -> Result<Hop, Failure> {
        let url = Url::parse(&request.url)
            .map_err(|error| Failure::Final(format!("this is not a URL: {error}")))?;
        let reach = judge(&url, egress).map_err(Failure::Final)?;
        let client = self.client(reach).map_err(Failure::Final)?;
        let answer = exchange::ask(client, request, &url).await?;
        let location = answer.headers().get("location").map(|l| l.to_str());
        let location = location.and_then(Result::ok);
        match redirect::next(request, &url, answer.status().as_u16(), location) {
            Some(next) => Ok(Hop::On(Box::new(next))),
            None => exchange::read(answer, &url, self.body).await.map(Hop::End),
        }
    }

    fn client(&self, reach: Reach) -> Result<&Client, String> {
        let kept = match reach {
            Reach::Granted => &self.granted,
            Reach::Public => &self.public,
        };
        let built = kept.get_or_init(|| self.build(reach));
        built.as_ref().map_err(Clone::clone)
    }

    fn build(&self, reach: Reach) -> Result<Client, String> {
        let builder = || {
            let resolver = Resolver {
                lookup: Arc::clone(&self.lookup),
                reach,
            };
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
        let built = trusting
            .build()
            .or_else(|_| builder().tls_certs_only([]).build());
        built.map_err(|error| format!("no client could be made: {error}"))
    }
}

enum Hop {
    End(HttpResponse),
    On(Box<HttpRequest>),
}

/// Without the query, which may hold a key.
fn shown(request: &HttpRequest) -> String {
    let url = request.url.split(['?', '#']).next().unwrap_or_default();
    let url = match url.rsplit_once('@') {
        Some((_, after)) => after,
        None => url,
    };
    format!("{} {url}", request.method)
}

async fn cancelled(term: &Term) {
    let mut look = tokio::time::interval(CANCEL_LOOK);
    loop {
        look.tick().await;
        if term.is_cancelled() {
            return;
        }
    }
}
