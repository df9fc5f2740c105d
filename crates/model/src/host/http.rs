//! A request to another server, and its answer.

use std::time::Duration;
use url::Url;

#[derive(Debug, Clone, PartialEq)]
pub struct HttpRequest {
    /// In capitals.
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// Secrets that go with it.
    pub credentials: Vec<Credential>,
    /// Headers that secrets were put into: another server never gets them.
    pub private: Vec<String>,
    pub body: Vec<u8>,
    /// The author's own bound; the call's deadline holds as well.
    pub timeout: Option<Duration>,
    /// Follow redirects, each judged like a request of its own.
    pub redirects: bool,
    /// Try again when that cannot do harm twice.
    pub retries: bool,
}

/// How a secret, known by its name, is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// `Authorization: Bearer SECRET`
    Bearer(String),
    /// `Authorization: Basic …`, the secret being the password.
    Basic { user: String, secret: String },
    /// A header of its own.
    Header { header: String, secret: String },
}

#[derive(Debug, Clone, PartialEq)]
pub struct HttpResponse {
    pub status: u16,
    /// Where the answer came from in the end.
    pub url: String,
    /// Names in small letters, in the order they came.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Parts of the names of headers that prove who is asking; `authorization` and `cookie` among them.
const CREDENTIALS: [&str; 9] =
    ["auth", "cookie", "token", "key", "secret", "session", "password", "credential", "signature"];

/// What can be asked twice without harm is tried so often.
const MOST_TRIES: u32 = 3;

impl HttpRequest {
    /// How often it may be sent until somebody answers.
    pub fn tries(&self) -> u32 {
        let idempotent = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"];
        if self.retries && idempotent.contains(&self.method.as_str()) { MOST_TRIES } else { 1 }
    }

    /// What one server was trusted with is not for another one that it sends us to.
    pub fn move_to(&mut self, from: &Url, to: &Url) {
        if from.origin() != to.origin() {
            let private = std::mem::take(&mut self.private);
            let is_private = |name: &String| private.iter().any(|p| p.eq_ignore_ascii_case(name));
            self.headers.retain(|(name, _)| !is_credential(name) && !is_private(name));
        }
        to.as_str().clone_into(&mut self.url);
    }
}

impl HttpResponse {
    /// Is the server, or one on the way to it, only busy?
    pub fn is_busy(&self) -> bool {
        matches!(self.status, 429 | 502 | 503 | 504)
    }
}

/// Is it the name of something that proves who is asking? Headers and variables are named alike.
pub fn is_credential(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    CREDENTIALS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_stay_with_their_origin() {
        let check = |to: &str, expected: &[&str]| {
            let names = [
                "Authorization",
                "COOKIE",
                "proxy-authorization",
                "X-Api-Key",
                "private-token",
                "accept",
                "x-request-id",
                "x-site",
            ];
            let from = "https://a.example/";
            let mut request = HttpRequest {
                method: "GET".into(),
                url: from.into(),
                headers: names.map(|name| (name.to_owned(), "x".to_owned())).to_vec(),
                credentials: Vec::new(),
                private: vec!["X-Site".into()],
                body: Vec::new(),
                timeout: None,
                redirects: true,
                retries: true,
            };
            let to = Url::parse(to).unwrap();
            request.move_to(&Url::parse(from).unwrap(), &to);
            let kept: Vec<&str> = request.headers.iter().map(|(n, _)| n.as_str()).collect();
            assert_eq!(kept[..], *expected, "{to}");
            assert_eq!(request.url, to.as_str());
        };
        let all = [
            "Authorization",
            "COOKIE",
            "proxy-authorization",
            "X-Api-Key",
            "private-token",
            "accept",
            "x-request-id",
            "x-site",
        ];
        check("https://a.example/other", &all);
        check("https://a.example:443/", &all);
        for other in ["http://a.example/", "https://a.example:444/", "https://b.example/"] {
            check(other, &["accept", "x-request-id"]);
        }
    }
}
