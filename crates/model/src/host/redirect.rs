//! Where an answer sends us, and what we ask there.

use super::HttpRequest;
use url::Url;

/// So often an answer may send us on.
pub const MOST_REDIRECTS: usize = 5;

impl HttpRequest {
    /// The next request, if the answer is a redirect that can be followed.
    #[must_use]
    pub fn redirected(&self, status: u16, location: Option<&str>) -> Option<Self> {
        if !self.redirects || !matches!(status, 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let from = Url::parse(&self.url).ok()?;
        let to = from.join(location?).ok()?;
        let mut next = self.clone();
        next.move_to(&from, &to);
        let asks = matches!(self.method.as_str(), "GET" | "HEAD");
        if matches!(status, 301..=303) && !asks {
            next.method = "GET".into();
            next.body.clear();
            let about_body = |name: &str| name.to_ascii_lowercase().starts_with("content-");
            next.headers.retain(|(name, _)| !about_body(name));
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `POST 302 /b` from `http://a.test/x/y` with a body.
    fn check(method: &str, status: u16, location: Option<&str>, expected: Option<&str>) {
        let request = HttpRequest {
            method: method.into(),
            url: "http://a.test/x/y".into(),
            headers: vec![("Content-Type".into(), "text/plain".into())],
            credentials: Vec::new(),
            private: Vec::new(),
            body: b"body".to_vec(),
            timeout: None,
            redirects: true,
            retries: false,
        };
        let next = request.redirected(status, location).map(|next| {
            let body = String::from_utf8(next.body).unwrap();
            format!("{} {} {}{body}", next.method, next.url, next.headers.len())
        });
        let case = format!("{method} {status} {location:?}");
        assert_eq!(next.as_deref(), expected, "{case}");
    }

    #[test]
    fn a_redirect_keeps_or_forgets_its_body() {
        check("GET", 301, Some("/b"), Some("GET http://a.test/b 1body"));
        check("HEAD", 303, Some("/b"), Some("HEAD http://a.test/b 1body"));
        for status in [301, 302, 303] {
            check("POST", status, Some("z"), Some("GET http://a.test/x/z 0"));
            check("DELETE", status, Some("?q"), Some("GET http://a.test/x/y?q 0"));
        }
        for status in [307, 308] {
            check("POST", status, Some("//b.test"), Some("POST http://b.test/ 1body"));
        }
    }

    #[test]
    fn what_leads_nowhere_is_an_answer() {
        check("GET", 302, None, None);
        check("GET", 302, Some("http://["), None);
        check("GET", 304, Some("/b"), None);
        check("GET", 300, Some("/b"), None);
        check("GET", 201, Some("/b"), None);
    }
}
