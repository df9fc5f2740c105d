//! A request to another server, and its answer.

use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub struct HttpRequest {
    /// In capitals.
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The author's own bound; the call's deadline holds as well.
    pub timeout: Option<Duration>,
    /// Follow redirects, each judged like a request of its own.
    pub redirects: bool,
    /// Try again when that cannot do harm twice.
    pub retries: bool,
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
