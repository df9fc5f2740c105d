//! Calls of read-only tools: they may not write, except for what the tool declares to be a read.

use super::Denied;
use crate::Site;
use std::fmt;
use std::str::FromStr;
use url::Url;

/// A request or command that a read-only tool declares to be a read: `POST api.example.org/v1/search`,
/// `exec git`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclaredRead {
    Request {
        method: String,
        /// As in `http` under `[permissions]`; `*` is every host.
        host: String,
        /// `*` is any one segment, `**` at the end any number of them.
        path: Vec<String>,
    },
    Command(String),
}

/// Something that a call of a read-only tool asks for and that may be a write.
#[derive(Clone, Copy)]
pub enum PossibleWrite<'a> {
    Request {
        method: &'a str,
        url: &'a str,
    },
    Command(&'a str),
    File(&'a str),
    Database(&'a str),
    /// A tool that is not declared read-only.
    Tool(&'a dyn fmt::Display),
}

/// A read-only tool while a call of it runs.
#[derive(Clone, Copy)]
pub struct ReadOnlyCall<'a> {
    pub tool: &'a (dyn fmt::Display + Sync),
    pub reads: &'a [DeclaredRead],
}

/// Methods that only read.
const READING: [&str; 2] = ["GET", "HEAD"];

impl ReadOnlyCall<'_> {
    pub fn check(&self, write: &PossibleWrite<'_>) -> Result<(), Denied> {
        if is_read(write) || self.reads.iter().any(|read| read.covers(write)) {
            return Ok(());
        }
        Err(Denied::read_only(self.tool, write))
    }
}

/// Is it a read, whatever the tool declares?
fn is_read(write: &PossibleWrite<'_>) -> bool {
    matches!(write, PossibleWrite::Request { method, .. } if READING.contains(method))
}

impl DeclaredRead {
    /// Does it declare this to be a read?
    pub fn covers(&self, write: &PossibleWrite<'_>) -> bool {
        match (self, write) {
            (Self::Command(declared), PossibleWrite::Command(command)) => declared == command,
            (
                Self::Request { method, host, path },
                PossibleWrite::Request { method: asked, url },
            ) => {
                let Ok(url) = Url::parse(url) else {
                    return false;
                };
                let is_host = |site: Site| host == "*" || site.matches(host);
                method == asked && Site::of(&url).is_some_and(is_host) && path_covers(path, &url)
            }
            _ => false,
        }
    }
}

/// Compares segments of the path as the URL parser normalizes it.
fn path_covers(declared: &[String], url: &Url) -> bool {
    let asked: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    // A server may decode these into further segments.
    let is_one = |segment: &str| {
        let segment = segment.to_ascii_lowercase();
        !segment.is_empty() && !segment.contains("%2f") && !segment.contains("%5c")
    };
    let covers = |(declared, asked): (&String, &&str)| match declared.as_str() {
        "*" => is_one(asked),
        declared => declared == *asked,
    };
    match declared.split_last() {
        Some((last, first)) if last == "**" => {
            asked.len() > first.len() && first.iter().zip(&asked).all(covers)
        }
        _ => declared.len() == asked.len() && declared.iter().zip(&asked).all(covers),
    }
}

impl FromStr for DeclaredRead {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let forms = "write \"POST api.example.org/v1/search\" or \"exec git\"";
        let (first, rest) = text.split_once(' ').ok_or_else(|| {
            format!("`{text}` in reads is neither a request nor a command; {forms}")
        })?;
        let rest = rest.trim();
        if first == "exec" && !rest.is_empty() {
            return Ok(Self::Command(rest.to_owned()));
        }
        if READING.contains(&first) {
            return Err(format!(
                "`{text}` in reads: {first} requests are reads by themselves; take it away"
            ));
        }
        let is_method = !first.is_empty() && first.bytes().all(|b| b.is_ascii_uppercase());
        if !is_method || rest.contains("://") || rest.contains(['?', '#', ' ']) {
            return Err(format!(
                "`{text}` in reads is neither a request, without scheme and query, nor a command; {forms}"
            ));
        }
        let Some((host, path)) = rest.split_once('/').filter(|(host, _)| !host.is_empty()) else {
            return Err(format!(
                "`{text}` in reads has no path; {forms}, or \"{first} {rest}/**\" for every path"
            ));
        };
        Ok(Self::Request {
            method: first.to_owned(),
            host: host.to_ascii_lowercase(),
            path: path.split('/').map(str::to_owned).collect(),
        })
    }
}

impl fmt::Display for PossibleWrite<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { method, url } => match Url::parse(url) {
                Ok(url) => {
                    let site = Site::of(&url).map(|site| site.to_string());
                    write!(f, "{method} {}{}", site.unwrap_or_default(), url.path())
                }
                Err(_) => write!(f, "{method} {url}"),
            },
            Self::Command(command) => write!(f, "exec {command}"),
            Self::File(path) => f.write_str(path),
            Self::Database(name) => f.write_str(name),
            Self::Tool(tool) => tool.fmt(f),
        }
    }
}

impl Denied {
    fn read_only(tool: &dyn fmt::Display, write: &PossibleWrite<'_>) -> Self {
        Self(match write {
            PossibleWrite::Request { .. } | PossibleWrite::Command(_) => format!(
                "`{write}` may write, and `{tool}` is declared read_only; if it only reads, add \
                 reads = [\"{write}\"] to tool(…), otherwise remove read_only"
            ),
            PossibleWrite::File(_) => format!(
                "cannot write `{write}`: `{tool}` is declared read_only; remove read_only from its \
                 tool(…) if it must write"
            ),
            PossibleWrite::Database(_) => format!(
                "cannot change `{write}`: `{tool}` is declared read_only; use query, or remove \
                 read_only from its tool(…) if it must write"
            ),
            PossibleWrite::Tool(_) => format!(
                "`{write}` is not declared read_only, and `{tool}`, which calls it, is; declare it \
                 if it only reads, otherwise remove read_only from `{tool}`"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reads: &[&str], write: PossibleWrite<'_>) -> Result<(), String> {
        let reads: Vec<DeclaredRead> = reads.iter().map(|read| read.parse().unwrap()).collect();
        let call = ReadOnlyCall { tool: &"notes.search", reads: &reads };
        call.check(&write).map_err(|denied| denied.to_string())
    }

    fn request<'a>(method: &'a str, url: &'a str) -> PossibleWrite<'a> {
        PossibleWrite::Request { method, url }
    }

    #[test]
    fn requests_are_reads_by_method_or_by_declaration() {
        let search = "POST api.example.org/v1/search";
        let query = "POST *.example.org/v1/databases/*/query";
        let below = "QUERY */graph/**";
        let table = [
            ("GET", "https://other.org/x", true),
            ("HEAD", "https://other.org/x", true),
            ("POST", "https://api.example.org/v1/search", true),
            ("POST", "https://API.example.org./v1/search?q=1#a", true),
            ("POST", "https://api.example.org/v1/x/../search", true),
            ("DELETE", "https://api.example.org/v1/search", false),
            ("OPTIONS", "https://api.example.org/v1/search", false),
            ("POST", "https://api.example.org/v1/search/", false),
            ("POST", "https://api.example.org/v1/search/../pages", false),
            ("POST", "https://api.example.org/v1/Search", false),
            ("POST", "https://api.example.org:8080/v1/search", false),
            ("POST", "https://example.org/v1/search", false),
            ("POST", "https://a.example.org/v1/databases/7/query", true),
            ("POST", "https://a.example.org/v1/databases/../query", false),
            ("POST", "https://a.example.org/v1/databases/%2e%2e/query", false),
            ("POST", "https://a.example.org/v1/databases/..\\query", false),
            ("POST", "https://a.example.org/v1/databases/a%2Fb/query", false),
            ("POST", "https://a.example.org/v1/databases//query", false),
            ("POST", "https://a.example.org/v1/databases/7/8/query", false),
            ("QUERY", "http://127.0.0.1:99/graph/a/b", true),
            ("QUERY", "http://127.0.0.1:99/graph", false),
            ("QUERY", "http://127.0.0.1:99/graph/../a", false),
            ("POST", "not a url", false),
        ];
        for (method, url, is_read) in table {
            let got = check(&[search, query, below], request(method, url));
            assert_eq!(got.is_ok(), is_read, "{method} {url}: {got:?}");
        }
    }

    #[test]
    fn a_denial_names_the_tool_and_the_line() {
        assert_eq!(
            check(&[], request("POST", "https://api.example.org/v1/pages?token=x")).unwrap_err(),
            "`POST api.example.org/v1/pages` may write, and `notes.search` is declared read_only; if it \
             only reads, add reads = [\"POST api.example.org/v1/pages\"] to tool(…), otherwise remove read_only"
        );
        let exec = PossibleWrite::Command("git");
        assert!(check(&["exec git"], exec).is_ok());
        assert!(check(&["exec gi"], exec).unwrap_err().contains("reads = [\"exec git\"]"));
        for write in [
            PossibleWrite::File("out.txt"),
            PossibleWrite::Database("shop.db"),
            PossibleWrite::Tool(&"files.write"),
        ] {
            let why = check(&["exec out.txt", "POST */**"], write).unwrap_err();
            assert!(why.contains("`notes.search`"), "{why}");
            assert!(why.contains("remove read_only"), "{why}");
        }
    }

    #[test]
    fn an_entry_that_cannot_be_meant_is_rejected() {
        for (entry, expected) in [
            ("git", "neither a request nor a command"),
            ("exec ", "neither a request"),
            ("post a.org/x", "neither a request"),
            ("POST https://a.org/x", "without scheme"),
            ("POST a.org/x?y=1", "without scheme and query"),
            ("POST a.org", "\"POST a.org/**\" for every path"),
            ("GET a.org/x", "GET requests are reads by themselves"),
        ] {
            let why = entry.parse::<DeclaredRead>().unwrap_err();
            assert!(why.contains(expected), "{entry}: {why}");
        }
    }
}
