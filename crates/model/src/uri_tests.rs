//! Templates read, matched and filled in.

use super::*;
use serde_json::json;

#[track_caller]
fn matched(template: &str, uri: &str, expected: Option<&[(&str, &str)]>) {
    let template: UriTemplate = template.parse().unwrap();
    let got = template.matches(uri);
    let got: Option<Vec<(&str, &str)>> =
        got.as_ref().map(|found| found.iter().map(|(n, v)| (*n, v.as_str())).collect());
    assert_eq!(got.as_deref(), expected, "{template} {uri}");
}

#[track_caller]
fn refused(template: &str, expected: &str) {
    let error = template.parse::<UriTemplate>().unwrap_err().to_string();
    assert_eq!(error, expected);
}

#[test]
fn a_uri_without_variables_is_itself() {
    matched("notes://today", "notes://today", Some(&[]));
    matched("notes://today", "notes://today/", None);
    matched("notes://today", "notes://Today", None);
}

#[test]
fn a_variable_is_one_segment() {
    let readme = "github://{owner}/{repo}/readme";
    matched(readme, "github://acme/web/readme", Some(&[("owner", "acme"), ("repo", "web")]));
    matched(readme, "github://acme/web/x/readme", None);
    matched(readme, "github:///web/readme", None);
    matched("a://{x}", "a://", None);
    matched("a://{x}", "a://b?c", None);
    matched("a://{x}", "a://b#c", None);
    matched("a:{x}", "a:ü", Some(&[("x", "ü")]));
}

#[test]
fn values_are_decoded() {
    matched("a://{x}", "a://b%2Fc%20d", Some(&[("x", "b/c d")]));
    matched("a://{x}", "a://%C3%BC", Some(&[("x", "ü")]));
    matched("a://{x}", "a://100%", Some(&[("x", "100%")]));
    matched("a://{x}", "a://%zz", Some(&[("x", "%zz")]));
    matched("a://{x}", "a://%FF", Some(&[("x", "%FF")]));
    matched("a://{x}", "a://%2ü", Some(&[("x", "%2ü")]));
}

#[test]
fn a_plus_takes_the_rest_of_the_path() {
    matched("file:///{+path}", "file:///src/main.rs?x=1", Some(&[("path", "src/main.rs?x=1")]));
    matched("a://{+path}/raw", "a://x/raw/y/raw", Some(&[("path", "x/raw/y")]));
    matched("a://{+path}", "a://", None);
}

#[test]
fn the_earlier_takes_as_much_as_it_can() {
    matched("a:{x}.{y}", "a:b.c.d", Some(&[("x", "b.c"), ("y", "d")]));
    matched("a:{x}.json", "a:b.json.json", Some(&[("x", "b.json")]));
}

#[test]
fn no_uri_takes_long() {
    let template = "a:{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h}x";
    let uri = format!("a:{}", "-".repeat(8_000));
    matched(template, &uri, None);
    matched("a:{x}", &format!("a:{}", "b".repeat(9_000)), None);
}

#[test]
fn mistakes_are_named() {
    refused("readme", "`readme` is not a URI; put a scheme in front, such as `notes://today`");
    refused("", "`` is not a URI; put a scheme in front, such as `notes://today`");
    refused(
        "{scheme}://x",
        "`{scheme}://x` is not a URI; put a scheme in front, such as `notes://today`",
    );
    refused("a://{x", "`a://{x` has a `{` without a `}`");
    refused("a://x}", "`a://x}` has a `}` without a `{`");
    refused(
        "a://{x*}",
        "`a://{x*}` has `{x*}`, which cannot be read back; write `{name}` for one segment, `{+name}` for several",
    );
    refused(
        "a://b{?x,y}",
        "`a://b{?x,y}` has `{?x,y}`, which cannot be read back; write `{name}` for one segment, `{+name}` for several",
    );
    refused(
        "a://{}",
        "`a://{}` has `{}`, which cannot be read back; write `{name}` for one segment, `{+name}` for several",
    );
    refused(
        "a://{x}{y}",
        "`a://{x}{y}` has nothing between `{y}` and the variable before it; put a `/` there",
    );
    refused("a://{x}/{x}", "`a://{x}/{x}` has `{x}` twice");
    refused("a://b c", "`a://b c` has ' ' in it; write it percent-encoded, a space as `%20`");
}

#[test]
fn what_is_filled_in_can_be_read_back() {
    let check = |template: &str, values: Value, expected: &str| {
        let template: UriTemplate = template.parse().unwrap();
        let values = values.as_object().unwrap();
        let uri = template.expand(values).unwrap();
        assert_eq!(uri, expected);
        let back: Vec<(&str, Value)> = template
            .matches(&uri)
            .unwrap()
            .into_iter()
            .map(|(name, text)| (name, json!(text)))
            .collect();
        let sent: Vec<(&str, Value)> = values
            .iter()
            .map(|(k, v)| (k.as_str(), json!(v.as_str().map_or(v.to_string(), str::to_owned))))
            .collect();
        assert_eq!(back, sent);
    };
    check("a://{x}/y", json!({"x": "b/c ü"}), "a://b%2Fc%20%C3%BC/y");
    check("a://{+x}", json!({"x": "b/c?d e"}), "a://b/c?d%20e");
    check("a://{n}", json!({"n": 7}), "a://7");
    let template: UriTemplate = "a://{x}".parse().unwrap();
    let missing = template.expand(&Args::new());
    assert_eq!(missing, Err("`x` is required".into()));
}

#[test]
fn the_more_it_says_the_longer_it_is() {
    let length = |text: &str| text.parse::<UriTemplate>().unwrap().literal_length();
    assert!(length("a://b/{x}") > length("a://{x}/{y}"));
    assert!(length("a://{x}/{y}") > length("a://{+x}"));
}
