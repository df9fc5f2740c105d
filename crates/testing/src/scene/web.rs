//! Servers that are played: requests, followed and tried again as they are for real.

use super::fits;
use super::world::Played;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::{Egress, HostError, HttpRequest, HttpResponse, MOST_REDIRECTS, Reach, Site};
use script::{Exchange, Kind};
use serde_json::{Value, json};

impl Played {
    /// Is there an answer to this request?
    pub(super) fn plays_request(&self, request: &HttpRequest) -> bool {
        self.props().any(|exchange| answers(exchange, request))
    }

    pub(super) fn note_request(&self, request: &HttpRequest) {
        self.props().note(Kind::Http, told(request));
    }

    pub(super) fn web(
        &self,
        request: &HttpRequest,
        egress: &Egress,
    ) -> Result<HttpResponse, HostError> {
        let mut current = request.clone();
        let (mut tried, mut redirects) = (1, 0);
        may_reach(&request.url, egress)?;
        loop {
            let (answer, more) = self.hop(&current)?;
            // As it is for real: the busy are asked again, here as long as another answer waits.
            if answer.is_busy() && more && tried < current.tries() {
                tried += 1;
                continue;
            }
            let location = answer.headers.iter().find(|(name, _)| name == "location");
            let location = location.map(|(_, value)| value.as_str());
            let Some(next) = current.redirected(answer.status, location) else {
                return Ok(answer);
            };
            if redirects == MOST_REDIRECTS {
                let why = format!("{}: redirected more than {MOST_REDIRECTS} times", request.url);
                return Err(HostError(why));
            }
            redirects += 1;
            may_reach(&next.url, egress)?;
            current = next;
        }
    }

    /// One request, played.
    fn hop(&self, request: &HttpRequest) -> Result<(HttpResponse, bool), HostError> {
        let mut props = self.props();
        props.note(Kind::Http, told(request));
        let next = props.next(|exchange| answers(exchange, request));
        drop(props);
        let Some((Exchange::Http { status, headers, body, body_base64, .. }, more)) = next else {
            let asked = format!("{} {}", request.method, request.url);
            let way_out =
                "the network is closed in tests; play the server with `t.http.on`, or say --live";
            return Err(self.unanswered(Kind::Http, &asked, way_out));
        };
        self.props().sent.push(body.clone());
        let answer = HttpResponse {
            status,
            url: request.url.clone(),
            headers,
            body: match body_base64 {
                Some(bytes) => STANDARD.decode(bytes).unwrap_or_default(),
                None => body.into_bytes(),
            },
        };
        Ok((answer, more))
    }
}

/// The rules of real requests, as far as no name has to be looked up.
fn may_reach(url: &str, egress: &Egress) -> Result<(), HostError> {
    let Some(site) = Site::read(url) else {
        return Ok(());
    };
    match egress.reach(&site) {
        Err(denied) => Err(HostError(denied.to_string())),
        Ok(Reach::Public) if site.is_near() => Err(HostError(egress.not_public(&site).to_string())),
        Ok(_) => Ok(()),
    }
}

fn answers(exchange: &Exchange, request: &HttpRequest) -> bool {
    match exchange {
        Exchange::Http { method, url, .. } => {
            *method == request.method && fits::url(url, &request.url)
        }
        _ => false,
    }
}

/// A request as a test reads it.
fn told(request: &HttpRequest) -> Value {
    let body = String::from_utf8_lossy(&request.body);
    let headers = request.headers.iter();
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), json!(value)));
    let mut told = json!({
        "method": request.method,
        "url": request.url,
        "headers": headers.collect::<serde_json::Map<_, _>>(),
        "body": body,
    });
    if let Ok(json) = serde_json::from_str::<Value>(&body) {
        told["json"] = json;
    }
    told
}
