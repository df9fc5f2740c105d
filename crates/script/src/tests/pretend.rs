//! A world that exists in the documentation only: a shop with a web service and two databases.

use super::Notebook;
use model::{Cell, Database, HostError, HttpRequest, HttpResponse, SqlAnswer, SqlRequest, Topic};
use serde_json::{Value, json};

/// The host of everything that the documentation shows.
pub(crate) fn host() -> Notebook {
    Notebook {
        web: Some(Box::new(web)),
        databases: Some(Box::new(databases)),
        clerk: Some(clerk),
        ..Notebook::default()
    }
}

/// Answers whatever a client would be asked.
fn clerk(topic: &Topic) -> Value {
    match topic {
        Topic::Form { .. } => json!({"action": "accept", "content": {"guests": 4}}),
        Topic::Page { .. } => json!({"action": "accept", "content": {}}),
        Topic::Sample(_) => json!({"role": "assistant", "text": "Screws hold things."}),
        Topic::Roots => json!([{"uri": "file:///srv/shop", "name": "shop"}]),
    }
}

const PAGES: [(&str, &str, &str); 7] = [
    ("/items/3", "", r#"{"id": 3, "name": "screws"}"#),
    ("/items?q=nuts", "", r#"["nuts"]"#),
    ("/items", "</items?page=2>; rel=\"next\"", r#"["screws", "nuts"]"#),
    ("/items?page=2", "</items?page=3>; rel=\"next\"", r#"["bolts", "nails"]"#),
    ("/items?page=3", "", "[]"),
    ("/search", "", r#"{"found": ["a", "b"], "more": "b"}"#),
    ("/search?after=b", "", r#"{"found": ["c"], "more": null}"#),
];

fn web(request: &HttpRequest) -> Result<HttpResponse, HostError> {
    let path = request.url.strip_prefix("https://api.example.org");
    let path = path.ok_or_else(|| HostError(format!("nobody answers at {}", request.url)))?;
    let page = PAGES.iter().find(|(known, _, _)| *known == path);
    let (status, headers, body): (u16, Vec<(&str, &str)>, &str) = match request.method.as_str() {
        "DELETE" => (204, vec![], ""),
        "HEAD" => (200, vec![("content-type", "application/json")], ""),
        "OPTIONS" => (204, vec![("allow", "GET, PUT, PATCH, DELETE")], ""),
        "GET" => match page {
            Some((_, link, body)) => (200, vec![("link", link)], body),
            None => (404, vec![], "no such item"),
        },
        _ => (200, vec![], std::str::from_utf8(&request.body).unwrap_or_default()),
    };
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    Ok(HttpResponse {
        status,
        url: request.url.clone(),
        headers: headers.into_iter().map(owned).collect(),
        body: body.into(),
    })
}

fn databases(database: &Database, request: &SqlRequest) -> SqlAnswer {
    let sqlite = matches!(database, Database::Sqlite(_));
    let text = |text: &str| Cell::Text(text.to_owned());
    let (columns, rows): (&[&str], Vec<Vec<Cell>>) = match (request, sqlite) {
        (SqlRequest::Query { .. }, true) => {
            (&["name", "pieces"], vec![vec![text("screws"), Cell::Int(3)]])
        }
        (SqlRequest::Query { .. }, false) => {
            (&["name", "price"], vec![vec![text("screws"), text("0.10")]])
        }
        (SqlRequest::Tables { .. }, true) => (&["name"], vec![vec![text("items")]]),
        (SqlRequest::Tables { .. }, false) => (&["tablename"], vec![vec![text("items")]]),
        (SqlRequest::Describe { .. }, true) => {
            (&["name"], vec![vec![text("name")], vec![text("pieces")]])
        }
        (SqlRequest::Describe { .. }, false) => {
            (&["column_name"], vec![vec![text("name")], vec![text("price")]])
        }
        (SqlRequest::Execute(_) | SqlRequest::Transaction(_), _) => (&[], Vec::new()),
    };
    SqlAnswer {
        columns: columns.iter().map(|&name| name.to_owned()).collect(),
        rows,
        changed: match request {
            SqlRequest::Execute(_) => vec![1],
            SqlRequest::Transaction(statements) => vec![1; statements.len()],
            _ => Vec::new(),
        },
    }
}
