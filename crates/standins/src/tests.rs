//! Each of them, asked over the network.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::{JIRA_EMAIL, Standin, Standins, base64};

struct Reply {
    status: u16,
    head: String,
    body: Value,
}

struct Asker<'s> {
    standin: &'s Standin,
    headers: String,
}

impl<'s> Asker<'s> {
    fn new(standin: &'s Standin, authorization: &str) -> Self {
        let headers = format!("authorization: {authorization}\r\nnotion-version: 2022-06-28\r\n");
        Self { standin, headers }
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Reply {
        let host = self.standin.url().replace("http://", "");
        let mut stream = TcpStream::connect(&host).unwrap();
        let (headers, body) = (&self.headers, body.to_string());
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        read(&mut BufReader::new(stream))
    }

    fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &Value::Null)
    }
}

fn read(reader: &mut impl BufRead) -> Reply {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
    }
    let length = head.split("content-length: ").nth(1).unwrap();
    let length = length.split('\r').next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Reply {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    }
}

fn askers(standins: &Standins) -> [Asker<'_>; 3] {
    let basic = format!("{JIRA_EMAIL}:{}", standins.jira.token);
    [
        Asker::new(&standins.notion, &format!("Bearer {}", standins.notion.token)),
        Asker::new(&standins.github, &format!("Bearer {}", standins.github.token)),
        Asker::new(&standins.jira, &format!("Basic {}", base64::encode(&basic))),
    ]
}

#[test]
fn whoever_has_no_token_is_turned_away_and_so_is_whoever_asks_too_often() {
    let standins = Standins::start().unwrap();
    let paths = ["/v1/users/me", "/user", "/rest/api/3/myself"];
    for (asker, path) in askers(&standins).iter().zip(paths) {
        let stranger = Asker::new(asker.standin, "Bearer wrong");
        assert_eq!(stranger.get(path).status, 401, "{path}");
        assert_eq!(asker.get(path).status, 200, "{path}");
        assert!(asker.get("/v1/blocks/none/children").status >= 400, "{path}");
        asker.standin.turn_away(1);
        let busy = asker.get(path);
        assert_eq!(busy.status, 429, "{path}");
        assert!(busy.head.contains("\r\nretry-after: 1\r\n"), "{}", busy.head);
        assert_eq!(asker.get(path).status, 200, "{path}");
        let given = asker.standin.given();
        let statuses: Vec<u16> = given.iter().map(|one| one.status).collect();
        assert_eq!(statuses.len(), 5);
        assert_eq!((statuses[0], statuses[3], statuses[4]), (401, 429, 200));
        assert_eq!(given[0].request, format!("GET {path}"));
    }
}

#[test]
fn notion_goes_on_by_a_cursor_and_keeps_what_is_made() {
    let standins = Standins::start().unwrap();
    let [notion, ..] = askers(&standins);
    let mut seen = Vec::new();
    let mut asked = json!({"query": "", "page_size": 5});
    loop {
        let page = notion.send("POST", "/v1/search", &asked).body;
        seen.extend(page["results"].as_array().unwrap().clone());
        asked["start_cursor"] = page["next_cursor"].clone();
        if page["has_more"] == false {
            break;
        }
    }
    assert_eq!(seen.len(), 12);
    let design = seen[0]["id"].as_str().unwrap();
    let blocks = notion.get(&format!("/v1/blocks/{design}/children")).body;
    let blocks = blocks["results"].as_array().unwrap().clone();
    assert_eq!(blocks.len(), 13);
    let nested = blocks.iter().find(|block| block["has_children"] == true).unwrap();
    let below = format!("/v1/blocks/{}/children?page_size=1", nested["id"].as_str().unwrap());
    assert_eq!(notion.get(&below).body["has_more"], true);

    let words = json!([{"type": "text", "text": {"content": "Minutes"}}]);
    let new = json!({"parent": {"page_id": design}, "properties": {"title": {"title": words}},
        "children": [{"type": "paragraph", "paragraph": {"rich_text": words}}]});
    let made = notion.send("POST", "/v1/pages", &new).body;
    let found = notion.send("POST", "/v1/search", &json!({"query": "minutes"})).body;
    assert_eq!(found["results"], json!([made]));
    let below = format!("/v1/blocks/{}/children", made["id"].as_str().unwrap());
    let text = notion.get(&below).body["results"][0]["paragraph"]["rich_text"][0].clone();
    assert_eq!(text["plain_text"], "Minutes");
    assert_eq!(notion.get("/v1/pages/none").status, 404);
    assert_eq!(notion.send("POST", "/v1/search", &json!({"start_cursor": "none"})).status, 400);
}

#[test]
fn github_goes_on_by_links_and_keeps_what_is_made() {
    let standins = Standins::start().unwrap();
    let [_, github, _] = askers(&standins);
    let mut path = "/repos/tidewater/ticketing/issues?state=all&per_page=50".to_owned();
    let mut sizes = Vec::new();
    loop {
        let page = github.get(&path);
        sizes.push(page.body.as_array().unwrap().len());
        let next = page.head.split("link: <").nth(1);
        let Some((next, _)) = next.and_then(|rest| rest.split_once(">; rel=\"next\"")) else {
            break;
        };
        path = next.replace(&standins.github.url(), "");
    }
    assert_eq!(sizes, [50, 50, 39]);
    let new = json!({"title": "Gate sings", "labels": ["gate"]});
    let made = github.send("POST", "/repos/tidewater/ticketing/issues", &new);
    assert_eq!((made.status, &made.body["number"]), (201, &json!(140)));
    let one = github.get("/repos/tidewater/ticketing/issues/140").body;
    assert_eq!((&one["title"], &one["labels"][0]["name"]), (&json!("Gate sings"), &json!("gate")));
    let said = json!({"body": "It does."});
    github.send("POST", "/repos/tidewater/ticketing/issues/140/comments", &said);
    let said = github.get("/repos/tidewater/ticketing/issues/140/comments").body;
    assert_eq!(said[0]["body"], "It does.");
    let found = github.get("/search/issues?q=sings+is:issue+repo:tidewater/ticketing").body;
    assert_eq!(found["total_count"], 1);
    assert_eq!(github.get("/repos/tidewater/none").status, 404);
    assert_eq!(
        github.get("/repos/tidewater/ticketing/pulls").body[0]["head"]["ref"],
        "bright-codes"
    );
}

#[test]
fn jira_goes_on_by_a_token_and_keeps_what_is_made() {
    let standins = Standins::start().unwrap();
    let [.., jira] = askers(&standins);
    let search = "/rest/api/3/search/jql?fields=summary,status&maxResults=6&jql=project+%3D+TIDE+AND+labels+%3D+offline+AND+statusCategory+!%3D+Done+ORDER+BY+key";
    let mut path = search.to_owned();
    let mut keys = Vec::new();
    loop {
        let page = jira.get(&path).body;
        let issues = page["issues"].as_array().unwrap();
        assert_eq!(issues[0]["fields"].as_object().unwrap().len(), 2);
        keys.extend(issues.iter().map(|issue| issue["key"].as_str().unwrap().to_owned()));
        match page["nextPageToken"].as_str() {
            Some(token) => path = format!("{search}&nextPageToken={token}"),
            None => break,
        }
    }
    assert_eq!((keys.len(), keys[0].as_str()), (15, "TIDE-120"));
    let new = json!({"fields": {"project": {"key": "TIDE"}, "summary": "Paint the gates", "issuetype": {"name": "Task"}}});
    let made = jira.send("POST", "/rest/api/3/issue", &new);
    assert_eq!((made.status, &made.body["key"]), (201, &json!("TIDE-121")));
    let one = jira.get("/rest/api/3/issue/TIDE-121").body;
    assert_eq!(one["fields"]["summary"], "Paint the gates");
    let moved = json!({"transition": {"id": "31"}});
    assert_eq!(jira.send("POST", "/rest/api/3/issue/TIDE-121/transitions", &moved).status, 204);
    let status = &jira.get("/rest/api/3/issue/TIDE-121").body["fields"]["status"]["name"];
    assert_eq!(status, "Done");
    assert_eq!(jira.get("/rest/api/3/issue/TIDE-999").status, 404);
    let wrong = jira.get("/rest/api/3/search/jql?jql=colour+%3D+red");
    assert_eq!(wrong.status, 400);
}
