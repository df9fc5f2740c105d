//! `http`: what a script writes becomes a request, and an answer becomes what it reads.

use super::{Notebook, call_script, load};
use expect_test::{Expect, expect};
use model::{HostError, HttpRequest, HttpResponse};
use serde_json::json;

/// Answers requests.
pub(crate) type Web = Box<dyn Fn(&HttpRequest) -> Result<HttpResponse, HostError> + Send + Sync>;

/// The answer of a web to `def f(): return expression`.
fn eval(expression: &str, web: Web) -> Result<String, String> {
    run(&format!("def f():\n    return {expression}\ntool(f)"), web)
}

fn run(source: &str, web: Web) -> Result<String, String> {
    let script = load(source).map_err(|fault| fault.to_string())?;
    let host = Notebook { web: Some(web), ..Notebook::default() };
    call_script(&script, "f", json!({}), &host)
}

pub(super) fn response(status: u16, headers: &[(&str, &str)], body: &[u8]) -> HttpResponse {
    let header = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    HttpResponse {
        status,
        url: "https://a.test/".into(),
        headers: headers.iter().map(header).collect(),
        body: body.to_vec(),
    }
}

/// Sends the request back as text.
fn shown(request: &HttpRequest) -> String {
    let mut parts = vec![format!("{} {}", request.method, request.url)];
    let headers = request.headers.iter();
    parts.extend(headers.map(|(name, value)| format!("{name}: {value}")));
    if !request.body.is_empty() {
        parts.push(String::from_utf8_lossy(&request.body).into_owned());
    }
    parts.extend(request.timeout.map(|timeout| format!("within {timeout:?}")));
    let mut text = parts.join(" | ");
    text += if request.redirects { "" } else { " | no redirects" };
    text + if request.retries { "" } else { " | once" }
}

/// What is sent for an expression.
fn sends(expression: &str, expected: &str) {
    let echo: Web = Box::new(|request| Ok(response(200, &[], shown(request).as_bytes())));
    let sent = eval(&format!("{expression}[\"body\"]"), echo);
    assert_eq!(sent.as_deref(), Ok(expected), "{expression}");
}

fn refuses(expression: &str, expected: &str) {
    let nobody: Web = Box::new(|request| panic!("{request:?} was sent"));
    let refused = eval(expression, nobody);
    assert_eq!(refused, Err(expected.to_owned()), "{expression}");
}

#[test]
fn floats_are_sent_as_they_are() {
    sends(
        "http.post('https://a.test/', params = {'a': [9999999.9, 1e6]}, headers = {'x-a': 5e-324}, form = {'b': 1e15})",
        "POST https://a.test/?a=9999999.9&a=1000000.0 | x-a: 5e-324 | content-type: application/x-www-form-urlencoded | b=1000000000000000.0",
    );
    sends(
        "http.post('https://a.test/', json = {'a': 9999999.9, 1234567.89: 1}, timeout = 1234567.5)",
        "POST https://a.test/ | content-type: application/json | {\"a\":9999999.9,\"1234567.89\":1} | within 1234567.5s",
    );
}

#[test]
fn a_request_is_written_by_position_and_by_name() {
    sends("http.get('https://a.test/')", "GET https://a.test/");
    sends("http.get('https://a.test/', {'X-A': 'b'})", "GET https://a.test/ | X-A: b");
    sends("http.get(url = 'https://a.test/', headers = {'X': 1})", "GET https://a.test/ | X: 1");
    sends("http.head('https://a.test/')", "HEAD https://a.test/");
    sends("http.options('https://a.test/')", "OPTIONS https://a.test/");
    sends("http.delete('https://a.test/', {'X': 'y'})", "DELETE https://a.test/ | X: y");
    sends("http.post('https://a.test/', 'text', {'X': 'y'})", "POST https://a.test/ | X: y | text");
    sends("http.put('https://a.test/', 'text')", "PUT https://a.test/ | text");
    sends("http.patch('https://a.test/', body = 'text')", "PATCH https://a.test/ | text");
    sends("http.request('propfind', 'https://a.test/')", "PROPFIND https://a.test/");
    sends("http.request('GET', 'https://a.test/', body = 'x')", "GET https://a.test/ | x");
}

#[test]
fn parameters_are_added_to_the_url() {
    let check = |params: &str, expected: &str| {
        let expression = format!("http.get('https://a.test/x?a=1#f', params = {params})");
        sends(&expression, &format!("GET https://a.test/x?a=1{expected}#f"));
    };
    check("{'q': 'a b&c', 'n': 9007199254740993}", "&q=a+b%26c&n=9007199254740993");
    check("{'t': True, 'f': 1.5, 'none': None}", "&t=true&f=1.5");
    check("{'l': ['x', 2]}", "&l=x&l=2");
    check("{}", "");
    check("None", "");
}

#[test]
fn a_body_says_what_it_is() {
    let json = " | content-type: application/json | ";
    let body = r#"{"big":12345678901234567890,"f":0.1,"n":null}"#;
    let given = "{'big': 12345678901234567890, 'f': 0.1, 'n': None}";
    for name in ["json", "json_body", "body"] {
        let expression = format!("http.post('https://a.test/', {name} = {given})");
        sends(&expression, &format!("POST https://a.test/{json}{body}"));
    }
    sends("http.post('https://a.test/', [1])", &format!("POST https://a.test/{json}[1]"));
    sends(
        "http.post('https://a.test/', json = {}, headers = {'Content-Type': 'a/b'})",
        "POST https://a.test/ | Content-Type: a/b | {}",
    );
    for name in ["form", "form_body"] {
        let expression = format!("http.post('https://a.test/', {name} = {{'a': 'b c', 'd': 1}})");
        let kind = "content-type: application/x-www-form-urlencoded";
        sends(&expression, &format!("POST https://a.test/ | {kind} | a=b+c&d=1"));
    }
    sends("http.post('https://a.test/', body_base64 = 'aGk=')", "POST https://a.test/ | hi");
    // As the original has it, the first of these counts.
    sends(
        "http.post('https://a.test/', body = 'x', form = {}, json = 1)",
        &format!("POST https://a.test/{json}1"),
    );
}

#[test]
fn the_rest_is_said_by_name() {
    sends(
        "http.get('https://a.test/', auth = ('ada', 'word'))",
        "GET https://a.test/ | authorization: Basic YWRhOndvcmQ=",
    );
    sends(
        "http.get('https://a.test/', {'Authorization': 'x'}, auth = 'token')",
        "GET https://a.test/ | authorization: Bearer token",
    );
    sends("http.get('https://a.test/', timeout = 2)", "GET https://a.test/ | within 2s");
    sends("http.get('https://a.test/', timeout = 0.5)", "GET https://a.test/ | within 500ms");
    sends("http.get('https://a.test/', timeout = '2m')", "GET https://a.test/ | within 120s");
    sends(
        "http.get('https://a.test/', redirects = False, retries = False)",
        "GET https://a.test/ | no redirects | once",
    );
    let all = "params = None, headers = None, body = None, json = None, form = None, auth = None, \
               timeout = None, check = None, redirects = None, retries = None";
    sends(&format!("http.post('https://a.test/', {all})"), "POST https://a.test/");
}

#[test]
fn what_makes_no_request_is_an_error() {
    refuses(
        "http.get('https://a.test/', header = {})",
        "http takes no `header`; did you mean `headers`?",
    );
    refuses(
        "http.get('a b', params = {'a': 1})",
        "`a b` is not a URL: relative URL without a base",
    );
    refuses("http.get('https://a.test/', params = 'a')", "`params` is a dict, not a string");
    refuses("http.get('https://a.test/', ['a'])", "`headers` is a dict, not a list");
    refuses(
        "http.get('https://a.test/', {'a': {}})",
        "`a` in `headers` is text or a number, not a dict",
    );
    refuses(
        "http.get('https://a.test/', auth = ('secret',))",
        "`auth` is a (user, password) pair, a secret or a token",
    );
    refuses("http.get('https://a.test/', check = 1)", "`check` is True or False, not a int");
    refuses(
        "http.get('https://a.test/', timeout = -1)",
        "`timeout` is seconds or a text such as \"500ms\", not -1",
    );
    refuses(
        "http.get('https://a.test/', timeout = 'soon')",
        "`soon` is not a duration; write `500ms`, `30s` or `2m`",
    );
    refuses("http.post('https://a.test/', 1)", "`body` is text, a dict or a list, not a int");
    refuses("http.post('https://a.test/', body_base64 = '?')", "`body_base64` is not base64");
    refuses("http.post('https://a.test/', json = len)", "a function cannot be written as JSON");
    refuses("http.get_all([1])", "a request is a URL or a dict with `url`, not a int");
    refuses("http.get_all([{'method': 'GET'}])", "a request needs a `url`");
}

fn reads(status: u16, headers: &'static [(&str, &str)], body: &'static [u8], expected: &Expect) {
    let answer: Web = Box::new(move |_| Ok(response(status, headers, body)));
    let read = eval("http.get('https://a.test/')", answer);
    expected.assert_eq(&read.unwrap());
}

#[test]
fn an_answer_is_a_dict() {
    reads(
        200,
        &[("a", "1"), ("set-cookie", "x"), ("set-cookie", "y")],
        br#"{"id": 9007199254740993, "big": 12345678901234567890, "f": 1.0}"#,
        &expect![[
            r#"{"status":200,"status_code":200,"ok":true,"success":true,"url":"https://a.test/","headers":{"a":"1","set-cookie":"x\ny"},"body":"{\"id\": 9007199254740993, \"big\": 12345678901234567890, \"f\": 1.0}","json":{"id":9007199254740993,"big":12345678901234567890,"f":1.0}}"#
        ]],
    );
    reads(
        404,
        &[],
        b"no",
        &expect![[
            r#"{"status":404,"status_code":404,"ok":false,"success":false,"url":"https://a.test/","headers":{},"body":"no"}"#
        ]],
    );
    reads(
        200,
        &[],
        b"\xef\xbb\xbf[1]",
        &expect![[
            r#"{"status":200,"status_code":200,"ok":true,"success":true,"url":"https://a.test/","headers":{},"body":"﻿[1]","json":[1]}"#
        ]],
    );
    reads(
        204,
        &[],
        b"\xff\x00",
        &expect![[
            r#"{"status":204,"status_code":204,"ok":true,"success":true,"url":"https://a.test/","headers":{},"body":"�\u0000","body_base64":"/wA="}"#
        ]],
    );
    reads(
        200,
        &[],
        b"1e999",
        &expect![[
            r#"{"status":200,"status_code":200,"ok":true,"success":true,"url":"https://a.test/","headers":{},"body":"1e999"}"#
        ]],
    );
}

/// As scripts of the original ask for it; `null` is JSON as well.
#[test]
fn json_is_there_if_the_body_is_json() {
    for (body, expected) in [
        (&b"null"[..], "[true,null]"),
        (b" {\"a\": [1, {\"b\": 2}]} ", "[true,{\"a\":[1,{\"b\":2}]}]"),
        (b"", "[false,null]"),
        (b"<html>", "[false,null]"),
        (b"{} {}", "[false,null]"),
    ] {
        let answer: Web = Box::new(move |_| Ok(response(200, &[("x", "1"), ("x", "2")], body)));
        let source = "def f():\n    a = http.get('https://a.test/')\n    \
                      return ['json' in a, a.get('json')] if a['headers']['x'] == '1, 2' else a\n\
                      tool(f)";
        assert_eq!(run(source, answer).as_deref(), Ok(expected));
    }
}

#[test]
fn many_are_asked_in_their_order() {
    let echo: Web = Box::new(|request| Ok(response(200, &[], request.url.as_bytes())));
    let urls = "['https://a.test/%d' % i for i in range(40)]";
    let same = format!("[a['body'] for a in http.get_all({urls})] == {urls}");
    assert_eq!(eval(&same, echo), Ok("true".into()));
}

#[test]
fn a_failed_answer_can_be_an_error() {
    let failing = || -> Web { Box::new(|_| Ok(response(503, &[], b" try later "))) };
    let ask = "http.get, 'https://a.test/?key=1', check = True";
    let message = eval("http.get('https://a.test/?key=1', check = True)", failing());
    assert_eq!(message, Err("GET https://a.test/ answered 503: try later".into()));
    let kind = format!("[attempt({ask}).error.kind, attempt({ask}).error.data['status']]");
    assert_eq!(eval(&kind, failing()), Ok("[\"http-error\",503]".into()));
    let long: Web = Box::new(|_| Ok(response(500, &[], &[b'x'; 1000])));
    let message = eval("http.get('https://a.test/', check = True)", long).unwrap_err();
    assert!(message.ends_with("xx…") && message.len() < 250, "{message}");
}

#[test]
fn no_answer_ends_the_call() {
    let closed = || -> Web { Box::new(|_| Err(HostError("nobody is there".into()))) };
    assert_eq!(eval("http.get('https://a.test/')", closed()), Err("nobody is there".into()));
    let expression = "attempt(http.get, 'https://a.test/').error.message";
    assert_eq!(eval(expression, closed()), Ok("nobody is there".into()));
}

#[test]
fn several_are_asked_at_once() {
    let web = || -> Web {
        Box::new(|request| match request.url.as_str() {
            "https://gone.test/" => Err(HostError("nobody is there".into())),
            "https://bad.test/" => Ok(response(500, &[], b"bad")),
            _ => Ok(response(200, &[], shown(request).as_bytes())),
        })
    };
    let all = "['https://a.test/', {'url': 'https://b.test/', 'method': 'post', 'json': 1, 'auth': \
               'own'}], auth = 'all'";
    let got = eval(&format!("[a['body'] for a in http.get_all({all})]"), web());
    let expected = r#"["GET https://a.test/ | authorization: Bearer all","POST https://b.test/ | content-type: application/json | authorization: Bearer own | 1"]"#;
    assert_eq!(got.as_deref(), Ok(expected));
    let some = "['https://gone.test/', 'https://bad.test/']";
    let got = eval(
        &format!("[[a['status'], a['ok'], a.get('error')] for a in http.get_all({some})]"),
        web(),
    );
    assert_eq!(got.as_deref(), Ok(r#"[[0,false,"nobody is there"],[500,false,null]]"#));
    let got = eval(&format!("http.get_all({some}, check = True)"), web());
    assert_eq!(got, Err("nobody is there".into()));
    assert_eq!(eval("http.get_all([])", web()).as_deref(), Ok("[]"));
}

/// Three pages of two, each with every way to the next.
fn book() -> Web {
    Box::new(|request| {
        let query = request.url.split_once('?').map_or("", |(_, query)| query);
        let number = query.split('&').find_map(|p| p.strip_prefix("p=")).unwrap_or("1");
        let number: u32 = number.trim_start_matches('c').parse().unwrap();
        let items = match number {
            1 => "[1,2]",
            2 => "[3,4]",
            3 => "[5]",
            _ => "[]",
        };
        let next = number + 1;
        let (link, more) = if number < 3 {
            (
                format!("</x?p={number}>; rel=\"self\", </x?p={next}>; rel=\"next\""),
                format!(r#""url":"?p={next}","cursor":"c{next}""#),
            )
        } else {
            (String::new(), r#""url":null,"cursor":"""#.into())
        };
        let body = if request.url.contains("object") {
            format!(r#"{{"data":{{"list":{items}}},"meta":{{{more}}}}}"#)
        } else {
            items.into()
        };
        let mut answer = response(200, &[("link", &link)], body.as_bytes());
        answer.url.clone_from(&request.url);
        Ok(answer)
    })
}

#[test]
fn pages_are_followed_whichever_way_they_lead() {
    let check = |expression: &str, expected: Result<&str, &str>| {
        let got = eval(expression, book());
        assert_eq!(got.as_deref().map_err(String::as_str), expected, "{expression}");
    };
    let all = Ok("[1,2,3,4,5]");
    check("http.pages('https://a.test/x')", all);
    check("http.pages('https://a.test/x', page = 'p')", all);
    check("http.pages('https://a.test/x', page = 'p', params = {'p': 2})", Ok("[3,4,5]"));
    let object = "'https://a.test/object', items = 'data.list'";
    check(&format!("http.pages({object}, next = 'meta.url')"), all);
    check(&format!("http.pages({object}, next = 'meta.cursor', cursor = 'p')"), all);
    check(&format!("http.pages({object}, next = lambda a: a['json']['meta']['url'])"), all);
    let params = "lambda a: {'p': 2} if a['json']['data']['list'] == [1, 2] else None";
    check(&format!("http.pages({object}, next = {params})"), Ok("[1,2,3,4]"));
    check("http.pages('https://a.test/x', limit = 3)", Ok("[1,2,3]"));
    check("http.pages('https://a.test/x', limit = 0)", Ok("[]"));
    check(
        "http.pages('https://a.test/object')",
        Err("the page is not a list; say where the list is: `items = \"path.to.it\"`"),
    );
    check(
        "http.pages('https://a.test/object', items = 'data.rows')",
        Err("there is no list at `data.rows` in the page"),
    );
    check(
        "http.pages('https://a.test/x', next = lambda a: '/x')",
        Err("https://a.test/x leads back to itself"),
    );
    check(
        "http.pages('https://a.test/x', limits = 1)",
        Err("http takes no `limits`; did you mean `limit`?"),
    );
}

#[test]
fn a_page_elsewhere_is_not_told_who_asks() {
    let web: Web = Box::new(|request| {
        let mut answer = response(200, &[], format!("[\"{}\"]", shown(request)).as_bytes());
        answer.url.clone_from(&request.url);
        let link = "<https://b.test/>; rel=next".to_owned();
        if request.url.contains("a.test") {
            answer.headers.push(("link".into(), link));
        }
        Ok(answer)
    });
    let got = eval("http.pages('https://a.test/', auth = 'token')", web);
    let expected = r#"["GET https://a.test/ | authorization: Bearer token","GET https://b.test/"]"#;
    assert_eq!(got.as_deref(), Ok(expected));
}

#[test]
fn a_page_that_fails_is_an_error() {
    let web: Web = Box::new(|_| Ok(response(403, &[], b"who are you")));
    let got = eval("http.pages('https://a.test/')", web);
    assert_eq!(got, Err("GET https://a.test/ answered 403: who are you".into()));
}
