//! Whom a request may reach, spelling by spelling.

use super::super::egress::judge;
use super::{Net, egress};
use model::Egress;
use reqwest::Url;

const REFUSED: &str = "is not a public host, and others are granted by name; the operator can add";

/// This machine, its neighbours, and addresses dressed as others, as a URL can spell them.
const NOT_PUBLIC: &str = "
    http://127.0.0.1/  http://127.0.0.1:8080/  http://127.255.255.254/  http://127.1/
    http://127.0.1/  http://2130706433/  http://017700000001/  http://0177.0.0.1/
    http://0177.0.0.01/  http://0x7f.0.0.1/  http://0x7f000001/  http://0x7f.1/
    http://0X7F.0X1/  http://127.0.0.1./  http://%31%32%37.0.0.1/  http://１２７.0.0.1/
    http://①②⑦.0.0.1/  http://127。0。0。1/  http://0.0.0.0/  http://0/  http://0.1.2.3/
    http://10.0.0.1/  http://10.255.255.255/  http://167772161/  http://012.0.0.1/
    http://172.16.0.1/  http://172.31.255.255/  http://192.168.0.1/  http://192.168.65535/
    http://3232235521/  http://169.254.169.254/latest/meta-data/  http://2852039166/
    http://0xa9fea9fe/  http://169.254.170.2/  http://100.64.0.1/  http://100.100.100.200/
    http://100.127.255.255/  http://168.63.129.16/  http://192.0.0.192/  http://192.0.2.1/
    http://192.88.99.1/  http://198.18.0.1/  http://198.19.255.255/  http://198.51.100.1/
    http://203.0.113.1/  http://224.0.0.1/  http://239.255.255.255/  http://240.0.0.1/
    http://255.255.255.255/  http://4294967295/  http:127.0.0.1/  http:\\\\127.0.0.1\\
    https://127.0.0.1/  HTTP://127.0.0.1/
    http://[::]/  http://[::1]/  http://[0:0:0:0:0:0:0:1]/  http://[0::0.0.0.1]/
    http://[::127.0.0.1]/  http://[::ffff:127.0.0.1]/  http://[::ffff:7f00:1]/
    http://[::ffff:169.254.169.254]/  http://[::ffff:8.8.8.8]/  http://[::ffff:0:127.0.0.1]/
    http://[64:ff9b::7f00:1]/  http://[64:ff9b::10.0.0.1]/  http://[64:ff9b:1::1]/
    http://[2002:7f00:1::]/  http://[2002:a00:1::1]/  http://[2001::1]/  http://[2001:0:53aa:64c::]/
    http://[2001:20::1]/  http://[2001:db8::1]/  http://[3fff::1]/  http://[100::1]/
    http://[fc00::1]/  http://[fd00:ec2::254]/  http://[fe80::1]/  http://[febf::1]/
    http://[fec0::1]/  http://[ff02::1]/  http://[ff0e::1]/  http://[5f00::1]/
";

const PUBLIC: &str = "
    http://8.8.8.8/  https://1.1.1.1/  http://1.1.1.1:8080/  http://134744072/  http://9.255.255.255/
    http://11.0.0.0/  http://100.63.255.255/  http://100.128.0.0/  http://126.255.255.255/
    http://128.0.0.1/  http://169.253.255.255/  http://172.15.255.255/  http://172.32.0.1/
    http://192.167.255.255/  http://192.169.0.1/  http://198.17.255.255/  http://198.20.0.1/
    http://223.255.255.255/  http://[2606:4700::1111]/  http://[2001:200::1]/
    http://[2001:4860:4860::8888]/  http://[2003::1]/  https://example.org/  http://example.org./
    http://127.0.0.1.nip.io/
";

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

fn public() -> Egress {
    egress(&[], true)
}

#[test]
fn what_is_not_public_is_refused_however_it_is_spelt() {
    assert!(list(NOT_PUBLIC).count() >= 60);
    for url in list(NOT_PUBLIC) {
        let judged = judge(&Url::parse(url).unwrap(), &public());
        let words = judged.expect_err(url);
        assert!(words.contains(REFUSED), "{url}: {words}");
    }
}

#[test]
fn what_is_public_is_not() {
    for url in list(PUBLIC) {
        let judged = judge(&Url::parse(url).unwrap(), &public());
        assert!(judged.is_ok(), "{url}: {judged:?}");
    }
}

#[test]
fn what_is_not_public_is_reached_when_granted_by_name() {
    let check = |grant: &str, url: &str, expected: bool| {
        let judged = judge(&Url::parse(url).unwrap(), &egress(&[grant], false));
        assert_eq!(judged.is_ok(), expected, "{grant} {url} {judged:?}");
    };
    check("127.0.0.1:8080", "http://127.0.0.1:8080/", true);
    check("127.0.0.1:8080", "http://0x7f.1:8080/", true);
    check("127.0.0.1:8080", "http://127.0.0.1/", false);
    check("127.0.0.1:8080", "http://127.0.0.1:8081/", false);
    check("127.0.0.1:8080", "http://[::ffff:127.0.0.1]:8080/", false);
    check("localhost:8080", "http://LOCALHOST.:8080/", true);
    check("localhost:8080", "http://127.0.0.1:8080/", false);
    check("[::1]", "https://[0::1]/", true);
    check("example.org", "https://example.org/", true);
    check("example.org", "https://example.org.evil.test/", false);
    check("example.org", "https://evil.test/?example.org", false);
    check("example.org", "https://evil.test#@example.org/", false);
    check("*.example.org", "https://a.example.org/", true);
    check("*.example.org", "https://example.org/", false);
}

#[test]
fn refusals_say_why_and_the_way_out() {
    let check = |egress: &Egress, url: &str, expected: &str| {
        let judged = judge(&Url::parse(url).unwrap(), egress);
        assert_eq!(judged.unwrap_err(), expected);
    };
    check(
        &public(),
        "http://127.0.0.1:8080/a?b",
        "`127.0.0.1:8080` is not a public host, and others are granted by name; the operator can \
         add \"127.0.0.1:8080\" to `http` under [module.x.grant] in larkspur.toml",
    );
    check(
        &egress(&[], false),
        "https://api.example.org/",
        "`api.example.org` is not among the hosts module `x` may reach; the operator can add \
         \"api.example.org\" to `http` under [module.x.grant] in larkspur.toml",
    );
    let user = "a URL holds no user and no password; use `auth`";
    check(&public(), "https://a:b@example.org/", user);
    check(&public(), "https://a@example.org/", user);
    check(&public(), "https://:b@example.org/", user);
    check(&public(), "file:///etc/passwd", "`file` is neither http nor https");
    check(&public(), "ftp://example.org/", "`ftp` is neither http nor https");
    check(&public(), "gopher://example.org/", "`gopher` is neither http nor https");
    check(&public(), "data:text/plain,x", "`data` is neither http nor https");
}

/// Names are judged by what they stand for, on the road that requests take.
#[test]
fn a_name_is_judged_by_every_address_it_stands_for() {
    let check = |addresses: &'static [&'static str]| {
        let net = Net::public(&[]).names(|_| addresses.to_vec());
        for name in ["localhost", "localhost.", "intranet.test", "127.0.0.1.nip.test"] {
            let words = net.get(&format!("http://{name}:1/")).unwrap_err();
            assert!(words.contains(REFUSED), "{addresses:?}: {words}");
            for address in addresses {
                assert!(!words.contains(&format!("{address}:")), "{words}");
            }
        }
    };
    check(&["127.0.0.1"]);
    check(&["::1"]);
    check(&["10.1.2.3"]);
    check(&["169.254.169.254"]);
    check(&["::ffff:10.0.0.1"]);
    check(&["fd12::1"]);
    // Mixed answers: one private address is enough.
    check(&["8.8.8.8", "10.0.0.1"]);
    check(&["10.0.0.1", "8.8.8.8"]);
    check(&["2606:4700::1111", "127.0.0.1"]);
    check(&["8.8.8.8", "::1"]);
}
