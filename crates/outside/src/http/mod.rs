//! Requests to other servers: judged, followed, tried again, and never longer than they may.

mod clients;
mod egress;
mod exchange;
mod failure;
mod resolve;
mod retry;
#[cfg(test)]
mod tests;

use crate::executor::Executor;
use crate::term::Term;
use clients::Clients;
use egress::judge;
use failure::Failure;
use model::{Cancel, Egress, HostError, HttpRequest, HttpResponse, Leash, MOST_REDIRECTS, Site};
use reqwest::Url;
use settings::Bounds;
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

const CANCEL_LOOK: Duration = Duration::from_millis(50);

pub(crate) struct Http {
    time: Duration,
    /// The longest body, unpacked.
    body: usize,
    clients: Clients,
}

impl Http {
    pub(crate) fn new(bounds: &Bounds) -> Self {
        Self { time: bounds.http_time, body: bounds.http_body, clients: Clients::default() }
    }

    pub(crate) fn send(
        &self,
        executor: &Executor,
        request: &HttpRequest,
        egress: &Egress,
        leash: &Leash,
    ) -> Result<HttpResponse, HostError> {
        let work = async {
            tokio::select! {
                outcome = self.in_turn(request, egress, leash) => outcome,
                () = cancelled(&leash.cancel) => {
                    Err(Failure::Final("the call was cancelled".into()))
                }
            }
        };
        let outcome = executor.wait(work).map_err(HostError)?;
        outcome.map_err(|failure| HostError(failure.into_words()))
    }

    /// Its time begins when its turn has come; the author's own `timeout` and the call do not wait.
    async fn in_turn(
        &self,
        request: &HttpRequest,
        egress: &Egress,
        leash: &Leash,
    ) -> Result<HttpResponse, Failure> {
        let asked = leash.within(request.timeout);
        turn(request, egress, asked.until.into()).await?;
        let term = Term::new(leash, request.timeout, self.time, "http_time");
        let until = term.until().min(asked.until);
        let late = Failure::Final(format!("no answer {}", term.words));
        let late = late.of(&shown(request));
        self.try_until(request, egress, until.into(), late).await
    }

    async fn try_until(
        &self,
        request: &HttpRequest,
        egress: &Egress,
        until: Instant,
        late: Failure,
    ) -> Result<HttpResponse, Failure> {
        let mut tried = 0;
        let mut last = Err(late);
        loop {
            let attempt = async {
                if tried > 0 {
                    turn(request, egress, until).await?;
                }
                self.follow(request, egress, until).await
            };
            let Ok(outcome) = tokio::time::timeout_at(until, attempt).await else {
                return last;
            };
            tried += 1;
            let wait = match &outcome {
                Ok(response) if response.is_busy() => {
                    let asked = retry::wait(response, SystemTime::now());
                    asked.unwrap_or_else(|| retry::backoff(tried))
                }
                Err(Failure::OnTheWay(_)) => retry::backoff(tried),
                // What was heard before says more than that there was no turn to hear it again.
                Err(Failure::NoTurn(_)) if tried > 1 => return last,
                _ => return outcome,
            };
            let next = Instant::now().checked_add(wait);
            let Some(next) = next.filter(|next| tried < request.tries() && *next < until) else {
                return outcome;
            };
            last = outcome;
            tokio::time::sleep_until(next).await;
        }
    }

    /// One try, through all redirects. The first turn has been taken.
    async fn follow(
        &self,
        request: &HttpRequest,
        egress: &Egress,
        until: Instant,
    ) -> Result<HttpResponse, Failure> {
        let mut current = request.clone();
        for redirects in 0..=MOST_REDIRECTS {
            if redirects > 0 {
                turn(&current, egress, until).await?;
            }
            let shown = shown(&current);
            let hop = self.hop(&current, egress).await;
            match hop.map_err(|failure| failure.of(&shown))? {
                Hop::End(response) => return Ok(response),
                Hop::On(next) => current = *next,
            }
        }
        let why = format!("redirected more than {MOST_REDIRECTS} times");
        Err(Failure::Final(why).of(&shown(request)))
    }

    async fn hop(&self, request: &HttpRequest, egress: &Egress) -> Result<Hop, Failure> {
        let url = Url::parse(&request.url)
            .map_err(|error| Failure::Final(format!("this is not a URL: {error}")))?;
        let reach = judge(&url, egress).map_err(Failure::Final)?;
        let client = self.clients.get(reach).map_err(Failure::Final)?;
        let answer = exchange::ask(client, request, &url, egress).await?;
        let location = answer.headers().get("location").map(|l| l.to_str());
        let location = location.and_then(Result::ok);
        match request.redirected(answer.status().as_u16(), location) {
            Some(next) => Ok(Hop::On(Box::new(next))),
            None => exchange::read(answer, &url, egress, self.body).await.map(Hop::End),
        }
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

/// Waits until this host may be asked again. What is no URL is refused when it is asked.
async fn turn(request: &HttpRequest, egress: &Egress, until: Instant) -> Result<(), Failure> {
    if !egress.has_turns() {
        return Ok(());
    }
    let Some(site) = Site::read(&request.url) else {
        return Ok(());
    };
    match egress.turn(&site, until.into()) {
        Ok(turn) if turn > std::time::Instant::now() => {
            tokio::time::sleep_until(turn.into()).await;
        }
        Ok(_) => {}
        Err(HostError(why)) => return Err(Failure::NoTurn(why).of(&shown(request))),
    }
    Ok(())
}

async fn cancelled(cancel: &Cancel) {
    let mut look = tokio::time::interval(CANCEL_LOOK);
    loop {
        look.tick().await;
        if cancel.is_cancelled() {
            return;
        }
    }
}
