//! Redirects: followed, counted, and told no secrets.

use super::server::{Server, answer, redirect};
use super::{Net, request, text};

#[test]
fn credentials_stay_behind_when_the_origin_changes() {
    let other = Server::answering(|_| answer(200, "", "there"));
    let to = other.url("/x");
    let server = Server::answering(move |asked| match asked.path.as_str() {
        "/" => redirect(302, "/here"),
        _ => redirect(302, &to),
    });
    let mut get = request("GET", &server.url("/"));
    let names = ["Authorization", "cookie", "proxy-authorization", "X-Api-Key", "accept", "x-own"];
    get.headers = names.map(|name| (name.into(), format!("my {name}"))).to_vec();
    let net = Net::granted(&[&server.site(), &other.site()]);
    let response = net.send(&get).unwrap();
    assert_eq!((response.url.clone(), text(response)), (other.url("/x"), "there".into()));
    let kept = |asked: &super::server::Asked| {
        let lower = names.map(str::to_ascii_lowercase);
        let kept = lower.into_iter().filter(|name| asked.header(name).is_some());
        kept.collect::<Vec<_>>()
    };
    let all = ["authorization", "cookie", "proxy-authorization", "x-api-key", "accept", "x-own"];
    assert_eq!(server.asked().iter().map(kept).collect::<Vec<_>>(), [all, all]);
    assert_eq!(kept(&other.asked()[0]), ["accept", "x-own"]);
}

#[test]
fn five_redirects_are_followed() {
    let server = Server::answering(|asked| match asked.path[1..].parse::<u32>() {
        Ok(0) | Err(_) => answer(200, "", "arrived"),
        Ok(more) => redirect(302, &format!("/{}", more - 1)),
    });
    let net = Net::granted(&[&server.site()]);
    assert_eq!(net.get(&server.url("/5")).map(text), Ok("arrived".into()));
    let words = net.get(&server.url("/6")).unwrap_err();
    assert_eq!(words, format!("GET {}: redirected more than 5 times", server.url("/6")));
    assert_eq!(server.asked().len(), 12);
}

#[test]
fn a_redirect_can_be_an_answer() {
    let server = Server::answering(|_| redirect(302, "/b"));
    let mut get = request("GET", &server.url("/"));
    get.redirects = false;
    let response = Net::granted(&[&server.site()]).send(&get).unwrap();
    assert_eq!(response.status, 302);
    assert!(response.headers.contains(&("location".into(), "/b".into())));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_body_goes_along_or_stays() {
    let check = |method: &str, status: u16, expected: &str| {
        let server = Server::answering(move |asked| match asked.path.as_str() {
            "/" => redirect(status, "/b"),
            _ => answer(200, "", format!("{} [{}]", asked.method, asked.body)),
        });
        let mut post = request(method, &server.url("/"));
        post.body = b"text".to_vec();
        let got = Net::granted(&[&server.site()]).send(&post).map(text);
        assert_eq!(got, Ok(expected.into()), "{method} {status}");
    };
    check("POST", 301, "GET []");
    check("POST", 302, "GET []");
    check("POST", 303, "GET []");
    check("POST", 307, "POST [text]");
    check("PUT", 308, "PUT [text]");
    check("PATCH", 303, "GET []");
    check("GET", 303, "GET [text]");
}
